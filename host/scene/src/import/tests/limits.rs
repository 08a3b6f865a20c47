//! Models that strangers made: small files that would take the stack, all memory, minutes, or files of somebody else.

use super::*;
use serde_json::{Value as Json, json};

const BOX: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";

struct Folder(tempfile::TempDir);

impl Folder {
    /// `ws/robot` with a model in it.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.at("ws/robot/urdf")).unwrap();
        folder
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.at(path), bytes).unwrap();
    }

    /// What is said about a mesh of the model; empty where it is read.
    fn mesh(&self, written: &str) -> String {
        let model = self.at("ws/robot/urdf/r.urdf");
        let read = meshes::hull(written, [1.0; 3], &model, &ModelOptions::default());
        read.map(|_| String::new()).unwrap_or_else(|fault| fault.message)
    }

    /// What is said about a glTF file with this change.
    fn gltf(&self, change: impl FnOnce(&mut Json)) -> String {
        let mut gltf = gltf();
        change(&mut gltf);
        self.write("ws/robot/urdf/m.bin", buffer());
        self.write("ws/robot/urdf/m.gltf", gltf.to_string());
        self.mesh("m.gltf")
    }
}

fn buffer() -> Vec<u8> {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0_f32]];
    points.concat().iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A tetrahedron.
fn gltf() -> Json {
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0 }], "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 1] }],
        "bufferViews": [{ "buffer": 0, "byteLength": 48 }],
        "buffers": [{ "byteLength": 48, "uri": "m.bin" }]
    })
}

fn said_about(urdf: &str) -> String {
    let folder = Folder::new();
    folder.write("r.urdf", urdf);
    let mut diagnostics = Diagnostics::new();
    let model = read_model(&folder.at("r.urdf"), None, &ModelOptions::default(), &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors());
    diagnostics.iter().map(|d| d.message.clone()).next().unwrap_or_default()
}

/// The parser's own check panicked where a mesh names an accessor that is not there.
#[test]
fn vertices_in_an_accessor_that_is_not_there_are_refused() {
    let folder = Folder::new();
    for at in [1_u64, 4_294_967_295] {
        let said = folder.gltf(|g| g["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(at));
        assert!(said.contains(&format!("in accessor {at}, and the file has 1 accessors")), "{said}");
    }
    let said = folder.gltf(|g| g["accessors"] = json!([]));
    assert!(said.contains("in accessor 0, and the file has 0 accessors"), "{said}");
    let said = folder.gltf(|g| g["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(7));
    assert!(said.contains("in accessor 7"), "{said}");
}

#[test]
fn a_node_that_is_its_own_child_is_refused() {
    let folder = Folder::new();
    assert_eq!(folder.gltf(|_| {}), "");
    let said = folder.gltf(|g| g["nodes"][0]["children"] = json!([0]));
    assert!(said.ends_with("more than 64 of its nodes stand inside each other"), "{said}");
}

/// Forty nodes with two children each: 2⁴⁰ copies of the last.
#[test]
fn nodes_that_double_and_double_are_counted() {
    let folder = Folder::new();
    let said = folder.gltf(|g| {
        let double = |i: usize| json!({ "children": [i + 1, i + 1] });
        g["nodes"] = (0..40).map(double).chain([json!({ "mesh": 0 })]).collect();
    });
    assert!(said.ends_with("its scene has more than 100000 nodes"), "{said}");
}

#[test]
fn vertices_that_no_buffer_holds_take_no_memory() {
    let folder = Folder::new();
    let said = folder.gltf(|g| g["accessors"][0]["count"] = json!(4_000_000_000_u64));
    assert!(said.ends_with("its scene has more than 8000000 vertices"), "{said}");
    let said = folder.gltf(|g| g["accessors"][0]["count"] = json!(5));
    assert!(said.ends_with("an accessor leads outside its buffer"), "{said}");
    let said = folder.gltf(|g| g["bufferViews"][0]["byteOffset"] = json!(u64::MAX));
    assert!(said.ends_with("an accessor leads outside its buffer"), "{said}");
    let said = folder.gltf(|g| g["accessors"][0]["byteOffset"] = json!(u64::MAX));
    assert!(said.ends_with("an accessor leads outside its buffer"), "{said}");
    let said = folder.gltf(|g| g["accessors"][0]["type"] = json!("SCALAR"));
    assert!(said.ends_with("are not three 32-bit numbers each"), "{said}");
}

#[test]
fn sparse_accessors_replace_vertices_that_are_there() {
    let folder = Folder::new();
    let sparse = |view: usize, offset: usize| {
        json!({ "count": 1, "values": { "bufferView": 0, "byteOffset": 12 },
            "indices": { "bufferView": view, "byteOffset": offset, "componentType": 5121 } })
    };
    // Byte 0 of the buffer is 0: vertex 0 moves onto vertex 1, and the four lie in one plane.
    let said = folder.gltf(|g| g["accessors"][0]["sparse"] = sparse(0, 0));
    assert!(said.contains("lie in one plane"), "{said}");
    // Byte 14 of the buffer is 0x80.
    let said = folder.gltf(|g| g["accessors"][0]["sparse"] = sparse(0, 14));
    assert!(said.ends_with("it replaces vertex 128 of 4"), "{said}");
    let said = folder.gltf(|g| g["accessors"][0]["sparse"] = sparse(0, 48));
    assert!(said.ends_with("an accessor leads outside its buffer"), "{said}");
}

/// The parser takes the twelve bytes of the header for granted: a shorter length overflowed there (found by fuzzing).
#[test]
fn a_glb_shorter_than_its_own_header_is_refused() {
    let folder = Folder::new();
    let mut json = gltf();
    json["buffers"][0].as_object_mut().unwrap().remove("uri");
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let parts = [(json, b"JSON"), (buffer(), b"BIN\0")];
    let chunks: Vec<u8> = parts
        .iter()
        .flat_map(|(bytes, kind)| [&(bytes.len() as u32).to_le_bytes()[..], &kind[..], bytes].concat())
        .collect();
    let glb = |length: u32| {
        let header = [&b"glTF"[..], &2_u32.to_le_bytes(), &length.to_le_bytes()].concat();
        folder.write("ws/robot/urdf/m.glb", [header, chunks.clone()].concat());
        folder.mesh("m.glb")
    };
    assert_eq!(glb(12 + chunks.len() as u32), "");
    for length in [0, 11] {
        let said = glb(length);
        assert!(said.contains(&format!("its header says that it is {length} bytes long")), "{said}");
    }
    folder.write("ws/robot/urdf/m.glb", b"glTF\x02");
    assert!(folder.mesh("m.glb").contains("m.glb"), "{}", folder.mesh("m.glb"));
}

#[test]
fn meshes_and_buffers_stay_in_the_models_folder_and_its_packages() {
    let folder = Folder::new();
    for path in ["ws/other.obj", "ws/robot/beside.obj", "ws/robot/urdf/own.obj"] {
        folder.write(path, BOX);
    }
    let outside =
        |written: &str| folder.mesh(written).ends_with("lies outside the model's folder and its packages");
    assert_eq!(folder.mesh("own.obj"), "");
    assert!(outside("../beside.obj") && outside(concat!("../", "../other.obj")));
    assert!(outside(folder.at("ws/other.obj").to_str().unwrap()));
    assert!(outside("package://robot/../other.obj"));
    assert_eq!(folder.mesh("package://robot/beside.obj"), "");
    // The package that the model is in.
    folder.write("ws/robot/package.xml", "<package><name>robot</name></package>");
    assert_eq!(folder.mesh("../beside.obj"), "");
    assert!(outside(concat!("../", "../other.obj")));
    // A package that the user named.
    let packages = vec![("all".to_owned(), folder.at("ws"))];
    let options = ModelOptions { packages, ..ModelOptions::default() };
    let model = folder.at("ws/robot/urdf/r.urdf");
    assert!(meshes::hull(concat!("../", "../other.obj"), [1.0; 3], &model, &options).is_ok());

    folder.write("ws/m.bin", buffer());
    for uri in [
        concat!("../", "../m.bin").to_owned(),
        folder.at("ws/m.bin").to_str().unwrap().to_owned(),
        "/dev/zero".into(),
    ] {
        let said = folder.gltf(|g| g["buffers"][0]["uri"] = json!(uri));
        assert!(said.ends_with("lies outside the model's folder and its packages"), "{said}");
    }
}

/// What was not there outside was answered with the names of what was.
#[test]
fn a_mesh_outside_that_is_not_there_tells_nothing_of_what_is() {
    let folder = Folder::new();
    folder.write("ws/passwd", "root");
    folder.write("ws/robot/urdf/own.obj", BOX);
    let model = folder.at("ws/robot/urdf/r.urdf");
    for written in [
        concat!("../", "../passwd.obj"),
        concat!("missing/../../", "../passwd.obj"),
        "package://robot/../passwd.obj",
        folder.at("ws/passwd.obj").to_str().unwrap(),
    ] {
        let fault = meshes::hull(written, [1.0; 3], &model, &ModelOptions::default()).unwrap_err();
        assert!(
            fault.message.ends_with("lies outside the model's folder and its packages"),
            "{}",
            fault.message
        );
        assert!(!fault.help.contains("passwd"), "{}", fault.help);
    }
    // A package that no directory is called after was looked for by what its path leads up to.
    let said = |written: &str| folder.mesh(written);
    folder.write("ws/there.obj", BOX);
    let (there, gone) = ("package://no/../there.obj", "package://no/../gone.obj");
    assert_eq!(said(there).replace("there.obj", "gone.obj"), said(gone));
    // Inside, the nearest name is still told.
    let fault = meshes::hull("owm.obj", [1.0; 3], &model, &ModelOptions::default()).unwrap_err();
    assert!(fault.help.contains("did you mean `own.obj`?"), "{}", fault.help);
}

#[cfg(unix)]
#[test]
fn links_that_lead_outside_are_followed_first() {
    let folder = Folder::new();
    folder.write("ws/other.obj", BOX);
    std::os::unix::fs::symlink(folder.at("ws/other.obj"), folder.at("ws/robot/urdf/link.obj")).unwrap();
    assert!(folder.mesh("link.obj").ends_with("lies outside the model's folder and its packages"));
    std::os::unix::fs::symlink("/dev/zero", folder.at("ws/robot/urdf/zero.obj")).unwrap();
    assert!(folder.mesh("zero.obj").ends_with("lies outside the model's folder and its packages"));
}

/// It was said not to be there, and itself suggested in its place.
#[test]
fn a_mesh_that_is_no_file_is_called_what_it_is() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("ws/robot/urdf/d.obj")).unwrap();
    let said = folder.mesh("d.obj");
    assert!(said.ends_with("is a directory, not a file"), "{said}");
}

#[test]
fn elements_in_each_other_and_crowds_of_attributes_are_refused() {
    let robot = |inner: &str| format!("<robot name=\"r\"><link name=\"l\"/>{inner}</robot>");
    let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
    assert_eq!(said_about(&robot(&deep)), "this model has more than 128 elements inside each other");
    let attributes: String = (0..40_000).map(|i| format!(" a{i}=\"1\"")).collect();
    let said = said_about(&robot(&format!("<link name=\"m\"{attributes}/>")));
    assert_eq!(said, "this model has more than 256 attributes of one element");
    assert_eq!(said_about(&robot("")), "");
}

/// Every name that is not known was looked for among all before it, which took minutes here.
#[test]
fn a_hundred_thousand_unknown_elements_are_all_listed() {
    let unknown: String = (0..100_000).map(|i| format!("<x{i}/>")).collect();
    let folder = Folder::new();
    folder.write("r.urdf", format!("<robot name=\"r\"><link name=\"l\"/>{unknown}</robot>"));
    let model = read_model(&folder.at("r.urdf"), None, &ModelOptions::default(), &mut Diagnostics::new());
    assert_eq!(model.unwrap().report.dropped.len(), 100_000);
}
