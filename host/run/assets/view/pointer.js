// Mouse, pen and fingers on the picture.

/// Turns with one pointer (pans in the plane, with the right button or Shift), zooms and pans with two, zooms with the
/// wheel.
export function listenToPointer(canvas, view, changed, picked) {
  const down = new Map();
  const place = (event) => [event.offsetX, event.offsetY];
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, place(event));
    canvas.focus();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => down.delete(event.pointerId));
  }
  canvas.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) return;
    const before = new Map(down);
    down.set(event.pointerId, place(event));
    if (down.size === 1) drag(canvas, view.camera, event, before.get(event.pointerId), place(event));
    if (down.size === 2) pinch(canvas, view, [...before.values()], [...down.values()]);
    view.moved = true;
    changed();
  });
  const zoom = (event) => {
    wheel(canvas, view, event);
    changed();
  };
  canvas.addEventListener("wheel", zoom, { passive: false });
  canvas.addEventListener("dblclick", (event) => picked(view.pick(...place(event))));
}

function wheel(canvas, view, event) {
  event.preventDefault();
  view.moved = true;
  const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.0018);
  view.camera.zoom(factor, relative(canvas, [event.offsetX, event.offsetY]), view.aspect());
}

const relative = (canvas, [x, y]) => [x / canvas.clientWidth, y / canvas.clientHeight];

function drag(canvas, camera, event, [x0, y0], [x1, y1]) {
  const pans = camera.planar || event.shiftKey || (event.buttons & 6) !== 0;
  if (pans) camera.pan(x1 - x0, y1 - y0, canvas.clientHeight);
  else camera.orbit(x1 - x0, y1 - y0);
}

function pinch(canvas, view, [a0, b0], [a1, b1]) {
  const apart = (a, b) => Math.max(10, Math.hypot(a[0] - b[0], a[1] - b[1]));
  const middle = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const [from, to] = [middle(a0, b0), middle(a1, b1)];
  view.camera.pan(to[0] - from[0], to[1] - from[1], canvas.clientHeight);
  view.camera.zoom(apart(a0, b0) / apart(a1, b1), relative(canvas, to), view.aspect());
}
