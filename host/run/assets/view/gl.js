// Draws batches of instances with WebGL2.

import { EDGES, FACES } from "./shaders.js";

/// Numbers of an instance: position 3, turn 4, scale 3, colour 4.
const INSTANCE_FLOATS = 14;
const FLOAT = 4;

/// From behind to the front.
const LAYERS = ["solid", "clear", "mark"];

/// What is drawn in one picture: instances by mesh and style, layer by layer in the order in which they were asked for.
export class Batches {
  constructor() {
    this.map = new Map();
  }

  clear() {
    for (const batch of this.map.values()) batch.count = 0;
  }

  /// `style`: `layer` ("solid", "clear" or "mark"), `pattern`, `grid` (m), `edge` (px), `cull`.
  add(key, build, style, position, turn, scale, colour) {
    const batch = this.map.get(key) ?? { build, count: 0, data: new Float32Array(8 * INSTANCE_FLOATS) };
    if (batch.count === 0) {
      // The order is that of this picture, not of the first one.
      this.map.delete(key);
      this.map.set(key, batch);
    }
    batch.style = style;
    const at = batch.count * INSTANCE_FLOATS;
    if (at === batch.data.length) {
      const larger = new Float32Array(2 * at);
      larger.set(batch.data);
      batch.data = larger;
    }
    batch.data.set(position, at);
    batch.data.set(turn, at + 3);
    batch.data.set(scale, at + 7);
    batch.data.set(colour, at + 10);
    batch.count++;
  }

  drawn() {
    const drawn = [...this.map.values()].filter((batch) => batch.count > 0);
    return LAYERS.flatMap((layer) => drawn.filter((batch) => batch.style.layer === layer));
  }
}

function compile(gl, { vertex, fragment }) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const places = {};
  for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(program, k);
    places[name] = gl.getUniformLocation(program, name);
  }
  return { program, places };
}

/// Whether the processor does the work of a graphics processor: smooth edges then take three times as long.
function inSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const known = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/// The renderer of a canvas, or null where there is no WebGL2. `smooth`: smooth edges at any price.
export function createRenderer(canvas, smooth) {
  const gl = canvas.getContext("webgl2", { antialias: smooth || !inSoftware(), alpha: false });
  return gl ? new Renderer(gl) : null;
}

class Renderer {
  constructor(gl) {
    this.gl = gl;
    this.faces = compile(gl, FACES);
    this.edges = compile(gl, EDGES);
    this.instances = gl.createBuffer();
    this.meshes = new Map();
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.BLEND);
  }

  /// Empties the canvas.
  begin() {
    const gl = this.gl;
    gl.disable(gl.SCISSOR_TEST);
    gl.depthMask(true);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  /// Draws batches into a rectangle of the canvas, px from the lower left corner.
  draw(batches, { matrix, towards, rect, flat, light, density }) {
    const gl = this.gl;
    gl.viewport(...rect);
    gl.scissor(...rect);
    gl.enable(gl.SCISSOR_TEST);
    this.frame = { matrix, towards, flat, light, density, size: [rect[2] / 2, rect[3] / 2] };
    const drawn = batches.drawn();
    for (const layer of LAYERS) {
      const part = drawn.filter((batch) => batch.style.layer === layer);
      if (layer === "mark" && !flat) this.pass(part, { depth: gl.GREATER, write: false, fade: 0.22 });
      this.pass(part, { depth: gl.LEQUAL, write: layer !== "clear", fade: 1 });
    }
  }

  pass(part, { depth, write, fade }) {
    const gl = this.gl;
    if (this.frame.flat) gl.disable(gl.DEPTH_TEST);
    else gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(depth);
    gl.depthMask(write);
    this.frame.fade = fade;
    for (const batch of part) this.drawFaces(batch);
    for (const batch of part) if (batch.style.edge) this.drawEdges(batch);
  }

  use({ program, places }) {
    const gl = this.gl;
    gl.useProgram(program);
    gl.uniformMatrix4fv(places.uView, false, this.frame.matrix);
    gl.uniform1f(places.uFade, this.frame.fade);
  }

  drawFaces(batch) {
    const gl = this.gl;
    const mesh = this.mesh(batch.build);
    if (mesh.triangles === 0) return;
    this.use(this.faces);
    const { places } = this.faces;
    gl.uniform3fv(places.uLight, this.frame.light);
    gl.uniform1f(places.uFlat, this.frame.flat || batch.style.flat ? 1 : 0);
    gl.uniform1f(places.uPattern, batch.style.pattern ? 1 : 0);
    gl.uniform1f(places.uGrid, batch.style.grid ?? 0);
    if (batch.style.cull && !this.frame.flat) gl.enable(gl.CULL_FACE);
    else gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(mesh.faces);
    this.bindInstances(batch);
    gl.drawElementsInstanced(gl.TRIANGLES, mesh.triangles, gl.UNSIGNED_INT, 0, batch.count);
  }

  drawEdges(batch) {
    const gl = this.gl;
    const mesh = this.mesh(batch.build);
    if (mesh.lines === 0) return;
    this.use(this.edges);
    const { places } = this.edges;
    gl.uniform4fv(places.uTowards, this.frame.towards);
    gl.uniform2fv(places.uHalfSize, this.frame.size);
    gl.uniform1f(places.uWidth, batch.style.edge * this.frame.density);
    gl.uniform1f(places.uDarken, batch.style.bright ? 1 : 0.6);
    gl.disable(gl.CULL_FACE);
    gl.bindVertexArray(mesh.outline);
    this.bindInstances(batch);
    gl.drawElementsInstanced(gl.TRIANGLES, mesh.lines, gl.UNSIGNED_INT, 0, batch.count);
  }

  bindInstances(batch) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, batch.data.subarray(0, batch.count * INSTANCE_FLOATS), gl.STREAM_DRAW);
    [[2, 3, 0], [3, 4, 3], [4, 3, 7], [5, 4, 10]].forEach(([place, count, offset]) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, INSTANCE_FLOATS * FLOAT, offset * FLOAT);
      gl.vertexAttribDivisor(place, 1);
    });
  }

  /// The mesh on the graphics processor; made when it is first drawn.
  mesh(build) {
    let mesh = this.meshes.get(build);
    if (!mesh) this.meshes.set(build, (mesh = this.upload(build())));
    return mesh;
  }

  upload({ positions, normals, triangles, edges }) {
    const faces = this.vertexArray([[0, 3, positions], [1, 3, normals]], triangles);
    const lines = thickLines(positions, edges);
    const outline = this.vertexArray([[0, 3, lines.here], [1, 3, lines.there], [6, 1, lines.side]], lines.triangles);
    return { faces, outline, triangles: triangles.length, lines: lines.triangles.length };
  }

  vertexArray(attributes, indices) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [place, count, values] of attributes) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return array;
  }
}

/// Every line as four corners: its ends, each moved to both sides.
function thickLines(positions, edges) {
  const lines = { here: [], there: [], side: [], triangles: [] };
  const point = (k) => [positions[3 * k], positions[3 * k + 1], positions[3 * k + 2]];
  for (let e = 0; e < edges.length; e += 2) {
    const [a, b] = [point(edges[e]), point(edges[e + 1])];
    const first = 2 * e;
    // Seen from the other end, left is right.
    for (const [here, there, side] of [[a, b, 1], [a, b, -1], [b, a, -1], [b, a, 1]]) {
      lines.here.push(...here);
      lines.there.push(...there);
      lines.side.push(side);
    }
    lines.triangles.push(first, first + 1, first + 2, first + 2, first + 1, first + 3);
  }
  return lines;
}
