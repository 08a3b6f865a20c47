// Contacts, forces, friction cones, supports and certificates as instances of a few unit meshes.

import { disc } from "./flat.js";
import { add, aboutZ, cross, dot, fromZ, norm, placed, sub, times, turn, unit } from "./math.js";
import { ball, cone, cylinder, grid } from "./mesh.js";
import { rgb } from "./scene.js";

export const MODE_COLOURS = { open: "#8d99ae", stick: "#1f9d55", slip: "#e07a00" };
export const FORCE_COLOUR = "#b00020";
export const NORMAL_COLOUR = "#222222";
export const JAM_COLOUR = "#d6008f";
export const FREE_COLOUR = "#0077cc";
const AXES = [[[1, 0, 0], [0.8, 0.1, 0.1]], [[0, 1, 0], [0.1, 0.6, 0.1]], [[0, 0, 1], [0.1, 0.2, 0.85]]];
const IDENTITY = [1, 0, 0, 0];

/// Colour of a gap: red as deep as it is below zero, blue-grey above; `deepest` m is the darkest red.
export function gapColour(gap, deepest) {
  if (gap >= 0) return [0.45, 0.6, 0.8];
  const part = Math.min(1, -gap / Math.max(deepest, 1e-300));
  return [1 - 0.35 * part, 0.75 * (1 - part), 0.1 * (1 - part)];
}

/// An open cone, apex at the origin, opening along +z to radius 1 at height 1.
function funnel() {
  const mesh = grid(1, 32, (i, j) => {
    const angle = (2 * Math.PI * j) / 32;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [i * c, i * s, i, c, s, -1];
  });
  return { ...mesh, edges: mesh.row(1) };
}

/// The same in the plane, opening along +x.
function wedge() {
  return {
    positions: [0, 0, 0, 1, 1, 0, 1, -1, 0],
    normals: [0, 0, 1, 0, 0, 1, 0, 0, 1],
    triangles: [0, 2, 1],
    edges: [0, 1, 2, 0],
  };
}

function strip(positions, triangles) {
  return { positions, normals: positions.map((_, k) => (k % 3 === 2 ? 1 : 0)), triangles, edges: [] };
}

/// A bar from −1 to 1 along x and y, and the head of an arrow along +x: what a cylinder and a cone are in space.
const flatShaft = () => strip([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], [0, 1, 2, 0, 2, 3]);
const flatHead = () => strip([1, 0, 0, -1, 1, 0, -1, -1, 0], [0, 1, 2]);

/// Puts marks into batches; sizes are in m of the scene, `thin` is the half width of a line.
export class Marks {
  constructor(batches, planar, thin) {
    Object.assign(this, { batches, planar, thin });
  }

  style(layer = "mark", more = {}) {
    return { layer, edge: 0, flat: true, ...more };
  }

  dot(point, size, colour) {
    const build = this.planar ? disc : ball;
    this.batches.add("dot", build, this.style(), point, IDENTITY, [size, size, size], [...colour, 1]);
  }

  line(from, to, colour, width = 1, style = this.style()) {
    const along = sub(to, from);
    const half = norm(along) / 2;
    if (!(half > 0)) return;
    const middle = add(from, times(along, 0.5));
    const thin = width * this.thin;
    this.put(style.flat ? "line" : "rod", flatShaft, cylinder, middle, along, [half, thin], colour, style);
  }

  put(name, flat, solid, point, direction, [half, thin], colour, style = this.style()) {
    const q = this.planar ? aboutZ(Math.atan2(direction[1], direction[0])) : fromZ(direction);
    const scale = this.planar ? [half, thin, 1] : [thin, thin, half];
    this.batches.add(name, this.planar ? flat : solid, style, point, q, scale, colour.length > 3 ? colour : [...colour, 1]);
  }

  arrow(from, along, colour, width = 1) {
    const length = norm(along);
    if (!(length > 0)) return;
    const tip = Math.min(length, 7 * width * this.thin);
    const direction = unit(along);
    this.line(from, add(from, times(direction, length - tip)), colour, width);
    const middle = add(from, times(direction, length - tip / 2));
    this.put("head", flatHead, cone, middle, direction, [tip / 2, 3 * width * this.thin], colour);
  }

  /// An arc about an axis through a point, with an arrow's head at its end.
  twist(centre, axis, radius, angle, colour) {
    const n = unit(axis);
    const start = this.planar ? [1, 0, 0] : turn(fromZ(n), [1, 0, 0]);
    const steps = Math.max(2, Math.ceil(Math.abs(angle) * 6));
    const at = (k) => {
      const a = (angle * k) / steps;
      const side = add(times(start, Math.cos(a)), times(cross(n, start), Math.sin(a)));
      return add(centre, times(side, radius));
    };
    for (let k = 0; k + 1 < steps; k++) this.line(at(k), at(k + 1), colour);
    this.arrow(at(steps - 1), sub(at(steps), at(steps - 1)), colour);
  }

  dashes(from, to, colour, width = 1) {
    const count = Math.max(3, 2 * Math.floor(norm(sub(to, from)) / (14 * this.thin)) + 1);
    const at = (k) => add(from, times(sub(to, from), k / count));
    for (let k = 0; k < Math.min(count, 400); k += 2) this.line(at(k), at(k + 1), colour, width);
  }

  frictionCone(point, normal, height, friction, colour) {
    const style = this.style("clear", { edge: 1, bright: true });
    const wide = height * friction;
    this.put("cone", wedge, funnel, point, normal, [height, wide], [...colour, 0.16], style);
  }
}

/// All contacts of a frame. `show`: which marks; `scale`: m per N; `size`: m, of dots and normals; `side`: 1 where
/// the force on the second body is drawn, −1 where that on the first.
export function contactMarks(marks, contacts, { show, scale, size, deepest, colourBy, tint, side }) {
  for (const contact of contacts) {
    const colour = tint ?? (colourBy === "gap" ? gapColour(contact.gap, deepest) : rgb(MODE_COLOURS[contact.mode]));
    const sign = side(contact.bodies);
    const [force, normal] = [times(contact.force, sign), times(contact.normal, sign)];
    const push = dot(force, normal);
    if (show.points && (show.open || contact.mode !== "open")) marks.dot(contact.point, size, colour);
    if (contact.mode === "open" && !show.open) continue;
    if (show.normals) marks.arrow(contact.point, times(contact.normal, 7 * size), rgb(NORMAL_COLOUR), 0.6);
    if (show.cones && push > 0) marks.frictionCone(contact.point, normal, push * scale, contact.friction, colour);
    if (show.forces) marks.arrow(contact.point, times(force, scale), tint ?? rgb(FORCE_COLOUR));
  }
}

/// Lines between points of bodies (or of the world): links of robots, joints, springs.
export function lineMarks(marks, run, frame, colour) {
  for (const { bodies, points } of run.lines) {
    const [from, to] = bodies.map((body, k) => {
      const point = [points[k][0], points[k][1], points[k][2] ?? 0];
      return body === null ? add(point, run.shift) : placed(run.bodyPose(body, frame), { p: point, q: IDENTITY }).p;
    });
    marks.line(from, to, colour, 3, { layer: "solid", edge: 0 });
  }
}

/// Axes of all bodies: x red, y green, z blue.
export function frameMarks(marks, run, frame, size) {
  run.bodies.forEach((body, b) => {
    if (body.slot === undefined) return;
    const { p, q } = run.bodyPose(b, frame);
    for (const [axis, colour] of AXES.slice(0, marks.planar ? 2 : 3)) {
      marks.arrow(p, times(turn(q, axis), 8 * size), colour, 0.8);
    }
  });
}

/// Supports of a frame: points, friction on the part, and the circle μN that bounds it.
export function supportMarks(marks, run, frame, { show, scale, size, tint }) {
  const s = run.supports;
  if (!s) return;
  for (let i = 0; i < s.body.length; i++) {
    const at = placed(run.bodyPose(s.body[i], frame), { p: [s.point[2 * i], s.point[2 * i + 1], 0], q: IDENTITY }).p;
    const k = frame * s.body.length + i;
    const force = [s.force[2 * k], s.force[2 * k + 1], 0];
    const mode = s.slip[k] > (s.still ?? 0) ? "slip" : "stick";
    if (show.points) marks.dot(at, size, tint ?? rgb(MODE_COLOURS[mode]));
    if (show.cones) {
      const bound = s.friction[i] * s.load[i] * scale;
      const style = marks.style("clear", { edge: 1, bright: true });
      marks.batches.add("bound", disc, style, at, IDENTITY, [bound, bound, 1], [...rgb(MODE_COLOURS[mode]), 0.1]);
    }
    if (show.forces) marks.arrow(at, times(force, scale), tint ?? rgb(FORCE_COLOUR));
  }
}

/// A certificate: squeezing forces as a loop through the bodies that they press together, free motions as arrows.
export function certificateMarks(marks, run, frame, certificate, size) {
  const centre = (body) => run.bodyPose(body, frame).p;
  const forces = certificate.forces ?? [];
  const most = Math.max(...forces.map((f) => norm(f.force)), 1e-300);
  const jam = rgb(JAM_COLOUR);
  for (const { point, force, bodies } of forces) {
    const width = 0.6 + (1.2 * norm(force)) / most;
    const at = add(point, run.shift);
    const long = times(force, (8 * size) / most);
    for (const body of bodies) if (run.bodies[body].slot !== undefined) marks.line(centre(body), at, jam, width);
    // The force on B leaves the point into B, its reaction leaves into A.
    marks.arrow(at, long, jam, width);
    marks.arrow(at, times(long, -1), jam, width);
  }
  closeLoop(marks, certificate.held ?? [], centre, jam);
  for (const motion of certificate.motions ?? []) freeMotion(marks, centre(motion.body), motion, size);
}

/// What holds bodies (drives, the ground) closes the loop: dashed.
function closeLoop(marks, held, centre, colour) {
  for (let k = 1; k < held.length; k++) marks.dashes(centre(held[k - 1]), centre(held[k]), colour, 0.6);
}

function freeMotion(marks, at, { linear, angular }, size) {
  const colour = rgb(FREE_COLOUR);
  if (norm(linear) > 0) marks.arrow(at, times(unit(linear), 14 * size), colour, 1.3);
  if (angular && norm(angular) > 0) {
    const sign = marks.planar ? Math.sign(angular[2]) : 1;
    marks.twist(at, marks.planar ? [0, 0, 1] : angular, 10 * size, sign * 4.5, colour);
  }
}
