// Time of the page: all runs show their last frame at or before it.

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];

export class Timeline {
  constructor(runs) {
    this.runs = runs;
    this.measure();
    this.time = this.start;
    this.playing = false;
    this.loop = true;
    this.speed = this.firstSpeed();
    this.listeners = [];
  }

  /// From the first state of all runs to the last one.
  measure() {
    this.start = Math.min(...this.runs.map((run) => run.time[0]));
    this.end = Math.max(...this.runs.map((run) => run.time[run.frames - 1]));
  }

  /// A speed at which the whole takes some seconds.
  firstSpeed() {
    const wanted = (this.end - this.start) / 8;
    return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best));
  }

  frame(run) {
    return this.runs[run].frameAt(this.time);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  /// Goes to a frame of a run.
  seekFrame(run, frame) {
    const { time, frames } = this.runs[run];
    this.seek(time[Math.min(frames - 1, Math.max(0, frame))]);
  }

  /// Goes some frames of a run on (or back), and stops there.
  step(run, count) {
    this.playing = false;
    this.seekFrame(run, this.frame(run) + count);
  }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed);
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))];
    this.changed();
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.start;
    this.changed();
  }

  /// Lets real time pass, s.
  advance(elapsed) {
    if (!this.playing) return;
    const next = this.time + elapsed * this.speed;
    if (next <= this.end) return this.seek(next);
    this.playing = this.loop && this.end > this.start;
    this.seek(this.playing ? this.start : this.end);
  }

  changed() {
    for (const listener of this.listeners) listener();
  }
}
