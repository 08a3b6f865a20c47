// Shapes in the plane as triangles and outlines, at z = 0.

const AROUND_FLAT = 64;

/// A closed outline of [x, y] around a point inside from which all of it is seen.
function fan(outline) {
  const triangles = outline.flatMap((_, k) => [k, (k + 1) % outline.length, outline.length]);
  return flatMesh([...outline, [0, 0]], triangles, outline.length);
}

function flatMesh(points, triangles, rim) {
  const edges = Array.from({ length: rim }, (_, k) => [k, (k + 1) % rim]).flat();
  return {
    positions: points.flatMap(([x, y]) => [x, y, 0]),
    normals: points.flatMap(() => [0, 0, 1]),
    triangles,
    edges,
    wire: edges,
  };
}

const onCircle = (count, at) => Array.from({ length: count }, (_, k) => at((2 * Math.PI * k) / count));

export const disc = () => fan(onCircle(AROUND_FLAT, (a) => [Math.cos(a), Math.sin(a)]));

function superellipse(exponent) {
  const signed = (x) => Math.sign(x) * Math.abs(x) ** (2 / exponent);
  return fan(onCircle(2 * AROUND_FLAT, (a) => [signed(Math.cos(a)), signed(Math.sin(a))]));
}

function stadium([half, radius]) {
  const end = (a) => (Math.cos(a) >= 0 ? half : -half);
  // Half a step of turn keeps both ends alike.
  const shift = Math.PI / AROUND_FLAT;
  const at = (a) => [end(a) + radius * Math.cos(a), radius * Math.sin(a)];
  return fan(onCircle(AROUND_FLAT, (a) => at(a + shift)));
}

const turnsLeft = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/// Whether p lies in the triangle or on its rim.
function inside(p, a, b, c) {
  return turnsLeft(a, b, p) >= 0 && turnsLeft(b, c, p) >= 0 && turnsLeft(c, a, p) >= 0;
}

/// Triangles of a simple counter-clockwise polygon, ear by ear.
export function triangulate(points) {
  const left = points.map((_, k) => k);
  const triangles = [];
  while (left.length > 3) {
    // A polygon that touches itself may have no clean ear; cutting any corner ends the work.
    const ear = Math.max(0, left.findIndex((_, k) => isEar(points, left, k)));
    triangles.push(...around(left, ear));
    left.splice(ear, 1);
  }
  return [...triangles, ...left];
}

const around = (left, k) => [left[(k + left.length - 1) % left.length], left[k], left[(k + 1) % left.length]];

function isEar(points, left, k) {
  const corner = around(left, k);
  const [a, b, c] = corner.map((i) => points[i]);
  if (turnsLeft(a, b, c) <= 0) return false;
  return !left.some((i) => !corner.includes(i) && inside(points[i], a, b, c));
}

function polygon(p) {
  const points = [];
  for (let k = 0; k < p.length; k += 2) points.push([p[k], p[k + 1]]);
  return flatMesh(points, triangulate(points), points.length);
}

function segment([x0, y0, x1, y1]) {
  return { ...flatMesh([[x0, y0], [x1, y1]], [], 0), edges: [0, 1], wire: [0, 1] };
}

/// Everything below y = 0 as far as it is drawn: a band with an edge on top only.
function band() {
  const mesh = flatMesh([[-1, 0], [-1, -1], [1, -1], [1, 0]], [0, 1, 2, 0, 2, 3], 4);
  return { ...mesh, edges: [0, 3], wire: [0, 3] };
}

/// How a planar shape is drawn, as in space; `reach` is the extent of the scene, m, to which half-planes are drawn.
export function planarMesh({ kind, params: p }, reach) {
  switch (kind) {
    case "disc":
      return { key: "disc", build: disc, scale: [p[0], p[0], 1], round: true };
    case "planar-capsule":
      return { key: `stadium ${p.join()}`, build: () => stadium(p), scale: [1, 1, 1] };
    case "polygon":
      return { key: `polygon ${p.join()}`, build: () => polygon(p), scale: [1, 1, 1] };
    case "superellipse":
      return { key: `superellipse ${p[2]}`, build: () => superellipse(p[2]), scale: [p[0], p[1], 1] };
    case "segment":
      return { key: `segment ${p.join()}`, build: () => segment(p), scale: [1, 1, 1] };
    case "half-plane":
      return { key: "band", build: band, scale: [20 * reach, 0.25 * reach, 1] };
    default:
      throw new Error(`shape of an unknown kind: ${kind}`);
  }
}
