// Puts the page together and draws it when something has changed.

import { allColumns } from "./columns.js";
import { Controls } from "./controls.js";
import { readPage } from "./data.js";
import { Live } from "./live.js";
import { short } from "./math.js";
import { button, choice, element, tick } from "./page.js";
import { MARGIN, Plot } from "./plot.js";
import { listenToPointer } from "./pointer.js";
import { FORCE_COLOUR, JAM_COLOUR } from "./contacts.js";
import { Surface } from "./surface.js";
import { Timeline } from "./timeline.js";
import { View } from "./view.js";

const at = (id) => document.getElementById(id);
const NO_GL = "This browser has no WebGL2: bodies are drawn as outlines, slower and without hiding one another.";
const MOST_PLOTS = 4;

function say(text) {
  at("message").textContent = text;
  at("message").hidden = text === "";
}

class App {
  constructor(page) {
    this.page = page;
    this.canvas = at("scene");
    this.timeline = new Timeline(page.runs);
    this.surface = new Surface(this.canvas, { lines: location.hash === "#lines", smooth: location.hash === "#smooth" });
    if (this.surface.drawsLines) say(NO_GL);
    this.view = new View(page, this.timeline, this.surface);
    this.columns = allColumns(page.runs);
    this.plots = [];
    this.costs = [];
    this.dirty = true;
    this.title();
    this.controls = new Controls(this);
    this.timeline.listeners.push(() => this.changed());
    this.listen();
    this.addPlot(this.columns[0]);
    requestAnimationFrame((now) => this.tick(now));
  }

  title() {
    const { header, runs } = this.page;
    at("title").textContent = header.title;
    const count = header.of > runs.length ? `${runs.length} of ${header.of}` : `${runs.length}`;
    at("about").textContent = runs.length === 1 ? `${runs[0].name} · ${runs[0].status}` : `${count} runs`;
  }

  /// Takes over what the runs of this page have recorded since. A picture of the last state stays one.
  renew({ header, runs }) {
    const same = (run, k) => this.page.runs[k]?.bodies.length === run.bodies.length;
    if (runs.length !== this.page.runs.length || !runs.every(same)) return location.reload();
    const last = !this.timeline.playing && this.timeline.time >= this.timeline.end;
    runs.forEach((run, k) => Object.assign(this.page.runs[k], run));
    this.page.header = header;
    this.timeline.measure();
    this.columns = allColumns(this.page.runs);
    for (const plot of this.plots) plot.show(this.columns.find((c) => c.name === plot.column.name) ?? plot.column);
    this.stripped = null;
    this.title();
    this.view.renew();
    this.timeline.seek(last ? this.timeline.end : this.timeline.time);
  }

  listen() {
    const redraw = () => this.changed();
    listenToPointer(this.canvas, this.view, redraw, (body) => this.controls.act("follow", body));
    new ResizeObserver(redraw).observe(this.canvas);
    at("slider").addEventListener("input", (event) => {
      const { start, end } = this.timeline;
      this.timeline.playing = false;
      this.timeline.seek(start + Number(event.target.value) * (end - start));
    });
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      say("The graphics processor was taken away: reload the page to see the scene again.");
    });
  }

  changed() {
    this.dirty = true;
  }

  /// Called by the browser before every picture.
  tick(now) {
    // After a pause of the page time does not jump.
    const elapsed = Math.min(0.1, (now - (this.last ?? now)) / 1000);
    this.last = now;
    this.timeline.advance(elapsed);
    if (this.dirty) this.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  draw() {
    this.dirty = false;
    const begin = performance.now();
    this.view.draw();
    this.captions();
    this.slider();
    for (const plot of this.plots) plot.draw(this.surface.density());
    this.controls.tell();
    this.scaleLegend();
    this.cost(performance.now() - begin);
  }

  /// Scales follow the zoom: the legend is made anew only then.
  scaleLegend() {
    const scale = this.view.pixelsPerMetre();
    if (scale === this.legendScale) return;
    this.legendScale = scale;
    this.controls.update();
  }

  /// Says how long drawing took lately: the median of the last pictures.
  cost(milliseconds) {
    this.costs.push(milliseconds);
    if (this.costs.length > 60) this.costs.shift();
    const sorted = [...this.costs].sort((a, b) => a - b);
    at("pace").textContent = `${short(sorted[sorted.length >> 1], 2)} ms a picture`;
  }

  /// Names over the pictures, where there are several.
  captions() {
    const { view, surface } = this;
    if (view.options.compare !== "split" && at("captions").childElementCount === 0) return;
    const [width, height] = surface.size();
    const density = surface.density();
    const cells = view.options.compare === "split" ? view.cells(width, height) : [];
    const captions = cells.map(({ rect: [x, y, , h], runs: [k] }) => {
      const run = view.runs[k];
      const ended = this.timeline.time > run.time[run.frames - 1] + 1e-9;
      const style = { left: `${x / density}px`, top: `${(height - y - h) / density}px` };
      return element("div", { className: "cell", style, textContent: `${run.name}${ended ? " · ended" : ""}` });
    });
    at("captions").replaceChildren(...captions);
  }

  slider() {
    const { start, end, time } = this.timeline;
    const slider = at("slider");
    slider.value = (time - start) / Math.max(end - start, 1e-300);
    slider.setAttribute("aria-valuetext", `${short(time, 6)} s`);
    // The thumb's middle stands over the time in the plots.
    const width = at("slide").clientWidth - MARGIN.left - MARGIN.right;
    Object.assign(slider.style, { left: `${MARGIN.left - 8}px`, width: `${Math.max(50, width + 16)}px` });
    this.strip(width);
  }

  /// Marks of events and certificates under the slider.
  strip(width) {
    const strip = at("strip");
    const density = this.surface.density();
    if (this.stripped === `${width} ${density}`) return;
    this.stripped = `${width} ${density}`;
    const { start, end } = this.timeline;
    strip.width = Math.round(strip.clientWidth * density);
    strip.height = Math.round(8 * density);
    const pen = strip.getContext("2d");
    pen.scale(density, density);
    const mark = (time, colour) => {
      pen.fillStyle = colour;
      pen.fillRect(MARGIN.left + ((time - start) / Math.max(end - start, 1e-300)) * width - 1, 0, 2, 8);
    };
    for (const run of this.page.runs) {
      for (const event of run.events) mark(event.time, event.kind === "failure" ? FORCE_COLOUR : "#777777");
      for (const certificate of run.certificates) mark(certificate.time, JAM_COLOUR);
    }
  }

  addPlot(column) {
    if (!column || this.plots.length >= MOST_PLOTS) return;
    const canvas = element("canvas", { role: "img", "aria-label": `plot of ${column.label}` });
    const plot = new Plot(canvas, this.timeline, this.page.runs);
    plot.show(column);
    const box = element("div", { className: "plot" }, canvas, this.plotChoice(plot, () => box));
    this.seekIn(canvas, plot);
    this.plots.push(plot);
    at("plots").append(box);
    this.changed();
  }

  plotChoice(plot, box) {
    const groups = new Map();
    for (const column of this.columns) {
      groups.set(column.group, [...(groups.get(column.group) ?? []), [column.name, column.label]]);
    }
    const log = tick("log", plot.log, (on) => { plot.setLog(on); this.changed(); });
    const select = choice("plotted column", [...groups], plot.column.name, (name) => {
      plot.show(this.columns.find((column) => column.name === name));
      log.querySelector("input").checked = plot.log;
      this.changed();
    });
    const remove = () => { this.plots.splice(this.plots.indexOf(plot), 1); box().remove(); this.changed(); };
    const more = button("+", "another plot", () => this.addPlot(this.columns[this.plots.length % this.columns.length]));
    return element("div", { className: "choice" }, select, log, more, button("×", "remove this plot", remove));
  }

  seekIn(canvas, plot) {
    const seek = (event) => {
      if (event.buttons === 0) return;
      this.timeline.playing = false;
      this.timeline.seek(plot.timeAt(event.offsetX));
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener("pointermove", seek);
  }

  /// What tests and other pages may ask.
  hook() {
    const { view, timeline, surface } = this;
    return {
      project: (body, frame, run = view.active) => view.project(body, frame, run),
      state: () => ({ ...this.state(), ...structuredClone(view.options) }),
      bodies: (run = 0) => view.runs[run].bodies.map((body) => body.name),
      frames: (run = 0) => view.runs[run].frames,
      seek: (time) => { timeline.playing = false; timeline.seek(time); this.draw(); },
      seekFrame: (frame, run = view.active) => { timeline.playing = false; timeline.seekFrame(run, frame); this.draw(); },
      act: (name, ...values) => { this.controls.act(name, ...values); this.draw(); },
      set: (name, value) => { view.options[name] = value; this.controls.update(); this.draw(); },
      plot: (name) => { this.addPlot(this.columns.find((column) => column.name === name)); this.draw(); },
      plotPlace: (plot, run, frame) => this.plotPlace(plot, run, frame),
      columns: () => this.columns.map(({ name }) => name),
      measure: (count) => this.measure(count),
    };
  }

  state() {
    const { view, timeline } = this;
    return {
      time: timeline.time,
      frames: view.runs.map((_, k) => timeline.frame(k)),
      playing: timeline.playing,
      speed: timeline.speed,
      lines: this.surface.drawsLines,
      active: view.active,
      follow: view.follow,
      pixelsPerMetre: view.pixelsPerMetre(),
      metresPerNewton: view.forceScale,
    };
  }

  /// Where a plot has its number of a run and frame, px of the page.
  plotPlace(index, run, frame) {
    const plot = this.plots[index];
    const { time, value } = plot.series[run];
    const { left, top } = plot.canvas.getBoundingClientRect();
    return [left + plot.x(time[frame]), top + plot.y(value[frame])];
  }

  /// Times of pictures that are waited for, ms: the scene alone and the whole page.
  measure(count) {
    const time = (draw) => Array.from({ length: count }, (_, k) => {
      this.timeline.seekFrame(this.view.active, Math.floor((k * this.view.runs[this.view.active].frames) / count));
      const begin = performance.now();
      draw();
      this.surface.finish();
      return performance.now() - begin;
    });
    return { scene: time(() => this.view.draw()), page: time(() => this.draw()) };
  }
}

readPage(document)
  .then((page) => {
    const app = new App(page);
    if (page.header.live) {
      app.timeline.seek(app.timeline.end);
      new Live((fresh) => app.renew(fresh), say);
    }
    app.draw();
    window.vinciView = app.hook();
  })
  .catch((error) => {
    say(`The data of this page cannot be shown: ${error.message}`);
    console.error(error);
  });
