//! Positions of vertices out of buffers, every offset looked at before it is followed.

use gltf::accessor::sparse::IndexType;
use gltf::accessor::{DataType, Dimensions};

/// Bytes of a position: three numbers of four bytes.
const SIZE: usize = 12;

/// The positions that an accessor describes.
///
/// # Errors
/// Anything but three 32-bit numbers per vertex; places outside the buffers.
pub(super) fn read(accessor: &gltf::Accessor<'_>, buffers: &[Vec<u8>]) -> Result<Vec<[f32; 3]>, String> {
    if accessor.dimensions() != Dimensions::Vec3 || accessor.data_type() != DataType::F32 {
        return Err("the positions of its vertices are not three 32-bit numbers each".into());
    }
    let count = accessor.count();
    let mut points = match accessor.view() {
        Some(view) => {
            let rows = Rows::new(&view, accessor.offset(), (count, SIZE), buffers)?;
            (0..count).map(|i| position(rows.row(i))).collect()
        }
        None => vec![[0.0; 3]; count],
    };
    if let Some(sparse) = accessor.sparse() {
        replace(&mut points, &sparse, buffers)?;
    }
    Ok(points)
}

/// Puts the positions of a sparse accessor in their places.
fn replace(
    points: &mut [[f32; 3]],
    sparse: &gltf::accessor::sparse::Sparse<'_>,
    buffers: &[Vec<u8>],
) -> Result<(), String> {
    let (count, indices, values) = (sparse.count(), sparse.indices(), sparse.values());
    let size = match indices.index_type() {
        IndexType::U8 => 1,
        IndexType::U16 => 2,
        IndexType::U32 => 4,
    };
    let places = Rows::new(&indices.view(), indices.offset(), (count, size), buffers)?;
    let positions = Rows::new(&values.view(), values.offset(), (count, SIZE), buffers)?;
    for k in 0..count {
        // Little-endian, whatever its size.
        let i = places.row(k).iter().rev().fold(0_usize, |i, byte| i << 8 | usize::from(*byte));
        let vertices = points.len();
        let place = points.get_mut(i).ok_or_else(|| format!("it replaces vertex {i} of {vertices}"))?;
        *place = position(positions.row(k));
    }
    Ok(())
}

/// Rows of bytes at equal distances in a buffer.
struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> Rows<'a> {
    /// `count` rows of `size` bytes, `offset` after the start of a view.
    fn new(
        view: &gltf::buffer::View<'_>,
        offset: usize,
        (count, size): (usize, usize),
        buffers: &'a [Vec<u8>],
    ) -> Result<Self, String> {
        let stride = view.stride().unwrap_or(size);
        let bytes = || {
            let buffer = buffers.get(view.buffer().index())?;
            let bytes = buffer.get(view.offset()..view.offset().checked_add(view.length())?)?;
            let length = match count {
                0 => 0,
                _ => stride.checked_mul(count - 1)?.checked_add(size)?,
            };
            bytes.get(offset..offset.checked_add(length)?)
        };
        match bytes() {
            Some(bytes) if stride >= size => Ok(Self { bytes, stride, size }),
            _ => Err("an accessor leads outside its buffer".into()),
        }
    }

    /// Row `i`, less than the count.
    fn row(&self, i: usize) -> &'a [u8] {
        &self.bytes[i * self.stride..i * self.stride + self.size]
    }
}

fn position(row: &[u8]) -> [f32; 3] {
    std::array::from_fn(|k| f32::from_le_bytes(std::array::from_fn(|byte| row[4 * k + byte])))
}
