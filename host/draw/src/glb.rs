//! A motion as a binary glTF 2.0 file: a node for every body, a mesh for every shape, and an animation with the recorded states.
//!
//! z is up in scenes in space and y in glTF, so all bodies hang on one node that turns them. Contacts and forces are not in the file.

use nalgebra::UnitQuaternion;
use serde_json::{Value, json};
use vinci_core::model::Frames;
use vinci_run::view::State;

use crate::glb_buffer::Buffer;
use crate::mesh::Mesh;
use crate::motion::{Motion, Pose};

/// A quarter turn back about x: z becomes y.
const UPRIGHT: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// The bytes of the file. Of states at one time (an impact) the last is kept.
pub fn glb(motion: &Motion, name: &str) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let states = distinct(motion.states());
    let poses = poses(motion, &states);
    let bodies = &motion.system.bodies;
    let (mut nodes, mut meshes, mut materials) = (Vec::new(), Vec::new(), Vec::new());
    for (body, own) in bodies.iter().enumerate() {
        materials.push(material(motion.colour(body as u32)));
        let mut node = placed(poses[body].first());
        node["name"] = own.name.as_str().into();
        nodes.push(node);
    }
    let extent = 1.5 * motion.extent();
    for shape in &motion.system.shapes {
        meshes.push(mesh(&mut buffer, &Mesh::of_shape(shape, extent), shape.body));
        let mut node = placed(Some(&Pose::of(&shape.pose)));
        node["mesh"] = (meshes.len() - 1).into();
        nodes.push(node);
        let child = nodes.len() - 1;
        match &mut nodes[shape.body as usize]["children"] {
            Value::Array(children) => children.push(child.into()),
            none => *none = json!([child]),
        }
    }
    let mut root = json!({ "name": name, "children": (0..bodies.len()).collect::<Vec<_>>() });
    if !motion.is_planar() {
        root["rotation"] = json!(UPRIGHT);
    }
    nodes.push(root);
    let mut header = json!({
        "asset": { "version": "2.0", "generator": concat!("Vinci ", env!("CARGO_PKG_VERSION")) },
        "scene": 0, "scenes": [{ "nodes": [nodes.len() - 1] }], "nodes": nodes,
    });
    // The format has no empty lists.
    let animation = animation(&mut buffer, motion, &states, &poses);
    let lists =
        [("meshes", meshes), ("materials", materials), ("animations", animation.into_iter().collect())];
    for (key, list) in lists
        .into_iter()
        .chain([("bufferViews", buffer.views.clone()), ("accessors", buffer.accessors.clone())])
    {
        if !list.is_empty() {
            header[key] = list.into();
        }
    }
    if !buffer.bytes.is_empty() {
        header["buffers"] = json!([{ "byteLength": buffer.bytes.len() }]);
    }
    buffer.file(&header)
}

/// States whose times differ as singles, of equal ones the last.
fn distinct(states: &[State]) -> Vec<&State> {
    let mut kept: Vec<&State> = Vec::new();
    for state in states {
        match kept.last_mut() {
            Some(last) if state.t as f32 <= last.t as f32 => *last = state,
            _ => kept.push(state),
        }
    }
    kept
}

/// Poses of every body at all states; turns follow each other by the short way.
fn poses(motion: &Motion, states: &[&State]) -> Vec<Vec<Pose>> {
    let mut frames = Frames::default();
    let mut all: Vec<Vec<Pose>> = vec![Vec::new(); motion.system.bodies.len()];
    for state in states {
        motion.system.place(&state.q, &mut frames);
        for (body, poses) in all.iter_mut().enumerate() {
            let mut pose = Pose::of(frames.pose(body as u32));
            if poses.last().is_some_and(|last| last.rotation.coords.dot(&pose.rotation.coords) < 0.0) {
                pose.rotation = UnitQuaternion::new_unchecked(-pose.rotation.into_inner());
            }
            poses.push(pose);
        }
    }
    all
}

fn singles(pose: &Pose) -> ([f32; 3], [f32; 4]) {
    let (p, r) = (pose.position, pose.rotation.coords);
    ([p.x as f32, p.y as f32, p.z as f32], [r.x as f32, r.y as f32, r.z as f32, r.w as f32])
}

fn placed(pose: Option<&Pose>) -> Value {
    pose.map_or_else(
        || json!({}),
        |pose| {
            let (translation, rotation) = singles(pose);
            json!({ "translation": translation, "rotation": rotation })
        },
    )
}

fn material(colour: [f64; 3]) -> Value {
    // Colours are given as screens show them; the format wants linear ones.
    let linear = colour.map(|c| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) });
    let [r, g, b] = linear;
    json!({
        "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 },
        "doubleSided": true,
    })
}

fn mesh(buffer: &mut Buffer, mesh: &Mesh, material: u32) -> Value {
    let singles = |all: &[nalgebra::Vector3<f64>]| -> Vec<[f32; 3]> {
        all.iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect()
    };
    let position = buffer.vectors("VEC3", &singles(&mesh.positions), true);
    let normal = buffer.vectors("VEC3", &singles(&mesh.normals), true);
    let indices = buffer.indices(&mesh.triangles);
    let attributes = json!({ "POSITION": position, "NORMAL": normal });
    json!({ "primitives": [{ "attributes": attributes, "indices": indices, "material": material }] })
}

/// Two channels for every body that moves; none where there is one state.
fn animation(buffer: &mut Buffer, motion: &Motion, states: &[&State], poses: &[Vec<Pose>]) -> Option<Value> {
    if states.len() < 2 {
        return None;
    }
    // Times of the format begin at 0 or later.
    let start = states[0].t.min(0.0);
    let times: Vec<[f32; 1]> = states.iter().map(|state| [(state.t - start) as f32]).collect();
    let input = buffer.vectors("SCALAR", &times, false);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for body in (0..poses.len()).filter(|body| motion.is_moving(*body as u32)) {
        let (places, turns): (Vec<[f32; 3]>, Vec<[f32; 4]>) = poses[body].iter().map(singles).unzip();
        let outputs = [
            ("translation", buffer.vectors("VEC3", &places, false)),
            ("rotation", buffer.vectors("VEC4", &turns, false)),
        ];
        for (path, output) in outputs {
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": body, "path": path } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        }
    }
    (!channels.is_empty()).then(|| json!({ "name": "motion", "samplers": samplers, "channels": channels }))
}
