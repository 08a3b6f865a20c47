// Small pieces of the page.

/// An element with properties, and children or a text.
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role") made.setAttribute(key, value);
    else if (key === "style") Object.assign(made.style, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

export function button(text, title, action) {
  return element("button", { type: "button", textContent: text, title, onclick: action });
}

/// A list to choose from; `groups` is [[label, [[value, text], …]], …], a group without a label stands alone.
export function choice(label, groups, value, action) {
  const options = groups.flatMap(([group, entries]) => {
    const made = entries.map(([key, text]) => element("option", { value: key, textContent: text }));
    return group ? [element("optgroup", { label: group }, ...made)] : made;
  });
  const select = element("select", { "aria-label": label, onchange: () => action(select.value) }, ...options);
  select.value = value;
  return select;
}

export function tick(text, value, action) {
  const box = element("input", { type: "checkbox", checked: value, onchange: () => action(box.checked) });
  return element("label", { className: "inline" }, box, text);
}

export const css = (rgb) => `rgb(${rgb.map((x) => Math.round(255 * x)).join()})`;
