"use strict";
// What every page has: the theme.
const page = {
  data: JSON.parse(document.getElementById("data").textContent),
  /** Whether the page is dark now. */
  dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },
  /** A colour of the style sheet. */
  colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  },
  /** A new element with text and attributes. */
  element(tag, text = "", attributes = {}) {
    const made = document.createElement(tag);
    if (text !== "") made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  },
  /** A number as people write it. */
  number(x, digits = 6) {
    if (x === null || x === undefined || !Number.isFinite(x)) return "–";
    const size = Math.abs(x);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) return x.toExponential(2).replace("-", "−");
    return x.toLocaleString("en-US", { maximumSignificantDigits: digits }).replace("-", "−");
  },
  /** Calls back when the theme changes. */
  onTheme(callback) {
    page.listeners.push(callback);
  },
  listeners: [],
};
{
  const button = document.getElementById("theme");
  const say = () => {
    button.textContent = page.dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${page.dark() ? "light" : "dark"} theme`);
  };
  const changed = () => {
    say();
    page.listeners.forEach((callback) => callback());
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = page.dark() ? "light" : "dark";
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  say();
}
