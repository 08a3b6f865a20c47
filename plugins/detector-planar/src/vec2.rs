//! Vectors of the plane.

use std::ops::{Add, Mul, Neg, Sub};

/// A point or direction, m or 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct V2 {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl V2 {
    pub(crate) const UP: Self = Self { x: 0.0, y: 1.0 };

    #[inline]
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    #[inline]
    pub(crate) fn dot(self, o: Self) -> f64 {
        self.x * o.x + self.y * o.y
    }

    /// Positive when `o` lies to the left of `self`.
    #[inline]
    pub(crate) fn cross(self, o: Self) -> f64 {
        self.x * o.y - self.y * o.x
    }

    /// A quarter turn to the left: from the outward normal of an edge to its direction.
    #[inline]
    pub(crate) fn left(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// A quarter turn to the right: from the direction of an edge to its outward normal.
    #[inline]
    pub(crate) fn right(self) -> Self {
        Self::new(self.y, -self.x)
    }

    #[inline]
    pub(crate) fn norm2(self) -> f64 {
        self.dot(self)
    }

    #[inline]
    pub(crate) fn norm(self) -> f64 {
        let square = self.norm2();
        // The square of a very small or large length leaves the range of f64; hypot is slow but does not.
        if (1e-280..1e280).contains(&square) { square.sqrt() } else { self.x.hypot(self.y) }
    }
}

impl Add for V2 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}

impl Sub for V2 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f64> for V2 {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self::new(self.x * s, self.y * s)
    }
}

impl Neg for V2 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

/// A rigid motion of the plane: rotation (c, s), then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Motion {
    c: f64,
    s: f64,
    at: V2,
}

impl Motion {
    /// From (x, y, angle).
    #[inline]
    pub(crate) fn new(pose: &[f64]) -> Self {
        let (s, c) = pose[2].sin_cos();
        Self { c, s, at: V2::new(pose[0], pose[1]) }
    }

    /// Rotates a direction.
    #[inline]
    pub(crate) fn turn(&self, d: V2) -> V2 {
        V2::new(self.c * d.x - self.s * d.y, self.s * d.x + self.c * d.y)
    }

    /// Moves a point.
    #[inline]
    pub(crate) fn apply(&self, p: V2) -> V2 {
        self.turn(p) + self.at
    }
}
