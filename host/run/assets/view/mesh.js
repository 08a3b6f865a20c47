// Shapes in space as triangles and edges. A mesh has `positions`, `normals` (3 per vertex), `triangles`, `edges` (drawn as
// lines) and `wire` (lines for a picture without surfaces). Unit shapes are scaled when they are drawn.

import { add, cross, dot, sub, unit } from "./math.js";

const AROUND = 40;
const ALONG = 24;
/// Edges are drawn where faces meet at more than this angle.
const CREASE = Math.cos((25 * Math.PI) / 180);

/// A surface over a grid: `at(i, j)` gives [x, y, z, nx, ny, nz], closed in j.
export function grid(rows, columns, at) {
  const mesh = { positions: [], normals: [], triangles: [], edges: [], wire: [] };
  for (let i = 0; i <= rows; i++) {
    for (let j = 0; j <= columns; j++) {
      const [x, y, z, nx, ny, nz] = at(i, j);
      mesh.positions.push(x, y, z);
      mesh.normals.push(...unit([nx, ny, nz]));
    }
  }
  const index = (i, j) => i * (columns + 1) + j;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      mesh.triangles.push(index(i, j), index(i + 1, j), index(i + 1, j + 1));
      mesh.triangles.push(index(i, j), index(i + 1, j + 1), index(i, j + 1));
    }
  }
  mesh.row = (i) => Array.from({ length: columns }, (_, j) => [index(i, j), index(i, j + 1)]).flat();
  mesh.column = (j) => Array.from({ length: rows }, (_, i) => [index(i, j), index(i + 1, j)]).flat();
  return mesh;
}

/// A surface of revolution about z through [r, z, n_r, n_z], from the top down; `creases` are rows drawn as edges.
function revolve(profile, creases, rings) {
  const mesh = grid(profile.length - 1, AROUND, (i, j) => {
    const [r, z, nr, nz] = profile[i];
    const angle = (2 * Math.PI * j) / AROUND;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [r * c, r * s, z, nr * c, nr * s, nz];
  });
  mesh.edges = creases.flatMap(mesh.row);
  const quarters = [0, 1, 2, 3].flatMap((k) => mesh.column((k * AROUND) / 4));
  mesh.wire = [...mesh.edges, ...rings.flatMap(mesh.row), ...quarters];
  return mesh;
}

/// A half circle from an angle to another, in rows of a profile, about a height.
function arc(from, to, radius, height) {
  return Array.from({ length: ALONG / 2 + 1 }, (_, k) => {
    const angle = from + ((to - from) * k) / (ALONG / 2);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [radius * c, height + radius * s, c, s];
  });
}

const HALF = Math.PI / 2;

export const ball = () => revolve([...arc(HALF, 0, 1, 0), ...arc(0, -HALF, 1, 0).slice(1)], [], [ALONG / 2]);

export const cylinder = () =>
  revolve([[0, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 0], [1, -1, 1, 0], [1, -1, 0, -1], [0, -1, 0, -1]], [1, 4], []);

export const cone = () => revolve([[0, 1, 2, 1], [1, -1, 2, 1], [1, -1, 0, -1], [0, -1, 0, -1]], [1], []);

function capsule([half, radius]) {
  const profile = [...arc(HALF, 0, radius, half), ...arc(0, -HALF, radius, -half)];
  return revolve(profile, [], [ALONG / 2, ALONG / 2 + 1]);
}

const power = (x, e) => Math.sign(x) * Math.abs(x) ** e;

/// Superellipsoid with half axes 1: (|x|^(2/ε2) + |y|^(2/ε2))^(ε2/ε1) + |z|^(2/ε1) = 1.
function superellipsoid(e1, e2) {
  const [rows, columns] = [2 * ALONG, 2 * AROUND];
  const mesh = grid(rows, columns, (i, j) => {
    const [v, u] = [HALF - (Math.PI * i) / rows, (2 * Math.PI * j) / columns];
    const [cv, sv, cu, su] = [Math.cos(v), Math.sin(v), Math.cos(u), Math.sin(u)];
    const [ring, n] = [power(cv, e1), power(cv, 2 - e1)];
    const normal = [n * power(cu, 2 - e2), n * power(su, 2 - e2), power(sv, 2 - e1)];
    return [ring * power(cu, e2), ring * power(su, e2), power(sv, e1), ...normal];
  });
  mesh.wire = [...mesh.row(rows / 2), ...[0, 1, 2, 3].flatMap((k) => mesh.column((k * columns) / 4))];
  return mesh;
}

/// Triangles with flat faces; edges where they meet at an angle or have no neighbour.
export function faceted(vertices, triangles) {
  const mesh = { positions: [], normals: [], triangles: [], edges: [], wire: [] };
  const corner = (k) => [vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]];
  const sides = new Map();
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [corner(triangles[t]), corner(triangles[t + 1]), corner(triangles[t + 2])];
    const normal = unit(cross(sub(b, a), sub(c, a)));
    [a, b, c].forEach((p, k) => {
      mesh.positions.push(...p);
      mesh.normals.push(...normal);
      mesh.triangles.push(t + k);
      noteSide(sides, p, [b, c, a][k], [t + k, t + ((k + 1) % 3)], normal);
    });
  }
  for (const { line, normals } of sides.values()) {
    if (normals.length !== 2 || dot(normals[0], normals[1]) < CREASE) mesh.edges.push(...line);
  }
  mesh.wire = mesh.edges;
  return mesh;
}

/// Sides are the same where their ends are, so that meshes with doubled vertices have no false edges.
function noteSide(sides, p, q, line, normal) {
  const key = [p.join(), q.join()].sort().join(" ");
  const side = sides.get(key) ?? { line, normals: [] };
  side.normals.push(normal);
  sides.set(key, side);
}

function box() {
  const corners = [];
  for (let k = 0; k < 8; k++) corners.push(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
  const quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
  return faceted(corners, quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]));
}

/// A convex polygon in space with one normal.
export function plate(points, normal) {
  const triangles = [];
  for (let k = 2; k < points.length; k++) triangles.push(0, k - 1, k);
  const outline = points.flatMap((_, k) => [k, (k + 1) % points.length]);
  return { positions: points.flat(), normals: points.flatMap(() => normal), triangles, edges: outline, wire: outline };
}

/// What is left of a convex polygon on the side n·x ≥ offset.
export function cutPolygon(points, normal, offset) {
  const height = (p) => dot(normal, p) - offset;
  return points.flatMap((p, k) => {
    const q = points[(k + 1) % points.length];
    const [a, b] = [height(p), height(q)];
    const kept = a >= 0 ? [p] : [];
    const crossing = a >= 0 !== b >= 0;
    return crossing ? [...kept, add(p, sub(q, p).map((x) => (x * a) / (a - b)))] : kept;
  });
}

/// How a spatial shape is drawn: a key that equal meshes share, the mesh and the scale; null for half-spaces.
export function spatialMesh({ kind, params: p, indices }) {
  switch (kind) {
    case "ball":
      return { key: "ball", build: ball, scale: [p[0], p[0], p[0]], round: true };
    case "box":
      return { key: "box", build: box, scale: [p[0], p[1], p[2]] };
    case "cylinder":
      return { key: "cylinder", build: cylinder, scale: [p[1], p[1], p[0]], round: true };
    case "cone":
      return { key: "cone", build: cone, scale: [p[1], p[1], p[0]], round: true };
    case "capsule":
      return { key: `capsule ${p.join()}`, build: () => capsule(p), scale: [1, 1, 1], round: true };
    case "superellipsoid":
      return { key: `super ${p[3]} ${p[4]}`, build: () => superellipsoid(p[3], p[4]), scale: p.slice(0, 3), round: true };
    case "convex-hull":
    case "tri-mesh":
      return { key: `faces ${p.join()} ${indices.join()}`, build: () => faceted(p, indices), scale: [1, 1, 1] };
    case "half-space":
      return null;
    default:
      throw new Error(`shape of an unknown kind: ${kind}`);
  }
}
