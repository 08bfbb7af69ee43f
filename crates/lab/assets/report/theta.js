"use strict";
// What the learner knows of theta: bars for its coordinates, and the set in the plane of two.
const theta = (() => {
  const { data } = page;
  const NS = "http://www.w3.org/2000/svg";
  const bars = document.getElementById("bars");
  const plane = document.querySelector("#plane svg");
  const svg = (tag, attributes, text) => {
    const made = document.createElementNS(NS, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const frames = data.frames.filter((frame) => frame.ends?.length);
  // none where the truth is no mixture of the models
  const known = data.theta ?? [];
  const finite = (list) => list.filter((x) => x !== null && Number.isFinite(x));

  // all bars share one scale, so that their widths can be compared
  const ends = finite(frames.flatMap((frame) => frame.ends.flat()).concat(known));
  const [low, high] = ends.length ? [Math.min(...range(ends)), Math.max(...range(ends))] : [0, 1];
  function range(list) {
    return list.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  }
  const at = (x) => (100 * (x - low)) / (high - low || 1);
  const rows = [];
  if (bars) {
    data.models.forEach((name, i) => {
      const row = page.element("div", "", { class: "bar-row" });
      const track = page.element("div", "", { class: "track", role: "img" });
      const span = page.element("i", "", { class: "span" });
      const hat = page.element("i", "", { class: "hat" });
      const truth = page.element("i", "", { class: "true" });
      track.append(span, hat);
      if (i in known) {
        truth.style.left = at(known[i]) + "%";
        track.append(truth);
      }
      row.append(page.element("span", name, { title: name }), track);
      bars.append(row);
      rows.push({ track, span, hat });
    });
    if (data.dim > data.models.length) bars.append(page.element("p", `and ${data.dim - data.models.length} more coordinates`, { class: "how" }));
  }

  const corners = frames.flatMap((frame) => frame.outline ?? []);
  const shown = plane && corners.length > 0;
  if (plane && !shown) document.getElementById("plane").remove();
  const box = { left: 46, right: 310, top: 10, bottom: 262 };
  const [xs, ys] = [0, 1].map((i) => (shown ? padded(range(corners.map((c) => c[i]).concat(known.slice(i, i + 1)))) : [0, 1]));
  function padded([a, b]) {
    const room = 0.06 * (b - a || Math.abs(a) || 1);
    return [a - room, b + room];
  }
  const px = (x) => box.left + ((x - xs[0]) / (xs[1] - xs[0])) * (box.right - box.left);
  const py = (y) => box.bottom - ((y - ys[0]) / (ys[1] - ys[0])) * (box.bottom - box.top);
  const points = (outline) => outline.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(" ");
  let region, estimate;
  if (shown) {
    const text = (x, y, label, anchor) => plane.append(svg("text", { x, y, "text-anchor": anchor }, label));
    plane.append(svg("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
    text(box.left, box.bottom + 16, page.number(xs[0], 3), "start");
    text(box.right, box.bottom + 16, page.number(xs[1], 3), "end");
    text(box.left - 5, box.bottom, page.number(ys[0], 3), "end");
    text(box.left - 5, box.top + 9, page.number(ys[1], 3), "end");
    text((box.left + box.right) / 2, box.bottom + 32, data.models[0], "middle");
    plane.append(svg("text", { x: 12, y: (box.top + box.bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(box.top + box.bottom) / 2})` }, data.models[1]));
    plane.append(svg("polygon", { class: "first", points: points(frames.find((frame) => frame.outline?.length).outline) }));
    region = svg("polygon", { class: "region" });
    estimate = svg("circle", { class: "estimate", r: 3.5 });
    plane.append(region, estimate);
    if (known.length > 1) {
      const [x, y] = [px(known[0]), py(known[1])];
      plane.append(svg("path", { class: "truth", d: `M${x - 6} ${y - 6}L${x + 6} ${y + 6}M${x - 6} ${y + 6}L${x + 6} ${y - 6}` }));
    }
  }

  return {
    svg,
    /** Shows a frame. */
    show(frame) {
      rows.forEach(({ track, span, hat }, i) => {
        const [a, b] = frame.ends?.[i] ?? [null, null];
        const [left, right] = [at(a ?? low), at(b ?? high)];
        span.style.left = left + "%";
        span.style.width = Math.max(0, right - left) + "%";
        span.hidden = !frame.ends?.length;
        const x = frame.estimate?.[i] ?? null;
        hat.hidden = x === null;
        if (x !== null) hat.style.left = Math.min(100, Math.max(0, at(x))) + "%";
        track.setAttribute("aria-label", `${data.models[i]}: ${a === null ? "no lower bound" : page.number(a, 4)} to ${b === null ? "no upper bound" : page.number(b, 4)}, estimate ${page.number(x, 4)}, truth ${i in known ? page.number(known[i], 4) : "no mixture"}`);
      });
      if (!shown) return;
      region.setAttribute("points", points(frame.outline ?? []));
      estimate.style.display = frame.estimate ? "" : "none";
      if (frame.estimate) {
        estimate.setAttribute("cx", px(frame.estimate[0]));
        estimate.setAttribute("cy", py(frame.estimate[1]));
      }
    },
  };
})();
