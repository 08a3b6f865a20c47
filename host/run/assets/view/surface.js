// Where pictures are drawn: a canvas with WebGL2, or lines on a canvas without.

import { createRenderer } from "./gl.js";
import { add, clip, turn } from "./math.js";

/// Sharper pictures than this cost time and show nothing more.
const DENSEST = 2;

export class Surface {
  constructor(canvas, { lines, smooth }) {
    this.canvas = canvas;
    this.renderer = (lines ? null : createRenderer(canvas, smooth)) ?? new Lines(canvas);
  }

  get drawsLines() {
    return this.renderer instanceof Lines;
  }

  density() {
    return Math.min(DENSEST, globalThis.devicePixelRatio || 1);
  }

  /// Width and height, px of the canvas; follows the size on the page.
  size() {
    const { canvas } = this;
    const wanted = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * this.density())));
    if (canvas.width !== wanted[0]) canvas.width = wanted[0];
    if (canvas.height !== wanted[1]) canvas.height = wanted[1];
    return wanted;
  }

  begin() {
    this.renderer.begin();
  }

  draw(batches, view) {
    this.renderer.draw(batches, view);
  }

  /// Waits until the picture is there: reads one of its pixels.
  finish() {
    const gl = this.renderer.gl;
    if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

/// The same batches as outlines, without surfaces that hide each other.
class Lines {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.meshes = new Map();
  }

  begin() {
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.fillStyle = "#ffffff";
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  draw(batches, { matrix, rect: [left, bottom, width, height], flat, density }) {
    const { pen, canvas } = this;
    const top = canvas.height - bottom - height;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    const screen = (p) => {
      const [x, y, , w] = clip(matrix, p);
      return w > 0 ? [left + ((x / w + 1) / 2) * width, top + ((1 - y / w) / 2) * height] : null;
    };
    pen.lineWidth = 1.3 * density;
    for (const batch of batches.drawn()) {
      for (let k = 0; k < batch.count; k++) this.instance(batch, batch.data.subarray(14 * k, 14 * k + 14), screen, flat);
    }
    pen.restore();
  }

  instance({ build, style }, data, screen, flat) {
    const mesh = this.mesh(build);
    const at = (k) => {
      const local = [0, 1, 2].map((i) => mesh.positions[3 * k + i] * data[7 + i]);
      return screen(add([data[0], data[1], data[2]], turn(data.subarray(3, 7), local)));
    };
    const points = Array.from({ length: mesh.positions.length / 3 }, (_, k) => at(k));
    const colour = (alpha, dark) => `rgba(${[10, 11, 12].map((i) => Math.round(255 * dark * data[i])).join()},${alpha})`;
    if (flat) {
      this.pen.fillStyle = colour(data[13], 1);
      this.paths(points, mesh.triangles, 3);
      this.pen.fill();
    }
    const lines = flat && !style.edge ? [] : (mesh.wire ?? mesh.edges);
    this.pen.strokeStyle = colour(Math.min(1, 3 * data[13]), style.layer === "mark" ? 1 : 0.7);
    this.paths(points, lines, 2);
    this.pen.stroke();
  }

  /// One path through all triples or pairs of points that are before the eye.
  paths(points, indices, count) {
    const { pen } = this;
    pen.beginPath();
    for (let k = 0; k < indices.length; k += count) {
      const corners = Array.from(indices.slice(k, k + count), (i) => points[i]);
      if (corners.includes(null)) continue;
      corners.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
      if (count > 2) pen.closePath();
    }
  }

  mesh(build) {
    if (!this.meshes.has(build)) this.meshes.set(build, build());
    return this.meshes.get(build);
  }
}
