//! MuJoCo's MSH: four counts, then vertices, normals, texture coordinates and triangles, 32 bits each, little-endian.

use super::triangles::Surface;
use nalgebra::Vector3;

/// All vertices and triangles.
pub(super) fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let words: Vec<[u8; 4]> = bytes.chunks_exact(4).filter_map(|w| w.try_into().ok()).collect();
    let counts: Vec<usize> =
        words.iter().take(4).map(|w| usize::try_from(i32::from_le_bytes(*w)).unwrap_or(usize::MAX)).collect();
    let [vertices, normals, textured, triangles] = counts[..] else {
        return Err("it ends within its header".into());
    };
    let lengths = [(vertices, 3), (normals, 3), (textured, 2), (triangles, 3)];
    let ends = lengths.iter().scan(Some(4_usize), |end, (count, width)| {
        *end = count.checked_mul(*width).and_then(|n| end.and_then(|e| e.checked_add(n)));
        Some(*end)
    });
    let ends: Vec<usize> = ends.flatten().collect();
    let &[after_vertices, _, before_triangles, end] = &ends[..] else {
        return Err("its header holds counts that no mesh has".into());
    };
    if end != words.len() || !bytes.len().is_multiple_of(4) {
        return Err(format!("its header asks for {end} numbers, and {} are there", words.len()));
    }
    let number = |w: &[u8; 4]| f64::from(f32::from_le_bytes(*w));
    let points = words[4..after_vertices].chunks_exact(3).map(|p| Vector3::from_fn(|i, _| number(&p[i])));
    let faces = words[before_triangles..].chunks_exact(3);
    let faces: Vec<[u32; 3]> = faces.map(|t| [0, 1, 2].map(|i| u32::from_le_bytes(t[i]))).collect();
    if let Some(face) = faces.iter().position(|t| t.iter().any(|i| *i as usize >= vertices)) {
        return Err(format!("triangle {face} names a vertex that is not there"));
    }
    Ok(Surface { points: points.collect(), triangles: faces })
}
