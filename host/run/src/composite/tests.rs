use super::*;
use vinci_core::model::Space;

/// Reports every pair of its shapes once, with one group, and remembers how often it was asked.
struct Pairs {
    bodies: Vec<u32>,
    asked: u8,
    key: Vec<ContactKey>,
    numbers: Vec<f64>,
    group: Vec<u32>,
    offset: u32,
}

impl Pairs {
    fn boxed(view: &SystemView<'_>, offset: u32) -> Box<dyn Detector> {
        let bodies = view.shapes.iter().map(|s| s.body).collect();
        Box::new(Self { bodies, asked: 0, key: vec![], numbers: vec![], group: vec![], offset })
    }
}

impl Detector for Pairs {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.asked += 1;
        let n = self.bodies.len() as u32;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        self.key = pairs
            .map(|(shape_a, shape_b)| ContactKey {
                shape_a: shape_a + self.offset,
                shape_b,
                ..ContactKey::default()
            })
            .collect();
        self.numbers = vec![0.5; 3 * self.key.len()];
        self.group = vec![1; self.key.len()];
        let (key, x) = (&self.key, &self.numbers);
        let gap = &x[..key.len()];
        Ok(RawContacts { key, gap, normal: x, point_a: x, point_b: x, group: &self.group })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        bytes.extend(std::iter::repeat_n(self.asked, usize::from(self.asked)));
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.asked = bytes.len() as u8;
        Ok(())
    }
}

/// Four shapes on four bodies; the first detector knows 0, 1, 3, the second 0, 2, 3.
fn shares() -> Shares {
    Shares::new(vec![vec![true, true, false, true], vec![true, false, true, true]])
}

fn composite(offset: u32) -> (Composite, Vec<Vec<u32>>) {
    let shape = |body| ShapeView { kind: 1, body, pose: &[0.0; 3], params: &[1.0], indices: &[] };
    let shapes: Vec<_> = (0..4).map(shape).collect();
    let whole = SystemView {
        space: Space::Planar,
        body_names: &["a", "b", "c", "d"],
        is_static: &[0; 4],
        shapes: &shapes,
        ignored_pairs: &[],
        nv: 12,
        nq: 12,
        ..SystemView::NOTHING
    };
    let mut ignored = Vec::new();
    let detectors = (0..2)
        .map(|k| {
            shares().with_view(k, &whole, |view| {
                ignored.push(view.ignored_pairs.to_vec());
                (["first", "second"][k].to_owned(), Pairs::boxed(view, offset))
            })
        })
        .collect();
    (Composite::new(detectors, shares()), ignored)
}

const QUERY: DetectQuery<'static> = DetectQuery { t: 0.0, pose: &[], margin: &[] };

#[test]
fn every_pair_is_looked_at_by_the_first_that_knows_both() {
    let (mut composite, ignored) = composite(0);
    let found = composite.detect(&QUERY).unwrap();
    let pairs: Vec<_> = found.key.iter().map(|k| (k.shape_a, k.shape_b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 3), (1, 3), (0, 2), (2, 3)]);
    // The second need not look at (0, 3): it is the first's.
    assert_eq!(ignored, [vec![], vec![0, 3]]);
    assert_eq!(found.group, [1, 1, 1, 2, 2]);
    assert_eq!((found.gap.len(), found.normal.len()), (5, 15));
    assert_eq!(shares().owner(1, 2), None);
}

#[test]
fn states_go_to_their_own_detector_and_foreign_ones_are_refused() {
    let (mut first, _) = composite(0);
    for _ in 0..3 {
        first.detect(&QUERY).unwrap();
    }
    let mut bytes = Vec::new();
    first.save_state(&mut bytes);
    assert_eq!(bytes.len(), 2 * (8 + 3));
    let (mut second, _) = composite(0);
    second.load_state(&bytes).unwrap();
    let mut again = Vec::new();
    second.save_state(&mut again);
    assert_eq!(bytes, again);
    for cut in [0, 5, 10, 21] {
        assert!(second.load_state(&bytes[..cut]).is_err(), "{cut}");
    }
    bytes.push(0);
    assert!(second.load_state(&bytes).is_err());
}

#[test]
fn a_shape_that_was_not_given_is_a_fault() {
    let (mut composite, _) = composite(7);
    let error = composite.detect(&QUERY).unwrap_err();
    assert_eq!((error.kind, error.plugin.as_deref()), (ErrorKind::Fault, Some("first")));
}

#[test]
fn pairs_that_a_detector_leaves_go_to_the_next_whichever_is_named_first() {
    let all = || vec![true; 3];
    // The first knows everything and leaves 0 and 1 among themselves.
    let shares = Shares::new(vec![all(), all()]).leaving(vec![vec![true, true, false], vec![false; 3]]);
    assert_eq!([shares.owner(0, 1), shares.owner(0, 2), shares.owner(1, 2)], [Some(1), Some(0), Some(0)]);
    let alone = Shares::new(vec![all()]).leaving(vec![vec![true, true, false]]);
    assert_eq!(alone.owner(0, 1), None);
}
