// A plot of one column of all runs over time: axes with round ticks, units, the legend beside, the time as a line.

import { lastAt, quantity, short, ticks } from "./math.js";
import { lineColour } from "./scene.js";

/// Room around the axes, px; left and right are those of the time slider too.
export const MARGIN = { left: 64, right: 200, top: 24, bottom: 34 };
/// Room for the choice of the column below the legend, px.
const CHOICE = 62;
/// Least height of a plot, and room that a run needs in its legend, px.
const LEAST = 165;
const ROW = 13;
/// Plots are small: copying them to the graphics processor and back costs more than drawing them.
const IN_MEMORY = { willReadFrequently: true };
const FONT = "12px sans-serif";
const INK = "#333333";
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

/// Numbers of an axis with one power of ten in the label instead of in every tick.
function scaleOf(low, high) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(size > 0) || (size >= 1e-2 && size < 1e5)) return 0;
  return 3 * Math.floor(Math.log10(size) / 3 + 1e-9);
}

export class Plot {
  constructor(canvas, timeline, runs) {
    Object.assign(this, { canvas, timeline, runs, column: null, log: false, range: null });
    // Names of many runs would stand over each other.
    canvas.style.height = `${Math.max(LEAST, MARGIN.top + CHOICE + ROW * runs.length)}px`;
  }

  show(column) {
    this.column = column;
    this.log = column.log;
    this.series = this.runs.map((run) => column.of(run));
    this.range = this.extent();
    // A run that goes on has more numbers under the same name.
    this.drawn = null;
  }

  setLog(log) {
    this.log = log;
    this.range = this.extent();
  }

  /// Least and greatest number of all runs, with room above and below.
  extent() {
    let [low, high] = [Infinity, -Infinity];
    for (const series of this.series) {
      if (!series) continue;
      for (const list of [series.value, series.low, series.high]) {
        for (const x of list ?? []) {
          if (!Number.isFinite(x) || (this.log && x <= 0)) continue;
          low = Math.min(low, x);
          high = Math.max(high, x);
        }
      }
    }
    if (!(low <= high)) return null;
    const decade = Math.floor(Math.log10(low));
    if (this.log) return [decade, Math.max(Math.ceil(Math.log10(high)), decade + 1)];
    const room = high > low ? 0.06 * (high - low) : Math.max(0.1 * Math.abs(high), 1e-12);
    return [low - room, high + room];
  }

  /// Sizes in px of the page.
  box() {
    const [width, height] = this.size;
    return { left: MARGIN.left, top: MARGIN.top, right: width - MARGIN.right, bottom: height - MARGIN.bottom };
  }

  x(t) {
    const { left, right } = this.box();
    const { start, end } = this.timeline;
    return left + ((t - start) / Math.max(end - start, 1e-300)) * (right - left);
  }

  y(value) {
    const { top, bottom } = this.box();
    const [low, high] = this.range;
    const at = this.log ? Math.log10(value) : value;
    return bottom - ((at - low) / (high - low)) * (bottom - top);
  }

  /// The time under a place of the canvas.
  timeAt(x) {
    const { left, right } = this.box();
    const { start, end } = this.timeline;
    return start + ((x - left) / (right - left)) * (end - start);
  }

  draw(density) {
    const { canvas } = this;
    const size = [canvas.clientWidth, canvas.clientHeight];
    if (size[0] === 0 || !this.column) return;
    this.rest(size, density);
    const pen = canvas.getContext("2d", IN_MEMORY);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.resting, 0, 0);
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.font = FONT;
    if (!this.range) return this.nothing(pen);
    this.cursor(pen);
    this.legend(pen);
  }

  /// Axes and lines do not change with time: they are drawn once for a size and a column.
  rest(size, density) {
    const drawn = [...size, density, this.column.name, this.log].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.size = size;
    this.resting ??= document.createElement("canvas");
    for (const canvas of [this.canvas, this.resting]) {
      canvas.width = Math.round(size[0] * density);
      canvas.height = Math.round(size[1] * density);
    }
    const pen = this.resting.getContext("2d", IN_MEMORY);
    pen.setTransform(density, 0, 0, density, 0, 0);
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, ...size);
    pen.font = FONT;
    if (!this.range) return;
    this.axes(pen);
    this.lines(pen);
  }

  nothing(pen) {
    pen.fillStyle = INK;
    pen.fillText(`${this.column.label}: no numbers${this.log ? " above 0" : ""}`, MARGIN.left, MARGIN.top + 20);
  }

  axes(pen) {
    const { left, top, right, bottom } = this.box();
    const power = this.log ? 0 : scaleOf(...this.range);
    const factor = 10 ** power;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of this.upTicks()) {
      const y = Math.round(this.y(value)) + 0.5;
      this.rule(pen, [left, y], [right, y]);
      pen.fillText(this.log ? powerOfTen(value) : short(Number((value / factor).toPrecision(9)), 6), left - 6, y);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const { start, end } = this.timeline;
    for (const t of ticks(start, end, (right - left) / 90).values) {
      const x = Math.round(this.x(t)) + 0.5;
      this.rule(pen, [x, top], [x, bottom]);
      pen.fillText(short(Number(t.toPrecision(9)), 6), x, bottom + 5);
    }
    pen.strokeStyle = INK;
    pen.strokeRect(left + 0.5, top + 0.5, right - left, bottom - top);
    pen.fillText("t, s", (left + right) / 2, bottom + 19);
    this.upLabel(pen, power);
  }

  upTicks() {
    const { top, bottom } = this.box();
    const wanted = Math.max(2, (bottom - top) / 24);
    if (!this.log) return ticks(...this.range, wanted).values;
    const [low, high] = this.range;
    const every = Math.max(1, Math.ceil((high - low) / wanted));
    return Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, k) => 10 ** (low + k * every));
  }

  upLabel(pen, power) {
    const { left, top } = this.box();
    const unit = [power === 0 ? "" : powerOfTen(10 ** power), this.column.unit].filter(Boolean).join(" ");
    pen.textAlign = "left";
    pen.textBaseline = "bottom";
    pen.fillText(`${this.column.label}${unit ? `, ${unit}` : ""}`, left, top - 4);
  }

  rule(pen, [x0, y0], [x1, y1]) {
    pen.strokeStyle = "#e4e4e4";
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
    pen.fillStyle = INK;
  }

  lines(pen) {
    const { left, top, right, bottom } = this.box();
    pen.save();
    pen.beginPath();
    pen.rect(left, top, right - left, bottom - top);
    pen.clip();
    pen.lineWidth = 1.5;
    this.series.forEach((series, k) => {
      if (!series) return;
      const colour = lineColour(this.runs[k]);
      if (series.low && series.high) this.band(pen, series, colour);
      this.stroke(pen, series, colour, DASHES[this.runs[k].dash % DASHES.length]);
    });
    pen.restore();
  }

  /// A line through all numbers. Of those that share a column of pixels only the first, least, greatest and last are
  /// drawn: the picture is the same.
  stroke(pen, { time, value }, colour, dash) {
    pen.strokeStyle = colour;
    pen.setLineDash(dash);
    pen.beginPath();
    let run = null;
    const flush = () => {
      if (run) for (const y of [run.first, run.low, run.high, run.last]) pen.lineTo(run.x, y);
      run = null;
    };
    for (let i = 0; i < value.length; i++) {
      const usable = Number.isFinite(value[i]) && (!this.log || value[i] > 0);
      const [x, y] = usable ? [this.x(time[i]), this.y(value[i])] : [NaN, NaN];
      if (run && usable && Math.abs(x - run.x) < 0.5) {
        Object.assign(run, { low: Math.min(run.low, y), high: Math.max(run.high, y), last: y });
        continue;
      }
      const broken = run === null;
      flush();
      if (!usable) continue;
      if (broken) pen.moveTo(x, y);
      run = { x, first: y, low: y, high: y, last: y };
    }
    flush();
    pen.stroke();
    pen.setLineDash([]);
  }

  /// What lies between frames that were left out.
  band(pen, { time, low, high }, colour) {
    pen.fillStyle = `${colour}38`;
    for (let i = 1; i < time.length; i++) {
      const [x0, x1] = [this.x(time[i - 1]), this.x(time[i])];
      const [y0, y1] = [this.y(high[i]), this.y(low[i])];
      if (!Number.isFinite(y0) || !Number.isFinite(y1)) continue;
      pen.fillRect(x0, y0, Math.max(x1 - x0, 0.5), Math.max(y1 - y0, 0.5));
    }
  }

  cursor(pen) {
    const { top, bottom } = this.box();
    const x = this.x(this.timeline.time);
    pen.strokeStyle = "#000000";
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, bottom);
    pen.stroke();
  }

  /// Names of the runs, their lines, and the numbers at the time.
  legend(pen) {
    const { right, top } = this.box();
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const room = Math.min(32, (this.size[1] - CHOICE - top) / this.series.length);
    this.series.forEach((series, k) => {
      if (!series) return;
      const y = top + 4 + room * k;
      pen.strokeStyle = lineColour(this.runs[k]);
      pen.lineWidth = 2;
      pen.setLineDash(DASHES[this.runs[k].dash % DASHES.length]);
      pen.beginPath();
      pen.moveTo(right + 10, y);
      pen.lineTo(right + 34, y);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillStyle = INK;
      const value = quantityOf(this.valueAt(series), this.column.unit);
      if (room > 28) pen.fillText(value, right + 40, y + 14, MARGIN.right - 44);
      pen.fillText(room > 28 ? this.runs[k].name : `${this.runs[k].name}: ${value}`, right + 40, y, MARGIN.right - 44);
    });
  }

  valueAt({ time, value }) {
    return value[lastAt(time, this.timeline.time)];
  }
}

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function powerOfTen(x) {
  const exponent = String(Math.round(Math.log10(x)));
  return `10${[...exponent].map((c) => SUPERSCRIPT[c]).join("")}`;
}

const PREFIXED = ["m", "m/s", "N", "N m", "N s", "J", "W", "s", "Pa", "rad", "rad/s"];
const quantityOf = (x, unit) => (PREFIXED.includes(unit) ? quantity(x, unit, 4) : `${short(x, 5)} ${unit}`);
