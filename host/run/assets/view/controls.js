// Buttons, lists and keys.

import { short } from "./math.js";
import { button, choice, element, tick } from "./page.js";
import { legend } from "./legend.js";

const SHOW = [
  ["points", "contact points", "c"],
  ["open", "open contacts too", "u"],
  ["normals", "normals", "n"],
  ["forces", "forces", "v"],
  ["cones", "friction cones", "k"],
  ["frames", "axes of bodies", "x"],
  ["certificates", "certificates", "j"],
];
const LOOKS = [["solid", "solid"], ["translucent", "translucent"], ["lines", "outlines"]];
const COLOUR_BY = [["mode", "sticks or slips"], ["gap", "penetration"]];
const COMPARE = [["single", "one run"], ["ghosts", "one over the others as ghosts"], ["split", "side by side"]];

const labelled = (text, entries, value, action) =>
  element("label", {}, text, choice(text, [["", entries]], value, action));

/// What can be done to the page, by name; keys and buttons call the same.
export function actions(app) {
  const { view, timeline } = app;
  const { camera, options } = view;
  const next = (list, value) => list[(list.findIndex(([v]) => v === value) + 1) % list.length][0];
  const moved = (move) => { view.moved = true; move(); };
  const turnOrPan = (x, y) => moved(() => view.planar ? camera.pan(-4 * x, -4 * y, 400) : camera.orbit(-8 * x, -8 * y));
  const moving = view.runs[0].bodies.flatMap((body, k) => (body.slot === undefined ? [] : [k]));
  return {
    play: () => timeline.toggle(),
    step: (count) => timeline.step(view.active, count),
    first: () => timeline.seek(timeline.start),
    last: () => timeline.seek(timeline.end),
    faster: (by) => timeline.faster(by),
    fit: () => view.fit(),
    home: () => view.home(),
    along: (axis) => moved(() => camera.along(axis)),
    parallel: () => moved(() => { camera.parallel = !camera.parallel; }),
    turn: turnOrPan,
    zoom: (factor) => moved(() => camera.zoom(factor)),
    show: (name) => { options.show[name] = !options.show[name]; },
    look: () => { options.bodies = next(LOOKS, options.bodies); },
    compare: () => { if (view.runs.length > 1) options.compare = next(COMPARE, options.compare); },
    colour: () => { options.colourBy = options.colourBy === "mode" ? "gap" : "mode"; },
    run: (k) => { view.setFollow(-1); view.active = k; },
    nextRun: () => { view.setFollow(-1); view.active = (view.active + 1) % view.runs.length; },
    follow: (body) => view.setFollow(body),
    followNext: () => view.setFollow([...moving, -1][(moving.indexOf(view.follow) + 1) % (moving.length + 1)]),
    forces: (factor) => { view.factor *= factor; },
  };
}

/// Keys, what they do, and the action.
function keyTable(view) {
  const shown = SHOW.map(([name, text, key]) => [key, `show ${text}`, (a) => a.show(name)]);
  const several = view.runs.length < 2 ? [] : [
    ["g", "ghosts, side by side, one run", (a) => a.compare()],
    ["r", "next run", (a) => a.nextRun()],
  ];
  return [
    ...TIME_KEYS,
    ...cameraKeys(view),
    ...shown,
    ["p", "colour by mode or penetration", (a) => a.colour()],
    ["m", "bodies solid, translucent, outlines", (a) => a.look()],
    [".", "longer forces", (a) => a.forces(1.25)],
    [",", "shorter forces", (a) => a.forces(0.8)],
    ...several,
  ];
}

const TIME_KEYS = [
  [" ", "play, pause", (a) => a.play()],
  ["ArrowRight", "next frame (Shift: ten)", (a, e) => a.step(e.shiftKey ? 10 : 1)],
  ["ArrowLeft", "frame before (Shift: ten)", (a, e) => a.step(e.shiftKey ? -10 : -1)],
  ["Home", "start", (a) => a.first()],
  ["End", "end", (a) => a.last()],
  ["[", "slower", (a) => a.faster(-1)],
  ["]", "faster", (a) => a.faster(1)],
];

function cameraKeys(view) {
  const space = view.planar ? [] : [
    ["1", "look along x", (a) => a.along("x")],
    ["2", "look along y", (a) => a.along("y")],
    ["3", "look from above", (a) => a.along("z")],
    ["o", "perspective or parallel", (a) => a.parallel()],
  ];
  return [
    ["f", "fit the frame", (a) => a.fit()],
    ["h", "whole motion, first view", (a) => a.home()],
    ["w", view.planar ? "w a s d: pan" : "w a s d: turn", (a) => a.turn(0, -4)],
    ["a", "", (a) => a.turn(-4, 0)],
    ["s", "", (a) => a.turn(0, 4)],
    ["d", "", (a) => a.turn(4, 0)],
    ["+", "nearer", (a) => a.zoom(0.85)],
    ["-", "farther", (a) => a.zoom(1 / 0.85)],
    ...space,
    ["b", "follow the next body", (a) => a.followNext()],
  ];
}

const NAMES = { " ": "Space", ArrowRight: "→", ArrowLeft: "←" };

export class Controls {
  constructor(app) {
    this.app = app;
    this.actions = actions(app);
    this.keys = keyTable(app.view);
    this.panel = document.getElementById("panel");
    this.settings = element("section");
    this.legend = element("section", { id: "legend", "aria-label": "legend" });
    this.panel.append(this.legend, this.settings, this.keyHelp());
    this.transport();
    document.addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  /// Does something and shows what came of it.
  act(name, ...values) {
    this.actions[name](...values);
    this.update();
    this.app.changed();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    // A focused button keeps its own key.
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    const entry = this.keys.find(([key]) => key === event.key || key === event.key.toLowerCase());
    if (!entry) return;
    event.preventDefault();
    entry[2](this.actions, event);
    this.update();
    this.app.changed();
  }

  transport() {
    const act = (name, ...values) => () => this.act(name, ...values);
    this.play = button("Play", "play or pause (Space)", act("play"));
    this.place = element("output");
    this.pace = element("span");
    document.getElementById("transport").append(
      button("|◀", "start (Home)", act("first")),
      button("‹ frame", "frame before (←)", act("step", -1)),
      this.play,
      button("frame ›", "next frame (→)", act("step", 1)),
      button("▶|", "end (End)", act("last")),
      this.place,
      button("slower", "slower ([)", act("faster", -1)),
      this.pace,
      button("faster", "faster (])", act("faster", 1)),
    );
  }

  keyHelp() {
    const rows = this.keys.filter(([, text]) => text).map(([key, text]) =>
      element("tr", {},
        element("td", {}, element("kbd", { textContent: NAMES[key] ?? key })),
        element("td", { textContent: text })));
    const drag = this.app.view.planar ? "drag: pan" : "drag: turn, with Shift or the right button: pan";
    const mouse = `${drag}, wheel: zoom`;
    return element("details", {}, element("summary", { textContent: "Keyboard and mouse" }),
      element("p", { textContent: `${mouse}, double click: follow a body` }), element("table", { className: "keys" }, ...rows));
  }

  /// Draws settings and legend anew.
  update() {
    const { view } = this.app;
    const { options } = view;
    const act = (name, ...values) => () => this.act(name, ...values);
    const bodies = view.runs[view.active].bodies
      .flatMap((body, k) => (body.slot === undefined ? [] : [[String(k), body.name]]));
    const cameras = [["fit", "f"], ["home", "h"]].map(([name, key]) => button(name, `${name} (${key})`, act(name)));
    const axes = (view.planar ? [] : ["x", "y", "z"])
      .map((axis) => button(axis, `look along ${axis}`, act("along", axis)));
    const set = (change) => (value) => { change(value); this.update(); this.app.changed(); };
    this.settings.replaceChildren(
      element("h2", { textContent: "Show" }),
      ...SHOW.filter(([name]) => this.has(name))
        .map(([name, text]) => tick(text, options.show[name], () => this.act("show", name))),
      labelled("colour of contacts", COLOUR_BY, options.colourBy, set((v) => { options.colourBy = v; })),
      labelled("bodies", LOOKS, options.bodies, set((v) => { options.bodies = v; })),
      ...this.comparison(set),
      element("h2", { textContent: "Camera" }),
      element("div", { className: "buttons" }, ...cameras, ...axes),
      labelled("follow", [["-1", "nothing"], ...bodies], String(view.follow), set((v) => view.setFollow(Number(v)))),
      element("h2", { textContent: "Length of forces" }),
      element("div", { className: "buttons" },
        button("shorter", "shorter (,)", act("forces", 0.8)),
        button("longer", "longer (.)", act("forces", 1.25))),
    );
    this.legend.replaceChildren(...legend(view));
  }

  has(name) {
    const { runs } = this.app.view;
    if (name === "certificates") return runs.some((run) => run.certificates.length > 0);
    if (name === "frames") return true;
    const points = runs.some((run) => run.contacts?.point);
    return points || (["points", "forces", "cones"].includes(name) && runs.some((run) => run.supports));
  }

  comparison(set) {
    const { view } = this.app;
    if (view.runs.length < 2) return [];
    const names = view.runs.map((run, k) => [String(k), run.name]);
    return [
      labelled("runs", COMPARE, view.options.compare, set((v) => { view.options.compare = v; })),
      labelled("run in front", names, String(view.active), set((v) => this.actions.run(Number(v)))),
    ];
  }

  /// Time, frame and speed; called for every picture.
  tell() {
    const { timeline, view } = this.app;
    const run = view.runs[view.active];
    const frame = timeline.frame(view.active);
    const over = timeline.time > run.time[run.frames - 1] + 1e-9 ? " (ended)" : "";
    const place = `frame ${frame} of ${run.frames - 1}, ${short(run.time[frame], 6)} s${over}`;
    this.place.textContent = `t = ${short(timeline.time, 6)} s · ${place}`;
    this.pace.textContent = `${short(timeline.speed)} × real time`;
    this.play.textContent = timeline.playing ? "Pause" : "Play";
  }
}
