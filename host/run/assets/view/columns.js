// What can be plotted: columns of the data, and what follows from poses and contacts.

/// A column: `label`, `unit`, `group`, `log`, `of(run)` → { time, value, low, high } or null where a run has none.
export function allColumns(runs) {
  const found = new Map();
  for (const run of runs) {
    for (const column of run.columns) {
      if (!found.has(column.name)) found.set(column.name, recorded(column));
    }
  }
  const derived = [...contactColumns(runs), ...supportColumns(runs), ...poseColumns(runs)];
  for (const column of derived) if (!found.has(column.name)) found.set(column.name, column);
  return [...found.values()].map(remembered);
}

function recorded({ name, label, unit, group, log }) {
  const of = (run) => {
    const column = run.columns.find((c) => c.name === name);
    return column ? { time: column.time ?? run.time, value: column.value, low: column.low, high: column.high } : null;
  };
  return { name, label: label ?? name, unit: unit ?? "", group: group ?? "recorded", log: log ?? false, of };
}

/// The same, worked out once per run.
function remembered(column) {
  const known = new Map();
  const of = (run) => {
    if (!known.has(run)) known.set(run, column.of(run));
    return known.get(run);
  };
  return { ...column, of };
}

/// A number per frame.
const perFrame = (run, value) => ({ time: run.time, value: Float32Array.from(run.time, (_, frame) => value(frame)) });

function poseColumns(runs) {
  const parts = runs[0].planar ? [["x", "m"], ["y", "m"], ["angle", "rad"]] : [["x", "m"], ["y", "m"], ["z", "m"]];
  return runs[0].bodies.flatMap((body) => {
    if (body.slot === undefined) return [];
    return parts.map(([part, unit], k) => ({
      name: `${body.name}.${part}`,
      label: `${body.name}.${part}`,
      unit,
      group: "poses",
      log: false,
      of: (run) => coordinate(run, body.name, k),
    }));
  });
}

function coordinate(run, name, k) {
  const body = run.bodies.findIndex((b) => b.name === name);
  if (body < 0) return null;
  const offset = k < 2 || !run.planar ? run.origin[k] : 0;
  return perFrame(run, (frame) => {
    const [list, at] = run.poseIn(body, frame);
    return list[at + k] + offset;
  });
}

/// A number from the contacts of every frame, numbered from `from` up to `to`.
const overContacts = (value) => (run) => {
  const c = run.contacts;
  return c ? perFrame(run, (frame) => value(c, c.start[frame], c.start[frame + 1])) : null;
};

function count(code) {
  return overContacts(({ mode }, from, to) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += mode[i] === code ? 1 : 0;
    return sum;
  });
}

const leastGap = overContacts(({ gap }, from, to) => {
  let least = Infinity;
  for (let i = from; i < to; i++) least = Math.min(least, gap[i]);
  return from < to ? least : NaN;
});

const largestForce = overContacts(({ force }, from, to) => {
  let most = 0;
  for (let i = from; i < to; i++) most = Math.max(most, Math.hypot(...force.subarray(3 * i, 3 * i + 3)));
  return most;
});

function contactColumns(runs) {
  if (!runs.some((run) => run.contacts)) return [];
  const column = (name, unit, of) => ({ name, label: name, unit, group: "contacts", log: false, of });
  return [
    column("least gap", "m", leastGap),
    column("largest contact force", "N", largestForce),
    column("contacts that stick", "", count(1)),
    column("contacts that slip", "", count(2)),
  ];
}

function supportColumns(runs) {
  if (!runs.some((run) => run.supports)) return [];
  const of = ({ supports: s, ...run }) => {
    const own = (frame) => s.slip.subarray(frame * s.body.length, (frame + 1) * s.body.length);
    return s ? perFrame(run, (frame) => Math.max(...own(frame))) : null;
  };
  const name = "largest slip of a support";
  return [{ name, label: name, unit: "m/s", group: "supports", log: false, of }];
}
