// The eye: orbit about a point, pan, zoom, follow; perspective in space, parallel in the plane.

import { add, clip, cross, dot, lookAt, multiply, norm, orthographic, perspective, sub, times, unit } from "./math.js";

const FIELD_OF_VIEW = (36 * Math.PI) / 180;
const STEEPEST = Math.PI / 2 - 0.001;

export class Camera {
  constructor(planar) {
    this.planar = planar;
    this.parallel = planar;
    this.target = [0, 0, 0];
    /// Half of the height that is seen at the target, m.
    this.halfHeight = 1;
    /// Largest extent of the scene, for the planes in front of and behind which nothing is drawn.
    this.extent = 1;
    this.reset();
  }

  reset() {
    this.azimuth = this.planar ? -Math.PI / 2 : -1.05;
    this.elevation = this.planar ? STEEPEST : 0.42;
  }

  /// Axes of the picture: right, up, back (towards the eye).
  axes() {
    if (this.planar) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1] };
    const [ca, sa] = [Math.cos(this.azimuth), Math.sin(this.azimuth)];
    const [ce, se] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    const back = [ce * ca, ce * sa, se];
    const right = [-sa, ca, 0];
    return { right, up: cross(back, right), back };
  }

  distance() {
    return this.parallel ? 4 * this.extent + this.halfHeight : this.halfHeight / Math.tan(FIELD_OF_VIEW / 2);
  }

  eye() {
    return add(this.target, times(this.axes().back, this.distance()));
  }

  /// From world to clip coordinates.
  matrix(aspect) {
    const { right, up, back } = this.axes();
    const distance = this.distance();
    const reach = 3 * this.extent + norm(this.target);
    const near = this.parallel ? 0.01 * this.extent : Math.max(distance - reach, 0.002 * distance);
    const far = distance + Math.max(reach, 4 * this.halfHeight);
    const lens = this.parallel
      ? orthographic(this.halfHeight, aspect, near, far)
      : perspective(FIELD_OF_VIEW, aspect, near, far);
    return multiply(lens, lookAt(this.eye(), right, up, back));
  }

  /// How far a point p is moved to lie before its own surface: (eye − p) w + direction, as [eye or direction, w].
  towards() {
    if (this.parallel) return [...times(this.axes().back, 0.004 * this.halfHeight), 0];
    return [...times(this.eye(), 0.002), 0.002];
  }

  /// Where a point is in a picture of a size, px from the upper left corner; null behind the eye.
  project(point, [width, height]) {
    const [x, y, , w] = clip(this.matrix(width / height), point);
    return w > 0 ? [((x / w + 1) / 2) * width, ((1 - y / w) / 2) * height] : null;
  }

  /// Shows balls [centre, radius].
  fit(balls, aspect) {
    const { right, up, back } = this.axes();
    const middles = [right, up, back].map((axis) => {
      const low = balls.reduce((least, [c, r]) => Math.min(least, dot(c, axis) - r), Infinity);
      const high = balls.reduce((most, [c, r]) => Math.max(most, dot(c, axis) + r), -Infinity);
      return (low + high) / 2;
    });
    const parts = [right, up, back].map((axis, k) => times(axis, middles[k]));
    this.target = add(add(parts[0], parts[1]), parts[2]);
    const slope = Math.tan(FIELD_OF_VIEW / 2);
    // Half the height at the target that a ball needs; what is nearer is seen larger through a lens.
    const needed = balls.map(([c, r]) => {
      const [x, y, z] = [right, up, back].map((axis) => dot(sub(c, this.target), axis));
      const half = Math.max(Math.abs(y) + r, (Math.abs(x) + r) / aspect);
      return this.parallel ? half : half + (z + r) * slope;
    });
    this.halfHeight = 1.06 * needed.reduce((most, half) => Math.max(most, half), 0);
  }

  /// Turns by pixels.
  orbit(dx, dy) {
    if (this.planar) return;
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + 0.008 * dy));
  }

  /// Moves the target by pixels of a picture of a height.
  pan(dx, dy, height) {
    const { right, up } = this.axes();
    const scale = (2 * this.halfHeight) / height;
    this.target = add(this.target, add(times(right, -dx * scale), times(up, dy * scale)));
  }

  /// Zooms by a factor; what is at a place of the picture stays there.
  zoom(factor, [x, y] = [0.5, 0.5], aspect = 1) {
    const { right, up } = this.axes();
    const shift = (1 - factor) * this.halfHeight;
    const towards = add(times(right, (2 * x - 1) * aspect * shift), times(up, (1 - 2 * y) * shift));
    this.target = add(this.target, towards);
    this.halfHeight *= factor;
  }

  /// Looks along an axis: "x", "y" or "z".
  along(axis) {
    if (this.planar) return;
    this.azimuth = axis === "x" ? 0 : -Math.PI / 2;
    this.elevation = axis === "z" ? STEEPEST : 0;
  }

  /// Distance of a point from a line of sight through a place of the picture, and its depth.
  offSight(point, [x, y], aspect) {
    const { right, up, back } = this.axes();
    const across = add(times(right, (2 * x - 1) * aspect), times(up, 1 - 2 * y));
    const through = add(this.target, times(across, this.halfHeight));
    const eye = this.parallel ? add(through, times(back, this.distance())) : this.eye();
    const ray = unit(sub(through, eye));
    const to = sub(point, eye);
    const depth = dot(to, ray);
    return { off: norm(sub(to, times(ray, depth))), depth };
  }
}
