//! A motion as an MCAP file with messages that Foxglove and its kin draw: JSON of the schemas `foxglove.FrameTransforms` and
//! `foxglove.SceneUpdate`.
//!
//! | topic | message | when |
//! |---|---|---|
//! | `/bodies` | the shapes of every body as triangles, in the frame of that body | once, at the start |
//! | `/tf` | where bodies are in the frame `world` | at the start all, then those that move |
//! | `/forces` | the mean force of the step on the freer body of every contact, an arrow at the contact | at every state |
//!
//! Times begin at 0 or later, ns; lengths are m, rotations unit quaternions.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use mcap::records::MessageHeader;
use mcap::{McapError, WriteOptions, Writer};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_core::model::Frames;
use vinci_run::view::{ContactRow, State};

use crate::mesh::Mesh;
use crate::motion::{Motion, Pose};

/// The frame that all others hang on.
const WORLD: &str = "world";
/// Length of the longest arrow, as a part of the size of the scene.
const ARROW: f64 = 0.4;
/// Colours of arrows: open, stick, slip.
const COLOURS: [[f64; 3]; 3] = [[0.5, 0.5, 0.5], [0.12, 0.62, 0.33], [0.88, 0.2, 0.15]];

/// Writes the file.
///
/// # Errors
/// Of output.
pub fn mcap(motion: &Motion, out: impl Write + Seek) -> io::Result<()> {
    let mut log = Log::begin(out).map_err(told)?;
    let states = motion.states();
    let start = states.first().map_or(0.0, |state| state.t.min(0.0));
    let longest = motion.largest_contact();
    let mut frames = Frames::default();
    for (k, state) in states.iter().enumerate() {
        let time = Time::of(state.t - start);
        if k == 0 {
            log.put(Topic::Bodies, time, &bodies(motion, time)).map_err(told)?;
        }
        motion.system.place(&state.q, &mut frames);
        log.put(Topic::Transforms, time, &transforms(motion, &frames, (time, k == 0))).map_err(told)?;
        log.put(Topic::Forces, time, &forces(motion, state, (time, longest))).map_err(told)?;
    }
    log.writer.finish().map(drop).map_err(told)
}

fn told(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        other => io::Error::other(other),
    }
}

#[derive(Debug, Clone, Copy)]
enum Topic {
    Bodies,
    Transforms,
    Forces,
}

/// A time since the start, ns.
#[derive(Debug, Clone, Copy)]
struct Time(u64);

impl Time {
    fn of(seconds: f64) -> Self {
        Self((seconds * 1e9).round() as u64)
    }

    fn json(self) -> Value {
        const SECOND: u64 = 1_000_000_000;
        json!({ "sec": self.0 / SECOND, "nsec": self.0 % SECOND })
    }
}

/// The file with its channels, in the order of [`Topic`].
struct Log<W: Write + Seek> {
    writer: Writer<W>,
    channels: [u16; 3],
    count: u32,
}

impl<W: Write + Seek> Log<W> {
    fn begin(out: W) -> Result<Self, McapError> {
        let library = concat!("vinci ", env!("CARGO_PKG_VERSION"));
        let mut writer = WriteOptions::new().compression(None).library(library).create(out)?;
        let mut schema = |name: &str, list: &str| {
            let item = json!({ "type": "object" });
            let lists = json!({ list: { "type": "array", "items": item } });
            let text = json!({ "title": name, "type": "object", "properties": lists }).to_string();
            writer.add_schema(name, "jsonschema", text.as_bytes())
        };
        let scene = schema("foxglove.SceneUpdate", "entities")?;
        let frames = schema("foxglove.FrameTransforms", "transforms")?;
        let mut channel = |schema, topic| writer.add_channel(schema, topic, "json", &BTreeMap::new());
        let channels = [channel(scene, "/bodies")?, channel(frames, "/tf")?, channel(scene, "/forces")?];
        Ok(Self { writer, channels, count: 0 })
    }

    fn put(&mut self, topic: Topic, Time(time): Time, message: &Value) -> Result<(), McapError> {
        let channel_id = self.channels[topic as usize];
        let header = MessageHeader { channel_id, sequence: self.count, log_time: time, publish_time: time };
        self.count = self.count.wrapping_add(1);
        self.writer.write_to_known_channel(&header, message.to_string().as_bytes())
    }
}

fn vector(v: &Vector3<f64>) -> Value {
    json!({ "x": v.x, "y": v.y, "z": v.z })
}

fn quaternion(r: &UnitQuaternion<f64>) -> Value {
    json!({ "x": r.i, "y": r.j, "z": r.k, "w": r.w })
}

fn colour([r, g, b]: [f64; 3]) -> Value {
    json!({ "r": r, "g": g, "b": b, "a": 1.0 })
}

fn transforms(motion: &Motion, frames: &Frames, (time, all): (Time, bool)) -> Value {
    let bodies = motion.system.bodies.iter().enumerate();
    let placed = bodies.filter(|(body, _)| all || motion.is_moving(*body as u32)).map(|(body, own)| {
        let pose = Pose::of(frames.pose(body as u32));
        json!({
            "timestamp": time.json(), "parent_frame_id": WORLD, "child_frame_id": own.name,
            "translation": vector(&pose.position), "rotation": quaternion(&pose.rotation),
        })
    });
    json!({ "transforms": placed.collect::<Vec<_>>() })
}

/// An entity that stays until another of its name comes.
fn entity((id, frame): (&str, &str), time: Time, [triangles, arrows]: [Vec<Value>; 2]) -> Value {
    let mut entity = json!({
        "timestamp": time.json(), "frame_id": frame, "id": id, "lifetime": Time(0).json(), "frame_locked": true,
        "triangles": triangles, "arrows": arrows,
    });
    for none in ["metadata", "cubes", "spheres", "cylinders", "lines", "texts", "models"] {
        entity[none] = json!([]);
    }
    entity
}

fn update(entities: Vec<Value>) -> Value {
    json!({ "deletions": [], "entities": entities })
}

fn bodies(motion: &Motion, time: Time) -> Value {
    let extent = 1.5 * motion.extent();
    let of = |(body, own): (usize, &vinci_core::model::Body)| {
        let shapes = motion.system.shapes.iter().filter(|shape| shape.body == body as u32);
        let triangles = shapes.map(|shape| {
            let (mesh, pose) = (Mesh::of_shape(shape, extent), motion.pose_of(shape));
            json!({
                "pose": { "position": vector(&pose.position), "orientation": quaternion(&pose.rotation) },
                "points": mesh.positions.iter().map(vector).collect::<Vec<_>>(),
                "color": colour(motion.colour(body as u32)), "colors": [],
                "indices": mesh.triangles.concat(),
            })
        });
        entity((own.name.as_str(), own.name.as_str()), time, [triangles.collect(), Vec::new()])
    };
    update(motion.system.bodies.iter().enumerate().map(of).collect())
}

fn forces(motion: &Motion, state: &State, (time, longest): (Time, f64)) -> Value {
    let size = ARROW * motion.extent();
    let arrows = motion
        .contacts(state)
        .iter()
        .filter_map(|row| arrow(row, &motion.force(row), size / longest, 0.03 * size));
    update(vec![entity(("forces", WORLD), time, [Vec::new(), arrows.collect()])])
}

/// A force of a contact, `scale` m long per N and `width` m thick; none where it is 0.
fn arrow(contact: &ContactRow, force: &Vector3<f64>, scale: f64, width: f64) -> Option<Value> {
    let length = scale * force.norm();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    // Arrows of the format lie along x; of two turns to −x either will do.
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), force)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
    let head = length.min(4.0 * width);
    Some(json!({
        "pose": { "position": vector(&contact.point.into()), "orientation": quaternion(&turn) },
        "shaft_length": length - head, "shaft_diameter": width, "head_length": head, "head_diameter": 2.5 * width,
        "color": colour(COLOURS[usize::from(contact.mode).min(2)]),
    }))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use vinci_run::view::RunFiles;

    use super::*;

    /// A ball on the ground, recorded at three times; the third is an impact's, with the second's time.
    fn motion() -> Motion {
        let dir = tempfile::tempdir().unwrap();
        let experiment = json!({
            "format": "vinci/experiment@1", "time": { "step": 0.5, "duration": 0.5 },
            "detector": { "plugin": "vinci.detector.parry" }, "stepper": { "plugin": "vinci.stepper.stewart-trinkle" },
            "scene": {
                "format": "vinci/scene@1", "space": "spatial", "materials": { "default": { "friction": 0.5 } },
                "bodies": [
                    { "name": "ground", "static": true, "shapes": [{ "type": "half-space" }] },
                    { "name": "ball", "mass": 1, "position": [0, 0, 0.1], "shapes": [{ "type": "ball", "radius": 0.1 }] },
                ],
            },
        });
        let head = "time,ball.x,ball.y,ball.z,ball.qw,ball.qx,ball.qy,ball.qz,ball.vx,ball.vy,ball.vz,ball.wx,ball.wy,ball.wz";
        let rows = ["0,0,0,0.1", "0.5,0.25,0,0.1", "0.5,0.25,0,0.1"]
            .map(|row| format!("{row},1,0,0,0,0.5,0,0,0,5,0\n"));
        let contact = "time,body_a,body_b,gap,normal_impulse,friction_impulse_1,friction_impulse_2,slip_speed,mode,\
                       x,y,z,nx,ny,nz,tx,ty,tz,fx,fy,fz,friction\n0.5,ground,ball,0,5,0,0,0,stick,0.25,0,0,0,0,1,1,0,0,0,0,10,0.5\n";
        for (name, text) in [
            ("experiment.json", experiment.to_string()),
            ("trajectory.csv", format!("{head}\n{}", rows.concat())),
            ("contacts.csv", contact.to_owned()),
        ] {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        Motion::of(RunFiles::open(dir.path()).unwrap()).unwrap()
    }

    #[test]
    fn the_reader_of_the_format_finds_bodies_places_and_forces() {
        let mut file = Cursor::new(Vec::new());
        mcap(&motion(), &mut file).unwrap();
        let bytes = file.into_inner();
        let all: Vec<(String, String, u64, Value)> = mcap::MessageStream::new(&bytes)
            .unwrap()
            .map(|message| {
                let m = message.unwrap();
                let schema = m.channel.schema.as_ref().unwrap();
                assert_eq!(
                    (m.channel.message_encoding.as_str(), schema.encoding.as_str()),
                    ("json", "jsonschema")
                );
                let value = serde_json::from_slice(&m.data).unwrap();
                (m.channel.topic.clone(), schema.name.clone(), m.log_time, value)
            })
            .collect();
        let of = |topic: &str| all.iter().filter(|m| m.0 == topic).collect::<Vec<_>>();
        let [bodies, places, forces] = ["/bodies", "/tf", "/forces"].map(of);
        assert_eq!((bodies.len(), places.len(), forces.len()), (1, 3, 3));
        assert!(bodies[0].1 == "foxglove.SceneUpdate" && places[0].1 == "foxglove.FrameTransforms");
        let entities = bodies[0].3["entities"].as_array().unwrap();
        assert_eq!(
            entities.iter().map(|e| e["id"].as_str().unwrap()).collect::<Vec<_>>(),
            ["ground", "ball"]
        );
        let ball = &entities[1]["triangles"][0];
        let (points, indices) = (ball["points"].as_array().unwrap(), ball["indices"].as_array().unwrap());
        assert!(points.len() > 50 && indices.iter().all(|k| k.as_u64().unwrap() < points.len() as u64));
        for p in points {
            let [x, y, z] = ["x", "y", "z"].map(|k| p[k].as_f64().unwrap());
            assert!((x.hypot(y).hypot(z) - 0.1).abs() < 1e-12, "{p}");
        }
        assert_eq!(places[0].3["transforms"].as_array().unwrap().len(), 2);
        let last = &places[2].3["transforms"];
        assert_eq!(last.as_array().unwrap().len(), 1, "what stands still is told once");
        assert_eq!(
            (last[0]["child_frame_id"].as_str(), last[0]["translation"]["x"].as_f64()),
            (Some("ball"), Some(0.25))
        );
        assert_eq!(
            (places[2].2, &last[0]["timestamp"]),
            (500_000_000, &json!({ "sec": 0, "nsec": 500_000_000 }))
        );
        assert_eq!(forces[0].3["entities"][0]["arrows"], json!([]));
        let arrow = &forces[1].3["entities"][0]["arrows"][0];
        // Upwards: x turned about −y by a quarter.
        let turn = ["x", "y", "z", "w"].map(|k| arrow["pose"]["orientation"][k].as_f64().unwrap());
        let half = std::f64::consts::FRAC_1_SQRT_2;
        assert!(turn.iter().zip([0.0, -half, 0.0, half]).all(|(a, b)| (a - b).abs() < 1e-12), "{turn:?}");
        assert_eq!(arrow["pose"]["position"]["x"].as_f64(), Some(0.25));
    }
}
