// What is in the picture: runs one by one, as ghosts or side by side, with their marks.

import { Camera } from "./camera.js";
import { Marks, certificateMarks, contactMarks, frameMarks, lineMarks, supportMarks } from "./contacts.js";
import { Batches } from "./gl.js";
import { norm, sub, unit, add, times } from "./math.js";
import { RunScene, ghostColour } from "./scene.js";

/// Sizes of marks, px.
const LINE = 1.1;
const DOT = 4;
/// Lines between bodies.
const LINK = [0.45, 0.45, 0.5];
/// The usual largest force of a frame is drawn as long as this part of the scene's radius.
const USUAL_FORCE = 0.3;

export class View {
  constructor(page, timeline, surface) {
    Object.assign(this, { runs: page.runs, timeline, surface });
    this.planar = page.header.space === "planar";
    this.scenes = page.runs.map((run) => new RunScene(run));
    this.batches = new Batches();
    this.camera = new Camera(this.planar);
    this.active = 0;
    this.follow = -1;
    this.options = {
      compare: page.runs.length > 1 ? "ghosts" : "single",
      bodies: "solid",
      colourBy: "mode",
      show: { points: true, open: false, normals: false, forces: true, cones: false, frames: false, certificates: true },
    };
    this.deepest = Math.max(...this.runs.map(deepestOf));
    this.automatic = this.usualScale();
    this.factor = 1;
    this.home();
  }

  /// The runs have more frames than before.
  renew() {
    this.deepest = Math.max(...this.runs.map(deepestOf));
    for (const scene of this.scenes) scene.measure();
    this.automatic = this.usualScale();
    if (!this.moved) this.home();
  }

  /// m per N.
  get forceScale() {
    return this.automatic * this.factor;
  }

  usualScale() {
    const forces = this.runs.flatMap((run) => [...largestForces(run)]).filter((f) => f > 0);
    forces.sort((a, b) => a - b);
    const usual = forces.length > 0 ? forces[Math.floor(0.5 * (forces.length - 1))] : 1;
    return (USUAL_FORCE * this.scenes[0].bounds.radius) / usual;
  }

  /// Shows the whole motion from the first point of view, in a picture of any shape until the camera is moved.
  home() {
    this.moved = false;
    this.camera.reset();
    this.shape = this.aspect();
    this.camera.extent = Math.max(...this.scenes.map((s) => s.bounds.radius));
    this.camera.fit(this.scenes.flatMap((scene) => scene.whole), this.aspect());
    this.setFollow(-1);
  }

  /// Shows what is in the frame.
  fit() {
    this.moved = true;
    const scene = this.scenes[this.active];
    this.camera.fit(scene.ballsOver([this.timeline.frame(this.active)]), this.aspect());
  }

  setFollow(body) {
    this.moved ||= body >= 0;
    this.follow = body;
    this.followed = this.followedAt();
  }

  followedAt() {
    const run = this.runs[this.active];
    return this.follow < 0 ? null : run.bodyPose(this.follow, this.timeline.frame(this.active)).p;
  }

  /// Moves the camera with the body that it follows.
  track() {
    const now = this.followedAt();
    if (now && this.followed) this.camera.target = add(this.camera.target, sub(now, this.followed));
    this.followed = now;
  }

  /// Rectangles of the picture, px of the canvas from the lower left corner, with the runs in each.
  cells(width, height) {
    const count = this.options.compare === "split" ? this.runs.length : 1;
    if (count === 1) return [{ rect: [0, 0, width, height], runs: this.shown() }];
    const columns = width > height ? Math.ceil(Math.sqrt(count)) : Math.ceil(count / Math.ceil(Math.sqrt(count)));
    const rows = Math.ceil(count / columns);
    const [w, h] = [Math.floor(width / columns), Math.floor(height / rows)];
    return this.runs.map((_, k) => {
      const [column, row] = [k % columns, Math.floor(k / columns)];
      return { rect: [column * w, height - (row + 1) * h, w, h], runs: [k] };
    });
  }

  shown() {
    if (this.options.compare !== "ghosts") return [this.active];
    return [this.active, ...this.runs.keys()].filter((k, i) => i === 0 || k !== this.active);
  }

  aspect() {
    const [, , w, h] = this.cells(...this.surface.size())[0].rect;
    return w / h;
  }

  draw() {
    if (!this.moved && this.aspect() !== this.shape) this.home();
    this.track();
    const [width, height] = this.surface.size();
    const density = this.surface.density();
    this.surface.begin();
    for (const { rect, runs } of this.cells(width, height)) {
      const aspect = rect[2] / rect[3];
      this.fill(runs, rect[3] / density);
      const { back, up, right } = this.camera.axes();
      const light = unit(add(add(times(up, 0.6), times(right, -0.35)), back));
      const view = { matrix: this.camera.matrix(aspect), towards: this.camera.towards(), light };
      this.surface.draw(this.batches, { ...view, rect, flat: this.planar, density });
    }
  }

  /// Fills the batches with runs; the first is solid, the others are ghosts. In the plane what comes later lies in front.
  fill(runs, height) {
    this.batches.clear();
    const pixel = (2 * this.camera.halfHeight) / height;
    const marks = new Marks(this.batches, this.planar, LINE * pixel);
    const several = runs.length > 1;
    for (const index of [...runs.slice(1), runs[0]]) {
      const [frame, ghost] = [this.timeline.frame(index), index !== runs[0]];
      this.scenes[index].fill(this.batches, frame, this.look(index, ghost, several));
      this.mark(marks, index, frame, DOT * pixel, several ? ghostColour(this.runs[index]) : null, ghost);
    }
  }

  look(index, ghost, several) {
    const colour = several ? ghostColour(this.runs[index]) : null;
    const solid = this.options.bodies === "solid" && !ghost;
    const alpha = this.options.bodies === "lines" ? 0.04 : solid ? 1 : 0.35;
    // In the plane ghosts lie behind the run in front, and what rests behind both.
    const layer = solid && !(this.planar && several) ? "solid" : "clear";
    return { name: ghost ? `ghost ${index}` : "body", layer, alpha, edge: 1.4, colour, resting: !ghost };
  }

  mark(marks, index, frame, size, colour, ghost) {
    const run = this.runs[index];
    const { show, colourBy } = this.options;
    const side = (bodies) => this.side(run, bodies);
    const tint = ghost ? colour : null;
    const settings = { show, scale: this.forceScale, size, deepest: this.deepest, colourBy, tint, side };
    if (show.frames) frameMarks(marks, run, frame, size);
    lineMarks(marks, run, frame, colour ?? LINK);
    contactMarks(marks, run.contactsAt(frame), settings);
    supportMarks(marks, run, frame, settings);
    if (!show.certificates) return;
    for (const certificate of this.certificatesAt(index, frame)) certificateMarks(marks, run, frame, certificate, size);
  }

  /// Whose force is drawn: that on the followed body, else on the one that is freer (a body by itself, a link, one that is held),
  /// else on the second.
  side(run, [a, b]) {
    if (a === this.follow) return -1;
    const freedom = (body) => {
      const { slot, held, link } = run.bodies[body];
      return slot === undefined || held ? 0 : link ? 1 : 2;
    };
    return freedom(a) > freedom(b) && b !== this.follow ? -1 : 1;
  }

  certificatesAt(index, frame) {
    const run = this.runs[index];
    return run.certificates.filter((c) => run.frameAt(c.time) === frame);
  }

  /// Where a body's origin is in the picture, px of the page from the upper left corner of the canvas.
  project(body, frame, index = this.active) {
    const density = this.surface.density();
    const [width, height] = this.surface.size();
    const cell = this.cells(width, height).find(({ runs }) => runs.includes(index));
    if (!cell) return null;
    const [x, y, w, h] = cell.rect;
    const at = this.camera.project(this.runs[index].bodyPose(body, frame).p, [w, h]);
    return at && [(at[0] + x) / density, (at[1] + height - y - h) / density];
  }

  /// Px of the page per m at the point about which the camera turns.
  pixelsPerMetre() {
    const [width, height] = this.surface.size();
    return this.cells(width, height)[0].rect[3] / this.surface.density() / (2 * this.camera.halfHeight);
  }

  /// The body under a place of the canvas, px of the page; −1: none.
  pick(x, y) {
    const density = this.surface.density();
    const [width, height] = this.surface.size();
    const [px, py] = [x * density, height - y * density];
    const holds = ({ rect: [l, b, w, h] }) => px >= l && px < l + w && py >= b && py < b + h;
    const cell = this.cells(width, height).find(holds);
    if (!cell) return -1;
    const [l, b, w, h] = cell.rect;
    const index = cell.runs[0];
    return this.scenes[index].pick(this.camera, [(px - l) / w, 1 - (py - b) / h], w / h, this.timeline.frame(index));
  }
}

function deepestOf(run) {
  return (run.contacts?.gap ?? []).reduce((most, gap) => Math.max(most, -gap), 0);
}

/// The largest force of every frame, N.
function* largestForces(run) {
  const every = Math.max(1, Math.floor(run.frames / 500));
  for (let frame = 0; frame < run.frames; frame += every) {
    let most = run.contactsAt(frame).reduce((sum, c) => Math.max(sum, norm(c.force)), 0);
    const s = run.supports;
    const points = s ? s.body.length : 0;
    for (let k = frame * points; k < (frame + 1) * points; k++) {
      const force = Math.hypot(s.force[2 * k], s.force[2 * k + 1]);
      if (force > most) most = force;
    }
    yield most;
  }
}
