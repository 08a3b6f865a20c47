//! One box in every format.

use super::*;
use nalgebra::Vector3;

/// Corners of the box 2 × 4 × 6 about the origin, sorted.
fn corners() -> Vec<[f64; 3]> {
    let mut all: Vec<[f64; 3]> = (0..8)
        .map(|i| {
            [(i & 1, 1.0), ((i >> 1) & 1, 2.0), ((i >> 2) & 1, 3.0)]
                .map(|(bit, s)| if bit == 1 { s } else { -s })
        })
        .collect();
    sort(&mut all);
    all
}

fn sort(points: &mut [[f64; 3]]) {
    points.sort_by(|a, b| a.partial_cmp(b).unwrap());
}

/// Two triangles per side of the box, by corners.
fn triangles() -> Vec<[[f64; 3]; 3]> {
    let c = corners();
    let sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    sides.iter().flat_map(|s| [[c[s[0]], c[s[1]], c[s[2]]], [c[s[0]], c[s[2]], c[s[3]]]]).collect()
}

fn hull_of(name: &str, bytes: &[u8], scale: [f64; 3]) -> Vec<[f64; 3]> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), bytes).unwrap();
    hull_in(&directory, name, scale)
}

fn hull_in(directory: &tempfile::TempDir, name: &str, scale: [f64; 3]) -> Vec<[f64; 3]> {
    let model = directory.path().join("r.urdf");
    let (points, read) = meshes::hull(name, scale, &model, &ModelOptions::default()).unwrap();
    assert_eq!(read.corners, points.len());
    let mut points: Vec<[f64; 3]> = points.into_iter().map(<[f64; 3]>::from).collect();
    sort(&mut points);
    points
}

#[test]
fn obj_with_polygons_and_a_point_inside() {
    let mut text = String::from("# a box\nmtllib none.mtl\n");
    corners().iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    text += "v 0 0 0\nf 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 4 8 7\nf 1 2 9\n";
    assert_eq!(hull_of("box.obj", text.as_bytes(), [1.0; 3]), corners());
    // A mirrored box is the same box.
    assert_eq!(hull_of("box.OBJ", text.as_bytes(), [-1.0, 1.0, 1.0]), corners());
}

#[test]
fn stl_as_text_and_binary() {
    let mut text = String::from("solid box\n");
    let mut binary = vec![0_u8; 80];
    binary.extend((triangles().len() as u32).to_le_bytes());
    for triangle in triangles() {
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0_u8; 12]);
        for p in triangle {
            text += &format!("vertex {} {} {}\n", p[0], p[1], p[2]);
            p.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0_u8; 2]);
    }
    text += "endsolid box\n";
    assert_eq!(hull_of("box.stl", text.as_bytes(), [1.0; 3]), corners());
    assert_eq!(hull_of("box.stl", &binary, [1.0; 3]), corners());
}

/// The nodes of a glTF scene move their meshes, and its y is up.
#[test]
fn gltf_with_its_buffer_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut buffer = Vec::new();
    for p in triangles().into_iter().flatten() {
        // Robots' (x, y, z) is (x, z, −y) there.
        [p[0], p[2], -p[1]].iter().for_each(|x| buffer.extend((*x as f32).to_le_bytes()));
    }
    let count = buffer.len() / 12;
    let gltf = serde_json::json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1], "translation": [0, 10, 0] }, { "mesh": 0, "scale": [2, 1, 1] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
            "min": [-1, -3, -2], "max": [1, 3, 2] }],
        "bufferViews": [{ "buffer": 0, "byteLength": buffer.len() }],
        "buffers": [{ "byteLength": buffer.len(), "uri": "box.bin" }]
    });
    std::fs::write(directory.path().join("box.gltf"), gltf.to_string()).unwrap();
    std::fs::write(directory.path().join("box.bin"), &buffer).unwrap();
    let expected: Vec<[f64; 3]> = corners().into_iter().map(|[x, y, z]| [2.0 * x, y, z + 10.0]).collect();
    assert_eq!(hull_in(&directory, "box.gltf", [1.0; 3]), expected);
    std::fs::write(directory.path().join("box.bin"), &buffer[4..]).unwrap();
    let model = directory.path().join("r.urdf");
    let fault = meshes::hull("box.gltf", [1.0; 3], &model, &ModelOptions::default()).unwrap_err();
    assert!(fault.message.contains("bytes instead of"), "{}", fault.message);
}

#[test]
fn packages_are_found_by_name_manifest_and_option() {
    let directory = tempfile::tempdir().unwrap();
    let at = |path: &str| directory.path().join(path);
    std::fs::create_dir_all(at("ws/pkg/urdf")).unwrap();
    std::fs::create_dir_all(at("ws/other/meshes")).unwrap();
    std::fs::write(at("ws/pkg/package.xml"), "<package><name>called_so</name></package>").unwrap();
    let model = at("ws/pkg/urdf/r.urdf");
    let find = |written: &str, options: &ModelOptions| packages::resolve(written, &model, options);
    let none = ModelOptions::default();
    let ws = at("ws").canonicalize().unwrap();
    assert_eq!(find("package://pkg/a.stl", &none), Ok(ws.join("pkg/a.stl")));
    assert_eq!(find("package://called_so/a.stl", &none), Ok(ws.join("pkg/a.stl")));
    assert_eq!(find("package://other/meshes/a.stl", &none), Ok(ws.join("other/meshes/a.stl")));
    assert_eq!(find("a.stl", &none), Ok(at("ws/pkg/urdf/a.stl")));
    assert!(find("package://third/a.stl", &none).unwrap_err().contains("--package third=DIR"));
    let given = ModelOptions { packages: vec![("third".into(), at("x"))], ..none };
    assert_eq!(find("package://third/a.stl", &given), Ok(at("x/a.stl")));
}

#[test]
fn hulls_are_scaled_along_the_axes_of_the_mesh() {
    let mut text = String::new();
    corners().iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    text += "f 1 2 4 3\nf 5 6 8 7\n";
    let expected: Vec<[f64; 3]> = corners()
        .into_iter()
        .map(|p| Vector3::from(p).component_mul(&Vector3::new(1.0, 2.0, 0.5)).into())
        .collect();
    assert_eq!(hull_of("box.obj", text.as_bytes(), [1.0, 2.0, 0.5]), expected);
}
