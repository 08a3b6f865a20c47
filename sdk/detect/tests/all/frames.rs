//! Frames against nalgebra's quaternions and complex numbers.

use nalgebra::{Isometry2, Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector2};
use vinci_core::model::Space;
use vinci_detect::{Frame, Vec3};

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::from_fn(|_, _| self.range(-size, size))
    }

    /// A pose whose quaternion has any length from 10⁻³ to 10³, as frame and as isometry.
    fn spatial(&mut self) -> (Frame, Isometry3<f64>) {
        let (x, size) = (self.vector(5.0), 10f64.powf(self.range(-3.0, 3.0)));
        let q = [0; 4].map(|_| size * self.range(-1.0, 1.0));
        let pose = [x.x, x.y, x.z, q[0], q[1], q[2], q[3]];
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
        let frame = Frame::from_pose(Space::Spatial, &pose).unwrap();
        (frame, Isometry3::from_parts(Translation3::from(x), turn))
    }
}

/// Everything here is below 20 m, where the last digit is 3.6e-15 m.
#[track_caller]
fn alike(x: Vec3, y: Vec3) {
    assert!((x - y).norm() <= 2e-14, "{x} {y}");
}

/// Both ways of a frame, of points and of directions.
#[track_caller]
fn same_motion(frame: &Frame, expected: &Isometry3<f64>, x: &Vec3) {
    alike(frame.point(x), (expected * Point3::from(*x)).coords);
    alike(frame.dir(x), expected * x);
    alike(frame.dir_back(x), expected.inverse_transform_vector(x));
}

#[test]
fn spatial_frames_are_the_rotations_of_their_quaternions() {
    let mut dice = Dice(1);
    for _ in 0..2000 {
        let ((f, p), (g, q)) = (dice.spatial(), dice.spatial());
        let x = dice.vector(2.0);
        same_motion(&f, &p, &x);
        same_motion(&f.inverse(), &p.inverse(), &x);
        same_motion(&f.then_inner(&g), &(p * q), &x);
        same_motion(&f.relative(&g), &(p.inverse() * q), &x);
    }
}

#[test]
fn planar_frames_turn_about_z_and_stay_in_the_plane() {
    let mut dice = Dice(2);
    for _ in 0..500 {
        let [a, b] = [0; 2].map(|_| [dice.range(-5.0, 5.0), dice.range(-5.0, 5.0), dice.range(-9.0, 9.0)]);
        let [f, g] = [a, b].map(|p| Frame::from_pose(Space::Planar, &p).unwrap());
        let [p, q] = [a, b].map(|p| Isometry2::new(Vector2::new(p[0], p[1]), p[2]));
        let x = dice.vector(2.0);
        let flat = Vector2::new(x.x, x.y);
        for (frame, motion) in [(f, p), (f.then_inner(&g), p * q), (f.relative(&g), p.inverse() * q)] {
            let point = motion * nalgebra::Point2::from(flat);
            alike(frame.point(&x), Vec3::new(point.x, point.y, x.z));
            assert_eq!((frame.pos.z, frame.dir(&x).z, frame.rot.column(2).z), (0.0, x.z, 1.0));
        }
    }
}

#[test]
fn quarter_and_half_turns_whatever_the_length_of_the_quaternion() {
    let s = 0.5f64.sqrt();
    let turned = Frame::from_pose(Space::Spatial, &[1.0, 2.0, 3.0, 7.0, 0.0, 0.0, 7.0]).unwrap();
    alike(turned.point(&Vec3::x()), Vec3::new(1.0, 3.0, 3.0));
    let unit = Frame::from_pose(Space::Spatial, &[1.0, 2.0, 3.0, s, 0.0, 0.0, s]).unwrap();
    alike(turned.dir(&Vec3::x()), unit.dir(&Vec3::x()));
    // A half turn about x whose quaternion is five units long.
    let half = Frame::from_pose(Space::Spatial, &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0]).unwrap();
    assert_eq!(half.dir(&Vec3::new(1.0, 2.0, 3.0)), Vec3::new(1.0, -2.0, -3.0));
    let still = Frame::from_pose(Space::Spatial, &[0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(still, Frame::default());
    assert_eq!(Frame::from_pose(Space::Planar, &[0.0; 3]).unwrap(), Frame::default());
}

#[test]
fn what_is_no_pose_is_none() {
    let at = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    assert!(Frame::from_pose(Space::Spatial, &at).is_some());
    for (space, n) in [(Space::Planar, 3), (Space::Spatial, 7)] {
        for wrong in [0, n - 1, n + 1] {
            assert!(Frame::from_pose(space, &vec![1.0; wrong]).is_none(), "{space:?} {wrong}");
        }
        for i in 0..n {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut pose = at[..n].to_vec();
                pose[i] = bad;
                assert!(Frame::from_pose(space, &pose).is_none(), "{pose:?}");
            }
        }
    }
    // No direction, and lengths whose square is 0 or infinite.
    for length in [0.0, 1e-200, 1e200] {
        assert!(Frame::from_pose(Space::Spatial, &at.map(|x| length * x)).is_none(), "{length}");
    }
}
