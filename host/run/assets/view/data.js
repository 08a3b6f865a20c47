// Reads the data block of the page. FORMAT.md says what every number means.

import { add, lastAt, poseOf, sub, unit } from "./math.js";

const VIEWS = {
  f32: Float32Array,
  f64: Float64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
};
const CONTACT_ARRAYS = ["start", "point", "normal", "force", "gap", "pair", "mode"];
const SUPPORT_ARRAYS = ["body", "point", "load", "friction", "force", "slip"];
const MODES = ["open", "stick", "slip"];
/// Colours of runs: COLOURS of scene.js.
const COLOUR_COUNT = 8;

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Header and runs of the page.
export async function readPage(document) {
  const header = JSON.parse(document.getElementById("vinci-header").textContent);
  if (header.format !== "vinci/view@1") throw new Error(`this page reads vinci/view@1, the data are ${header.format}`);
  let bytes = fromBase64(document.getElementById("vinci-data").textContent.trim());
  if (header.encoding === "gzip") bytes = await inflate(bytes);
  if (bytes.length !== header.bytes) throw new Error(`the data have ${bytes.length} bytes instead of ${header.bytes}`);
  return { header, runs: header.runs.map((run, index) => new Run(run, bytes.buffer, header, index)) };
}

/// A list in the header, or a reference to an array of the data block.
function numbers(source, buffer) {
  if (!source) return [];
  if (Array.isArray(source)) return source;
  const View = VIEWS[source.type];
  if (!View || source.at % View.BYTES_PER_ELEMENT !== 0) throw new Error(`not an array: ${JSON.stringify(source)}`);
  return new View(buffer, source.at, source.count);
}

/// Replaces the references of an object by arrays; `keys` without one stay undefined.
function resolved(object, keys, buffer) {
  const out = { ...object };
  for (const key of keys) if (object[key] !== undefined) out[key] = numbers(object[key], buffer);
  return out;
}

/// One run: poses, contacts, supports, columns.
export class Run {
  constructor(raw, buffer, header, index) {
    Object.assign(this, { name: raw.name, status: raw.status, notes: raw.notes ?? [], index });
    // Runs of one model that differ in their step share its colour: dashes tell them apart, and lighter ghosts.
    // After the last colour the first comes again, with other dashes and lighter.
    const colour = raw.colour ?? index;
    const round = Math.floor(colour / COLOUR_COUNT);
    Object.assign(this, { colour, dash: (raw.dash ?? index) + round, light: (raw.colour === undefined ? 0 : raw.dash ?? 0) + round });
    this.planar = header.space === "planar";
    this.stride = this.planar ? 3 : 7;
    this.origin = raw.origin;
    // Runs are drawn in the place of the first one's origin.
    this.shift = sub(raw.origin, header.runs[0].origin);
    this.recorded = raw.recorded;
    this.every = raw.every ?? 1;
    this.time = numbers(raw.time, buffer);
    this.frames = this.time.length;
    this.pose = numbers(raw.pose, buffer);
    this.bodies = raw.bodies;
    this.moving = raw.bodies.filter((body) => body.slot !== undefined).length;
    this.shapes = raw.shapes.map((shape) => resolved(shape, ["params", "indices"], buffer));
    this.contacts = raw.contacts && resolved(raw.contacts, CONTACT_ARRAYS, buffer);
    this.supports = raw.supports && resolved(raw.supports, SUPPORT_ARRAYS, buffer);
    this.columns = (raw.columns ?? []).map((c) => resolved(c, ["value", "low", "high", "time"], buffer));
    this.lines = raw.lines ?? [];
    this.events = raw.events ?? [];
    this.certificates = raw.certificates ?? [];
    if (this.pose.length !== this.frames * this.moving * this.stride) {
      throw new Error(`${this.name}: poses do not match frames and bodies`);
    }
  }

  /// Index of the last frame at or before a time.
  frameAt(t) {
    return lastAt(this.time, t);
  }

  /// Where the numbers of a body's pose are: the array and the place in it.
  poseIn(body, frame) {
    const { slot, pose } = this.bodies[body];
    return slot === undefined ? [pose, 0] : [this.pose, (frame * this.moving + slot) * this.stride];
  }

  /// Pose of a body, relative to the origin of the page.
  bodyPose(body, frame) {
    const [list, at] = this.poseIn(body, frame);
    const pose = poseOf(list, at, this.planar);
    return { p: add(pose.p, this.shift), q: pose.q };
  }

  /// The contacts of a frame, those without a point left out.
  contactsAt(frame) {
    const c = this.contacts;
    if (!c || !c.point) return [];
    const out = [];
    for (let i = c.start[frame]; i < c.start[frame + 1]; i++) {
      if (!Number.isNaN(c.point[3 * i])) out.push(this.contact(i));
    }
    return out;
  }

  contact(i) {
    const c = this.contacts;
    const three = (list) => [list[3 * i], list[3 * i + 1], list[3 * i + 2]];
    const pair = c.pairs[c.pair[i]];
    return {
      point: add(three(c.point), this.shift),
      normal: unit(three(c.normal)),
      force: three(c.force),
      gap: c.gap[i],
      mode: MODES[c.mode[i]],
      bodies: pair.bodies,
      friction: pair.friction,
    };
  }
}
