// The bodies of a run as instances: what is drawn where in a frame.

import { planarMesh } from "./flat.js";
import { cross, dot, placed, poseOf, roundUp, sub, times, turn, norm, normalTo } from "./math.js";
import { cutPolygon, plate, spatialMesh } from "./mesh.js";

/// Colours of bodies and lines, in this order; those of the report.
export const COLOURS = ["#1b6ca8", "#c8553d", "#3f8f4f", "#8a5fb0", "#b58a1b", "#2f8f8f", "#a8385d", "#555555"];
const RESTING = [0.8, 0.8, 0.8];
const WALL = [0.93, 0.93, 0.92];

export function rgb(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
}

/// Colour of a run's lines, as in the figures of a comparison.
export const lineColour = (run) => COLOURS[run.colour % COLOURS.length];

/// Colour of a run as a ghost and in the legend: lighter where others of its model are drawn too.
export function ghostColour(run) {
  const part = Math.min(0.6, 0.3 * run.light);
  return rgb(lineColour(run)).map((c) => c + (1 - c) * part);
}

/// A ball around a bounded shape: centre in the frame of the body and radius.
function shapeBall(shape, planar) {
  const p = shape.params;
  const pose = poseOf(shape.pose, 0, planar);
  const size = { polygon: 2, segment: 2, "convex-hull": 3, "tri-mesh": 3 }[shape.kind];
  if (size) {
    const { centre, radius } = ballAround(points(p, size).map((point) => [point, 0]));
    return [placed(pose, { p: centre, q: [1, 0, 0, 0] }).p, radius];
  }
  const sum = shape.kind === "capsule" || shape.kind === "planar-capsule";
  const axes = { superellipse: 2, superellipsoid: 3 }[shape.kind] ?? p.length;
  return [pose.p, sum ? p[0] + p[1] : Math.hypot(...p.slice(0, axes))];
}

function points(list, dimension) {
  return Array.from({ length: list.length / dimension }, (_, k) =>
    [0, 1, 2].map((i) => (i < dimension ? list[dimension * k + i] : 0)));
}

/// A point of the plane or of space as three numbers.
const spatial = (point) => [point[0], point[1], point[2] ?? 0];

const unbounded = (shape) => shape.kind === "half-plane" || shape.kind === "half-space";

/// A ball around all balls [centre, radius]: about the middle of the box around them.
function ballAround(balls) {
  const centre = [0, 1, 2].map((k) => {
    const low = balls.reduce((least, [c, r]) => Math.min(least, c[k] - r), Infinity);
    const high = balls.reduce((most, [c, r]) => Math.max(most, c[k] + r), -Infinity);
    return (low + high) / 2;
  });
  const radius = balls.reduce((most, [c, r]) => Math.max(most, norm(sub(c, centre)) + r), 0);
  return { centre, radius };
}

export class RunScene {
  constructor(run) {
    this.run = run;
    this.balls = run.shapes.flatMap((shape) => (unbounded(shape) ? [] : [[shape.body, ...shapeBall(shape, run.planar)]]));
    this.reach = run.bodies.map(() => 0);
    for (const [body, centre, radius] of this.balls) this.reach[body] = Math.max(this.reach[body], norm(centre) + radius);
    this.ends = run.lines.flatMap(({ bodies, points }) => bodies.map((body, k) => [body, spatial(points[k]), 0]));
    this.measure();
    let moving = 0;
    this.colours = run.bodies.map((body) => (body.slot === undefined ? RESTING : rgb(COLOURS[moving++ % COLOURS.length])));
    this.parts = run.shapes.map((shape) => this.part(shape));
  }

  /// What the whole motion sweeps, from some of its frames.
  measure() {
    const last = this.run.frames - 1;
    this.whole = this.ballsOver(Array.from({ length: 25 }, (_, k) => Math.round((k * last) / 24)));
    this.bounds = ballAround(this.whole);
  }

  /// Balls [centre, radius] around all bounded bodies and ends of lines in some frames.
  ballsOver(frames) {
    const { run } = this;
    const ends = this.ends.filter(([body]) => body !== null);
    const balls = [...this.balls, ...ends].flatMap(([body, centre, radius]) =>
      frames.map((frame) => [placed(run.bodyPose(body, frame), { p: centre, q: [1, 0, 0, 0] }).p, radius]));
    return balls.length > 0 ? balls : [[[0, 0, 0], 1]];
  }

  part(shape) {
    const { run } = this;
    const pose = poseOf(shape.pose, 0, run.planar);
    const mesh = run.planar ? planarMesh(shape, this.bounds.radius) : spatialMesh(shape);
    if (!mesh) return { shape, ...this.wall(shape) };
    // An endless line is drawn around the scene, wherever its origin is.
    if (shape.kind === "half-plane") pose.p = this.nearest(shape.body, pose);
    return { shape, pose, ...mesh };
  }

  nearest(body, pose) {
    const frame = placed(this.run.bodyPose(body, 0), pose);
    const along = turn(frame.q, [1, 0, 0]);
    const shift = dot(sub(this.bounds.centre, frame.p), along);
    return placed(pose, { p: [shift, 0, 0], q: [1, 0, 0, 0] }).p;
  }

  /// Plane of a half-space in the world: unit normal and offset.
  plane(shape) {
    const frame = placed(this.run.bodyPose(shape.body, 0), poseOf(shape.pose, 0, false));
    const normal = turn(frame.q, [0, 0, 1]);
    return { normal, offset: dot(normal, frame.p) };
  }

  /// A half-space as the part of its plane near the scene that other half-spaces leave free.
  wall(shape) {
    const { normal, offset } = this.plane(shape);
    const { centre, radius } = this.bounds;
    const middle = sub(centre, times(normal, dot(normal, centre) - offset));
    const [u, size] = [normalTo(normal), 1.6 * radius];
    const v = cross(normal, u);
    const corner = ([a, b]) => middle.map((x, k) => x + size * (a * u[k] + b * v[k]));
    let points = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(corner);
    for (const other of this.run.shapes) {
      if (other === shape || other.kind !== "half-space") continue;
      const limit = this.plane(other);
      points = cutPolygon(points, limit.normal, limit.offset);
    }
    const build = () => (points.length > 2 ? plate(points, normal) : plate([], normal));
    return { key: `wall ${this.run.shapes.indexOf(shape)}`, build, scale: [1, 1, 1], wall: true };
  }

  /// Distance of the lines on floors and walls, m.
  gridStep() {
    return roundUp(this.bounds.radius / 6);
  }

  /// Adds all bodies of a frame. `look`: `name` of the look, `layer`, `alpha`, `edge`, `colour` instead of the bodies' own,
  /// `walls`: whether half-spaces are drawn too.
  fill(batches, frame, look) {
    const { run } = this;
    this.parts.forEach((part) => {
      const resting = run.bodies[part.shape.body].slot === undefined;
      if (resting && !look.resting) return;
      const own = part.wall ? WALL : resting ? RESTING : (look.colour ?? this.colours[part.shape.body]);
      const colour = [...own, this.alpha(look, resting)];
      const style = this.style(part, look, resting);
      const key = `${part.key}|${look.name}|${resting}`;
      // Walls are built in place.
      const pose = part.wall ? { p: [0, 0, 0], q: [1, 0, 0, 0] } : placed(run.bodyPose(part.shape.body, frame), part.pose);
      batches.add(key, part.build, style, pose.p, pose.q, part.scale, colour);
    });
  }

  alpha(look, resting) {
    if (!this.run.planar) return resting ? 1 : look.alpha;
    return resting ? 0.9 : Math.min(0.4, 0.55 * look.alpha);
  }

  style(part, look, resting) {
    return {
      layer: part.wall || resting ? "solid" : look.layer,
      pattern: part.round && !resting,
      grid: part.wall ? this.gridStep() : 0,
      edge: look.edge,
      cull: part.wall || look.layer === "clear",
    };
  }

  /// The body under a line of sight, or −1.
  pick(camera, place, aspect, frame) {
    let best = { body: -1, depth: Infinity };
    this.run.bodies.forEach((body, b) => {
      if (body.slot === undefined || this.reach[b] === 0) return;
      const { off, depth } = camera.offSight(this.run.bodyPose(b, frame).p, place, aspect);
      if (off < this.reach[b] && depth < best.depth) best = { body: b, depth };
    });
    return best.body;
  }
}
