// The legend: colours, scales, and what the page leaves out.

import { FORCE_COLOUR, FREE_COLOUR, JAM_COLOUR, MODE_COLOURS, NORMAL_COLOUR, gapColour } from "./contacts.js";
import { quantity, roundUp, short } from "./math.js";
import { css, element } from "./page.js";
import { ghostColour } from "./scene.js";

const key = (colour, text, square = false) =>
  element(
    "div",
    { className: "key" },
    element("span", { className: square ? "swatch square" : "swatch", style: { background: colour } }),
    text,
  );

const bar = (colour, pixels, text) =>
  element(
    "div",
    { className: "key" },
    element("span", { className: "bar", style: { background: colour, width: `${pixels.toFixed(1)}px` } }),
    text,
  );

/// A round amount that is between 40 and 100 px long at so many px per unit.
const roundLength = (pixels) => roundUp(40 / pixels);

/// The parts of the legend for what is shown now.
export function legend(view) {
  return [
    ...runKeys(view),
    ...contactKeys(view),
    ...scales(view),
    ...certificateKeys(view),
    ...notes(view),
  ].filter(Boolean);
}

function runKeys({ runs, options }) {
  if (runs.length < 2) return [];
  const colours = options.compare === "ghosts";
  const text = (run) => `${run.name}${run.status === "completed" ? "" : ` (${run.status})`}`;
  return [
    element("h2", { textContent: "Runs" }),
    ...runs.map((run) =>
      colours ? key(css(ghostColour(run)), text(run), true) : element("p", { textContent: text(run) })),
  ];
}

function contactKeys({ runs, options, deepest, active }) {
  const { show, colourBy } = options;
  const any = runs.some((run) => run.contacts?.point);
  const supports = runs.some((run) => run.supports);
  if (!any && !supports) return [];
  const modes = Object.entries(MODE_COLOURS).filter(([mode]) => mode !== "open" || (show.open && any));
  const texts = { stick: "sticks", slip: "slips", open: "open (no force)" };
  const byGap = colourBy === "gap" && any;
  return [
    element("h2", { textContent: supports && !any ? "Supports" : supports ? "Contacts and supports" : "Contacts" }),
    // Of runs over each other one has these colours.
    runs.length > 1 && options.compare === "ghosts" &&
      element("p", { textContent: `of ${runs[active].name}; contacts and forces of the other runs have the colours of their runs` }),
    ...(byGap ? gapKeys(deepest) : []),
    ...(byGap && !supports ? [] : modes.map(([mode, colour]) => key(colour, texts[mode]))),
    show.cones && key("#e8e4c9", "friction cone: as high as the normal force", true),
    show.cones && supports && key("#f5e3cf", "circle at a support: μN", true),
  ];
}

function gapKeys(deepest) {
  const ramp = [0.001, 0.25, 0.5, 0.75, 1].map((part) => css(gapColour(-part, 1)));
  const text = deepest > 0 ? `penetration 0 … ${quantity(deepest, "m")}` : "no penetration";
  const style = { background: `linear-gradient(90deg, ${ramp.join()})` };
  return [
    element("div", { className: "key" }, element("span", { className: "ramp", style }), text),
    key(css(gapColour(0, 1)), "no penetration"),
  ];
}

function scales(view) {
  const { show } = view.options;
  const pixels = view.pixelsPerMetre();
  const length = roundLength(pixels);
  const force = roundLength(pixels * view.forceScale);
  const grid = !view.planar && view.runs[0].shapes.some((shape) => shape.kind === "half-space");
  return [
    element("h2", { textContent: view.camera.parallel ? "Scales" : "Scales, where the camera turns about" }),
    bar("#222222", length * pixels, quantity(length, "m")),
    show.forces && bar(FORCE_COLOUR, force * pixels * view.forceScale, `force ${quantity(force, "N")}`),
    show.forces && element("p", { textContent: "on the followed body, else on the freer one of the two (a body by itself before a link), else on the second" }),
    show.normals && bar(NORMAL_COLOUR, 28, "normal, from A to B"),
    grid && element("p", { textContent: `squares of the floor: ${quantity(view.scenes[0].gridStep(), "m")}` }),
  ];
}

function certificateKeys({ runs, options }) {
  const all = runs.flatMap((run) => run.certificates);
  if (all.length === 0 || !options.show.certificates) return [];
  return [
    element("h2", { textContent: "Certificates" }),
    all.some((c) => c.forces?.length) && key(JAM_COLOUR, "forces that squeeze, in balance"),
    all.some((c) => c.held?.length) && element("p", { textContent: "dashed: held by drives or the ground" }),
    all.some((c) => c.motions?.length) && key(FREE_COLOUR, "free direction"),
    ...all.map((c) => element("p", { textContent: `t = ${short(c.time, 6)} s: ${c.text}` })),
  ];
}

/// Everything that the page does not show as it was recorded is said here.
function notes({ runs }) {
  const said = new Map();
  for (const run of runs) {
    for (const text of notesOf(run)) said.set(text, [...(said.get(text) ?? []), run.name]);
  }
  if (said.size === 0) return [];
  const from = (names) => (names.length === runs.length ? "" : `${names.join(", ")}: `);
  const lines = [...said].map(([text, names]) => element("p", { className: "warning", textContent: from(names) + text }));
  return [element("h2", { textContent: "Notes" }), ...lines];
}

function notesOf(run) {
  const thinned = `${run.frames} of ${run.recorded} recorded frames are in this page, every ${ordinal(run.every)}.`;
  return [
    run.frames < run.recorded && thinned,
    run.contacts?.at === "start" && "Contact points are those at the start of the step.",
    run.contacts && !run.contacts.point && "Contacts were recorded without points: numbers only.",
    ...run.notes,
  ].filter(Boolean);
}

function ordinal(n) {
  const last = n % 10;
  const teen = Math.floor(n / 10) % 10 === 1;
  return `${n}${teen ? "th" : last === 1 ? "st" : last === 2 ? "nd" : last === 3 ? "rd" : "th"}`;
}
