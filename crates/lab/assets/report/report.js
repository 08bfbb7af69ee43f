"use strict";
// Curves: one chart for each world, drawn when it comes into view.
{
  const data = page.data;
  const shown = data.learners.map(() => true);
  const view = { measure: "gap_regret", logX: false, logY: data.log, bands: true };
  const names = { gap_regret: "gap regret", regret: "regret" };
  const charts = [];
  /** In a tooltip, the learners nearest to the pointer. */
  const MOST = 12;

  const colourOf = (learner) => data.learners[learner][page.dark() ? "dark" : "light"];
  const faded = (hex) => hex + "26";
  // each curve has three series: the band's upper end, its lower end, the mean
  const seriesOf = (c) => [1 + 3 * c, 2 + 3 * c, 3 + 3 * c];

  /** The columns of a world for uPlot. On a logarithmic axis only positive numbers have a place. */
  function columns(world) {
    const all = [world.x];
    for (const curve of world.curves) {
      const { mean, half } = curve[view.measure];
      const at = (f) => world.x.map((_, i) => (i < mean.length && mean[i] !== null ? f(i) : null));
      const place = (y) => (view.logY && !(y > 0) ? null : y);
      const edge = (sign) => at((i) => {
        if (!half || half[i] === null) return null;
        const y = mean[i] + sign * half[i];
        return view.logY ? (mean[i] > 0 ? Math.max(y, 1e-12) : null) : y;
      });
      all.push(edge(1), edge(-1), at((i) => place(mean[i])));
    }
    return all;
  }

  /** The ends of the y axis: with some room, from 0 on if that is near. */
  function range(u, low, high) {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return view.logY ? [1, 10] : [0, 1];
    if (view.logY) {
      low = Math.max(low, high * 1e-9);
      return [low / 1.3, high * 1.3];
    }
    if (low >= 0 && low < high / 2) low = 0;
    const room = (high - low || Math.abs(high) || 1) * 0.05;
    return [low === 0 ? 0 : low - room, high + room];
  }

  function axis(title, log) {
    const colour = page.colour("soft");
    const font = '12px Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
    return {
      label: title, labelFont: font, labelSize: 20, font, stroke: colour, gap: 6,
      grid: { stroke: page.colour("grid"), width: 1 }, ticks: { show: false },
      values: (u, splits) => splits.map((v) => (v === null ? "" : page.number(v))),
      space: log ? 30 : 55,
    };
  }

  function options(world, at) {
    const series = [{}];
    const bands = [];
    world.curves.forEach((curve, c) => {
      const look = data.learners[curve.learner];
      const show = shown[curve.learner];
      const colour = colourOf(curve.learner);
      const edge = { show: show && view.bands, width: 0, points: { show: false }, auto: !view.logY, spanGaps: false };
      series.push({ ...edge }, { ...edge });
      series.push({
        label: look.label, show, stroke: colour, width: look.width, dash: look.dash, spanGaps: true,
        points: { show: curve[view.measure].mean.length === 1, size: 7, fill: colour },
      });
      const [high, low] = seriesOf(c);
      bands.push({ series: [high, low], fill: faded(colour) });
    });
    const x = axis("episode", view.logX);
    x.size = 26;
    const y = axis(names[view.measure], view.logY);
    y.size = (u, values) => 16 + 7 * Math.max(3, ...(values ?? []).map((v) => v.length));
    return {
      ...size(at), series, bands, legend: { show: false }, focus: { alpha: 0.15 },
      padding: [10, 14, 0, 4],
      scales: { x: { time: false, distr: view.logX ? 3 : 1, range: (u, low, high) => [low, high > low ? high : low + 1] }, y: { distr: view.logY ? 3 : 1, range } },
      axes: [x, y],
      cursor: { drag: { x: true, y: true, uni: 24 }, points: { show: false } },
      hooks: { setCursor: [(u) => tip(u, world, at)] },
    };
  }

  /** A short piece of a learner's curve. */
  function sample(learner) {
    const { width, dash } = data.learners[learner];
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const set = (element, all) => Object.entries(all).forEach(([key, value]) => element.setAttribute(key, value));
    set(svg, { width: 22, height: 8, "aria-hidden": "true" });
    set(line, { x1: 0, y1: 4, x2: 22, y2: 4, stroke: colourOf(learner), "stroke-width": width, "stroke-dasharray": dash.join(" ") });
    svg.append(line);
    return svg;
  }

  const size = (at) => ({ width: Math.max(200, at.clientWidth), height: Math.max(200, parseFloat(getComputedStyle(at).minHeight)) });

  /** The values under the pointer. */
  function tip(u, world, at) {
    const box = at.querySelector(".tip");
    const i = u.cursor.idx;
    if (i === null || i === undefined || u.cursor.left < 0) return void (box.hidden = true);
    const rows = values(world, i);
    if (!rows.length) return void (box.hidden = true);
    const y = u.posToVal(u.cursor.top, "y");
    const near = [...rows].sort((a, b) => Math.abs(a.mean - y) - Math.abs(b.mean - y)).slice(0, MOST);
    near.sort((a, b) => b.mean - a.mean);
    const table = page.element("table");
    for (const row of near) {
      const line = table.insertRow();
      line.insertCell().append(sample(row.learner));
      line.insertCell().textContent = data.learners[row.learner].label;
      line.insertCell().textContent = page.number(row.mean, 5) + (row.half === null ? "" : " ± " + page.number(row.half, 2));
    }
    box.replaceChildren(page.element("strong", "episode " + page.number(world.x[i])), table);
    if (rows.length > near.length) box.append(page.element("div", `and ${rows.length - near.length} more`, { class: "more" }));
    box.hidden = false;
    const left = u.bbox.left / devicePixelRatio + u.cursor.left;
    const right = left > at.clientWidth / 2;
    box.style.left = right ? "" : left + 14 + "px";
    box.style.right = right ? at.clientWidth - left + 14 + "px" : "";
    box.style.top = Math.max(0, Math.min(u.cursor.top, at.clientHeight - box.offsetHeight - 8)) + "px";
  }

  /** The means of the learners that are shown, at a point. */
  function values(world, i) {
    return world.curves
      .filter((curve) => shown[curve.learner] && i < curve[view.measure].mean.length && curve[view.measure].mean[i] !== null)
      .map((curve) => ({ learner: curve.learner, mean: curve[view.measure].mean[i], half: curve[view.measure].half?.[i] ?? null }));
  }

  function draw(chart) {
    chart.plot?.destroy();
    const { at, world } = chart;
    if (!at.querySelector(".tip")) at.append(page.element("div", "", { class: "tip", hidden: "" }));
    chart.plot = new uPlot(options(world, at), columns(world), at);
  }
  const redraw = () => charts.filter((chart) => chart.plot).forEach(draw);

  /** Everything again: the whole range of x, and of y what that asks for. */
  function reset(plot) {
    plot.setData(plot.data, true);
  }

  /** Reads and zooms by keys. */
  function keys(chart, event) {
    const { plot, world, at } = chart;
    if (!plot) return;
    const last = world.x.length - 1;
    const now = plot.cursor.idx ?? -1;
    const { min, max } = plot.scales.x;
    const stride = event.shiftKey ? 10 : 1;
    const to = { ArrowRight: now + stride, ArrowLeft: now - stride, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      const i = Math.min(last, Math.max(0, to));
      plot.setCursor({ left: plot.valToPos(world.x[i], "x"), top: plot.bbox.height / devicePixelRatio / 2 });
      const said = values(world, i).sort((a, b) => b.mean - a.mean);
      const text = said.map((row) => `${data.learners[row.learner].label} ${page.number(row.mean, 5)}`).join("; ");
      at.parentElement.querySelector(".readout").textContent = `Episode ${page.number(world.x[i])}: ${text}.`;
    } else if (event.key === "Escape" || event.key === "0") {
      reset(plot);
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const centre = now >= 0 ? world.x[now] : (min + max) / 2;
      const factor = event.key === "-" ? 2 : 0.5;
      const low = Math.max(world.x[0], centre - (centre - min) * factor);
      const high = Math.min(world.x[last], centre + (max - centre) * factor);
      if (high > low) plot.setScale("x", { min: low, max: high });
    } else {
      return;
    }
    event.preventDefault();
  }

  function show(learner, visible) {
    shown[learner] = visible;
    document.querySelector(`[data-learner="${learner}"]`).setAttribute("aria-pressed", visible);
    for (const { plot, world } of charts) {
      const c = world.curves.findIndex((curve) => curve.learner === learner);
      if (!plot || c < 0) continue;
      const [high, low, mean] = seriesOf(c);
      plot.batch(() => {
        plot.setSeries(high, { show: visible && view.bands });
        plot.setSeries(low, { show: visible && view.bands });
        plot.setSeries(mean, { show: visible });
      });
    }
  }

  /** One learner stands out while its entry of the legend is pointed at. */
  function emphasise(learner) {
    for (const { plot, world } of charts) {
      if (!plot) continue;
      const c = world.curves.findIndex((curve) => curve.learner === learner);
      plot.setSeries(c < 0 ? null : seriesOf(c)[2], { focus: c >= 0 });
    }
  }

  const lazily = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      const chart = charts[target.dataset.world];
      if (isIntersecting && !chart.plot) draw(chart);
    }
  }, { rootMargin: "400px" });
  const resized = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      const { plot } = charts[target.dataset.world];
      if (plot && plot.width !== size(target).width) plot.setSize(size(target));
    }
  });
  document.querySelectorAll(".chart").forEach((at) => {
    const chart = { at, world: data.worlds[at.dataset.world], plot: null };
    charts[at.dataset.world] = chart;
    at.addEventListener("keydown", (event) => keys(chart, event));
    if (!chart.world.curves.length) at.append(page.element("p", "No run has finished an episode here.", { class: "how" }));
    else lazily.observe(at), resized.observe(at);
  });

  document.querySelectorAll("[data-measure]").forEach((button) => button.addEventListener("click", () => {
    view.measure = button.dataset.measure;
    document.querySelectorAll("[data-measure]").forEach((b) => b.setAttribute("aria-pressed", b === button));
    redraw();
  }));
  document.querySelectorAll("[data-toggle]").forEach((button) => button.addEventListener("click", () => {
    view[button.dataset.toggle] = !view[button.dataset.toggle];
    button.setAttribute("aria-pressed", view[button.dataset.toggle]);
    redraw();
  }));
  document.querySelectorAll("[data-learner]").forEach((button) => {
    const learner = Number(button.dataset.learner);
    button.addEventListener("click", () => show(learner, !shown[learner]));
    button.addEventListener("mouseenter", () => emphasise(learner));
    button.addEventListener("mouseleave", () => emphasise(-1));
  });
  document.querySelectorAll("[data-all]").forEach((button) => button.addEventListener("click", () => {
    data.learners.forEach((_, learner) => show(learner, button.dataset.all === "true"));
  }));
  page.onTheme(redraw);
  page.charts = charts;
}
// Tables: sorted by a click on a heading, and cut down to rows with some words.
{
  /** Numbers before words, words by the alphabet; what is missing comes last either way. */
  function compare(a, b, down) {
    const [x, y] = [a.dataset.value, b.dataset.value];
    const sign = down ? -1 : 1;
    if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
    if (x !== undefined || y !== undefined) return x !== undefined ? -1 : 1;
    return sign * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  }

  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, c) => heading.querySelector("button").addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.setAttribute("aria-sort", "none"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort((a, b) => compare(a.cells[c], b.cells[c], down));
      table.tBodies[0].append(...rows);
    }));
  }
  document.querySelectorAll("table.sortable").forEach(sortable);

  document.querySelectorAll(".filter input").forEach((input) => input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of document.getElementById(input.getAttribute("aria-controls")).querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }));

  const every = document.getElementById("every-run");
  every.addEventListener("toggle", () => {
    const at = every.querySelector(".scroll");
    if (!every.open || at.firstChild) return;
    const columns = ["seed", "outcome", "episodes", "steps", "gap_regret", "regret", "planner_calls", "seconds"];
    const table = page.element("table", "", { class: "sortable" });
    const head = table.createTHead().insertRow();
    for (const name of ["world", "learner", ...columns]) {
      const button = page.element("button", name.replace("_", " "), { type: "button" });
      button.append(page.element("span", "", { class: "arrow", "aria-hidden": "true" }));
      const number = !["world", "learner", "outcome"].includes(name);
      head.append(page.element("th", "", { scope: "col", "aria-sort": "none", ...(number && { class: "n" }) }));
      head.lastChild.append(button);
    }
    const body = table.createTBody();
    for (const cell of page.data.runs) {
      for (const run of cell.each) {
        const row = body.insertRow();
        row.append(page.element("th", cell.world, { scope: "row" }), page.element("td", cell.learner));
        for (const name of columns) {
          const value = run[name];
          const words = typeof value === "string";
          row.append(page.element("td", words ? value : page.number(value, 8), words || value === null ? {} : { class: "n", "data-value": value }));
        }
      }
    }
    at.append(table);
    sortable(table);
  });
}
