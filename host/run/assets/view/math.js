// Vectors, quaternions (w first), 4 × 4 matrices (column-major, as WebGL takes them), and numbers as text.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export function unit(a) {
  const length = norm(a);
  return length > 0 ? times(a, 1 / length) : [0, 0, 1];
}

/// Any unit vector normal to a.
export function normalTo(a) {
  const axis = Math.abs(a[0]) < 0.6 * norm(a) ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, axis));
}

/// The vector v turned by the unit quaternion q.
export function turn(q, v) {
  const u = [q[1], q[2], q[3]];
  const t = times(cross(u, v), 2);
  return add(add(v, times(t, q[0])), cross(u, t));
}

/// The rotation "first b, then a".
export function compose(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

export const aboutZ = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];

/// The shortest rotation that takes +z to a direction.
export function fromZ(direction) {
  const d = unit(direction);
  if (d[2] < -0.999999) return [0, 1, 0, 0];
  const w = 1 + d[2];
  const length = Math.hypot(w, d[0], d[1]);
  return [w / length, -d[1] / length, d[0] / length, 0];
}

/// A pose of three (x, y, angle) or seven numbers as a position and a quaternion; from `at` in `list`.
export function poseOf(list, at, planar) {
  if (planar) return { p: [list[at], list[at + 1], 0], q: aboutZ(list[at + 2]) };
  return { p: [list[at], list[at + 1], list[at + 2]], q: [list[at + 3], list[at + 4], list[at + 5], list[at + 6]] };
}

/// A pose given in the frame of another one.
export const placed = (frame, pose) => ({
  p: add(frame.p, turn(frame.q, pose.p)),
  q: compose(frame.q, pose.q),
});

export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}

export function perspective(fieldOfView, aspect, near, far) {
  const f = 1 / Math.tan(fieldOfView / 2);
  const depth = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * depth, -1, 0, 0, 2 * near * far * depth, 0];
}

export function orthographic(halfHeight, aspect, near, far) {
  const depth = 1 / (near - far);
  const [x, y] = [1 / (halfHeight * aspect), 1 / halfHeight];
  return [x, 0, 0, 0, 0, y, 0, 0, 0, 0, 2 * depth, 0, 0, 0, (near + far) * depth, 1];
}

/// From world to eye axes: x right, y up, z towards the eye.
export function lookAt(eye, right, up, back) {
  const row = (k) => [right[k], up[k], back[k], 0];
  return [...row(0), ...row(1), ...row(2), -dot(right, eye), -dot(up, eye), -dot(back, eye), 1];
}

/// Homogeneous clip coordinates of a point.
export function clip(m, p) {
  const row = (r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r];
  return [row(0), row(1), row(2), row(3)];
}

/// Index of the last of ascending numbers that is not above t; 0 where all are.
export function lastAt(list, t) {
  let [low, high] = [0, list.length - 1];
  // A time that was rounded by a slider still belongs to its frame.
  const limit = t + 1e-9 * Math.max(1e-3, Math.abs(t));
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/// The smallest of 1, 2 or 5 times a power of ten that is not below x.
export function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const mantissa = x / power;
  const step = mantissa <= 1.0000001 ? 1 : mantissa <= 2.0000001 ? 2 : mantissa <= 5.0000001 ? 5 : 10;
  return step * power;
}

/// Round numbers between two ends, about `wanted` of them, and their distance.
export function ticks(low, high, wanted) {
  const step = roundUp(Math.max(high - low, 1e-300) / Math.max(wanted, 1));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const values = [];
  for (let k = first; k <= last && values.length < 50; k++) values.push(k * step);
  return { values, step };
}

/// A number with as many digits as a person wants to read.
export function short(x, digits = 4) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "–" : x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const plain = size >= 1e-3 && size < 1e6;
  const text = plain ? String(Number(x.toPrecision(digits))) : x.toExponential(Math.min(digits - 1, 2));
  return text.replace("-", "−").replace("e+", "e");
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];

/// A quantity with an SI prefix: 1.2e-5 m is 12 µm.
export function quantity(x, unit, digits = 3) {
  const size = Math.abs(x);
  if (!(size > 0) || !Number.isFinite(size) || size < 1e-13) return `${short(x, digits)} ${unit}`;
  const [factor, prefix] = PREFIXES.find(([f]) => size >= f * 0.9999999) ?? PREFIXES[PREFIXES.length - 1];
  return `${short(x / factor, digits)} ${prefix}${unit}`;
}
