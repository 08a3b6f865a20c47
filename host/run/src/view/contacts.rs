//! Contacts in the form of the page.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Block;
use super::run_files::{ContactRow, RunFiles};
use vinci_scene::diagnostics::Diagnostics;

/// Bytes of one contact.
pub(super) const BYTES: usize = 37;

/// Coordinates of contacts as singles relative to the page's origin, and everything else that is drawn.
#[derive(Default)]
struct Lists {
    start: Vec<u32>,
    point: Vec<f64>,
    normal: Vec<f64>,
    force: Vec<f64>,
    gap: Vec<f64>,
    pair: Vec<u16>,
    mode: Vec<u8>,
}

/// Contacts of the frames at `times`; nothing where the run has none. Equal times belong to the last frame of them.
///
/// # Errors
/// Bodies that the scene does not have; more pairs than the page can count.
pub(super) fn shown(
    run: &RunFiles,
    rows: &[ContactRow],
    times: &[f64],
    origin: &[f64; 3],
    block: &mut Block,
) -> Result<Option<Value>, Diagnostics> {
    if rows.is_empty() {
        return Ok(None);
    }
    let (mut lists, mut pairs) = (Lists::default(), BTreeMap::new());
    let mut at = 0;
    for (frame, t) in times.iter().enumerate() {
        lists.start.push(lists.gap.len() as u32);
        let is_last = times.get(frame + 1) != Some(t);
        while at < rows.len() && rows[at].t < *t {
            at += 1;
        }
        while is_last && at < rows.len() && rows[at].t == *t {
            lists.push(run, &rows[at], origin, &mut pairs)?;
            at += 1;
        }
    }
    lists.start.push(lists.gap.len() as u32);
    Ok(Some(lists.stored(pairs, block)))
}

impl Lists {
    fn push(
        &mut self,
        run: &RunFiles,
        row: &ContactRow,
        origin: &[f64; 3],
        pairs: &mut BTreeMap<(u32, u32, u64), u16>,
    ) -> Result<(), Diagnostics> {
        let bodies = [run.body(&row.body_a)?, run.body(&row.body_b)?];
        let next = u16::try_from(pairs.len());
        let key = (bodies[0], bodies[1], row.friction.to_bits());
        let pair = match (pairs.get(&key), next) {
            (Some(pair), _) => *pair,
            (None, Ok(next)) => *pairs.entry(key).or_insert(next),
            (None, Err(_)) => {
                return Err(run.damaged("contacts", "more than 65536 pairs of bodies touch"));
            }
        };
        self.point.extend((0..3).map(|k| row.point[k] - origin[k]));
        self.normal.extend(row.normal);
        self.force.extend(row.force);
        self.gap.push(row.gap);
        self.pair.push(pair);
        self.mode.push(row.mode);
        Ok(())
    }

    fn stored(&self, pairs: BTreeMap<(u32, u32, u64), u16>, block: &mut Block) -> Value {
        let mut told = vec![Value::Null; pairs.len()];
        for ((a, b, friction), at) in pairs {
            told[at as usize] = json!({ "bodies": [a, b], "friction": f64::from_bits(friction) });
        }
        json!({
            "at": "start", "pairs": told,
            "start": block.u32(&self.start), "point": block.f32(&self.point), "normal": block.parts(&self.normal),
            "force": block.f32(&self.force), "gap": block.f32(&self.gap), "pair": block.u16(&self.pair),
            "mode": block.u8(&self.mode),
        })
    }
}
