"use strict";
// The player: one frame for each episode that was kept.
{
  const { data } = page;
  const { frames, tables, best, grid } = data;
  const by = (id) => document.getElementById(id);
  const slider = by("slider");
  const stage = by("stage");
  const view = { at: 0, values: "learner", timer: null };
  const name = (s) => data.states[s] ?? String(s);
  const line = new Map(data.tracked.map((s, i) => [s, i]));
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  // one scale of colours for the whole run, made for the cells: what stands beside them may be far off
  const counts = (i) => !grid || grid.places[data.tracked[i]][0] < grid.rows;
  const most = Math.max(...[best, ...tables].map((table) => (table.v ?? []).reduce((m, v, i) => (v > m && counts(i) ? v : m), 0))) || 1;
  const RAMP = [[238, 245, 250], [158, 202, 225], [63, 143, 196], [8, 69, 111]];
  function colour(v) {
    const x = Math.min(1, Math.max(0, v / most)) * (RAMP.length - 1);
    const i = Math.min(RAMP.length - 2, Math.floor(x));
    return RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * (x - i)));
  }

  /** What is shown of a frame: the learner's values, or the truth. */
  const table = (frame) => (view.values === "best" ? best : tables[frame.table] ?? { v: null, policy: "" });

  function drawGrid(frame) {
    const rows = grid.rows + (grid.aside ? 1.5 : 0);
    const columns = Math.max(grid.columns, 2 * grid.aside - 1);
    const width = stage.parentElement.clientWidth - 34;
    const cell = Math.min(width / columns, Math.max(10, Math.min(112, 600 / rows)));
    const ratio = devicePixelRatio;
    stage.style.width = columns * cell + "px";
    stage.style.height = rows * cell + "px";
    stage.width = Math.round(columns * cell * ratio);
    stage.height = Math.round(rows * cell * ratio);
    const ctx = stage.getContext("2d");
    ctx.scale(ratio, ratio);
    const { v, policy } = table(frame);
    const spot = (s) => [grid.places[s][1] * cell, grid.places[s][0] * cell];
    ctx.textAlign = "center";
    data.tracked.forEach((s, i) => {
      const [x, y] = spot(s);
      const value = v?.[i] ?? null;
      const rgb = value === null ? null : colour(value);
      ctx.fillStyle = rgb ? `rgb(${rgb})` : page.colour("grid");
      ctx.fillRect(x + 0.5, y + 0.5, cell - 1, cell - 1);
      const light = rgb ? rgb[0] * 0.3 + rgb[1] * 0.59 + rgb[2] * 0.11 > 140 : !page.dark();
      const ink = light ? "#22262b" : "#ffffff";
      const letter = s === data.goal ? "goal" : s === data.start ? "start" : null;
      if (letter) {
        ctx.strokeStyle = s === data.goal ? "#009e73" : ink;
        ctx.lineWidth = Math.max(1.5, cell / 18);
        ctx.strokeRect(x + 2, y + 2, cell - 4, cell - 4);
      }
      ctx.fillStyle = ink;
      if (cell >= 34) {
        ctx.font = `${Math.round(Math.min(12, cell / 4.5))}px Inter, "Segoe UI", Roboto, Arial, sans-serif`;
        const label = letter ?? (grid.places[s][0] >= grid.rows ? name(s) : null);
        if (label) ctx.fillText(label, x + cell / 2, y + Math.min(14, cell * 0.24), cell - 6);
        if (value !== null) ctx.fillText(page.number(value, 3), x + cell / 2, y + cell - Math.min(6, cell * 0.1));
      }
      const way = policy?.[i];
      if (cell >= 12 && way !== undefined && way !== "." && s !== data.goal) arrow(ctx, x + cell / 2, y + cell / 2, cell * 0.22, Number(way), ink);
    });
    drawPath(ctx, frame.path, cell, spot);
  }

  function arrow(ctx, x, y, r, eighths, ink) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate((eighths * Math.PI) / 4);
    ctx.strokeStyle = ctx.fillStyle = ink;
    ctx.globalAlpha = 0.75;
    ctx.lineWidth = Math.max(1, r / 6);
    ctx.beginPath();
    ctx.moveTo(0, r);
    ctx.lineTo(0, -r * 0.4);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(0, -r);
    ctx.lineTo(r * 0.5, -r * 0.25);
    ctx.lineTo(-r * 0.5, -r * 0.25);
    ctx.fill();
    ctx.restore();
  }

  /** The path, a little beside the middle so that ways there and back can be told apart. */
  function drawPath(ctx, path, cell, spot) {
    const centre = (s, i) => {
      const [x, y] = spot(s);
      const turn = i * 2.399963; // the golden angle: no two visits of a cell coincide
      const r = path.length > 3 ? cell * (path.length > 60 ? 0.17 : 0.1) : 0;
      return [x + cell / 2 + r * Math.cos(turn), y + cell / 2 + r * Math.sin(turn)];
    };
    const points = path.map(centre);
    ctx.lineJoin = ctx.lineCap = "round";
    const thick = Math.max(1, (cell / 32 + 1) / Math.sqrt(1 + path.length / 80)); // many steps, thin lines
    for (const [stroke, width] of [["rgba(255,255,255,.8)", thick + 2.4], ["rgba(213,94,0,.85)", thick]]) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width;
      ctx.beginPath();
      points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.stroke();
    }
    const dot = ([x, y], fill) => {
      ctx.fillStyle = fill;
      ctx.strokeStyle = "#ffffff";
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.arc(x, y, Math.max(3, Math.min(7, cell / 9)), 0, 7);
      ctx.fill();
      ctx.stroke();
    };
    dot(points[0], "#22262b");
    dot(points[points.length - 1], "#d55e00");
  }

  function drawTable(frame) {
    const visits = new Map();
    frame.path.forEach((s) => visits.set(s, (visits.get(s) ?? 0) + 1));
    const { v, policy } = tables[frame.table] ?? { v: null, policy: [] };
    const rows = data.tracked.map((s, i) => {
      const row = page.element("tr");
      const cells = [visits.get(s) ?? 0, v?.[i], best.v[i]];
      row.append(page.element("th", name(s), { scope: "row" }));
      row.append(...cells.map((x) => page.element("td", page.number(x ?? null, 5), { class: "n" })));
      row.append(page.element("td", policy?.[i] ?? "–"), page.element("td", best.policy[i] ?? "–"));
      return row;
    });
    stage.tBodies[0].replaceChildren(...rows);
  }

  const curve = by("curve");
  const points = frames.map((frame) => [frame.k, frame.gap ?? 0]);
  const top = Math.max(0, ...points.map((p) => p[1])) || 1;
  const first = points[0]?.[0] ?? 0;
  const span = (points.at(-1)?.[0] ?? 1) - first || 1;
  const cx = (k) => 44 + ((k - first) / span) * 426;
  const cy = (gap) => 100 - (gap / top) * 88;
  curve.append(
    theta.svg("path", { class: "axis", d: "M44 8V100H472" }),
    theta.svg("text", { x: 40, y: 16, "text-anchor": "end" }, page.number(top, 3)),
    theta.svg("text", { x: 40, y: 103, "text-anchor": "end" }, "0"),
    theta.svg("text", { x: 44, y: 115 }, "episode " + page.number(first)),
    theta.svg("text", { x: 472, y: 115, "text-anchor": "end" }, page.number(first + span)),
    theta.svg("polyline", { class: "line", points: points.map(([k, gap]) => `${cx(k).toFixed(1)},${cy(gap).toFixed(1)}`).join(" ") }),
  );
  const marker = theta.svg("circle", { class: "dot", r: 4.5 });
  curve.append(marker);

  function show(at) {
    if (!frames.length) return;
    view.at = Math.min(frames.length - 1, Math.max(0, at));
    const frame = frames[view.at];
    slider.value = view.at;
    const of = `episode ${page.number(frame.k)} of ${page.number(data.episodes)}`;
    slider.setAttribute("aria-valuetext", of);
    by("now").textContent = of[0].toUpperCase() + of.slice(1) + (frame.finished ? "" : " (not finished)");
    const cut = frame.steps >= frame.path.length ? `, of which the first ${page.number(frame.path.length - 1)} are shown` : "";
    const plans = frame.plan === undefined ? "" : `; ${page.number(frame.plan)} ${frame.plan === 1 ? "plan" : "plans"} so far`;
    by("said").textContent = `${page.number(frame.steps)} ${frame.steps === 1 ? "step" : "steps"}${cut}, cost ${page.number(frame.cost, 5)}; gap regret of the run ${page.number(frame.gap, 5)}${plans}.`;
    document.querySelector("#way p").textContent = frame.path.map(name).join(" → ");
    (grid ? drawGrid : drawTable)(frame);
    marker.setAttribute("cx", cx(frame.k));
    marker.setAttribute("cy", cy(frame.gap ?? 0));
    theta.show(frame);
  }

  function play(on) {
    clearInterval(view.timer);
    view.timer = null;
    by("play").textContent = on ? "Pause" : "Play";
    if (!on) return;
    if (view.at === frames.length - 1) show(0);
    view.timer = setInterval(() => {
      if (view.at >= frames.length - 1) play(false);
      else show(view.at + 1);
    }, 1000 / Number(by("speed").value));
  }

  slider.addEventListener("input", () => show(Number(slider.value)));
  by("play").addEventListener("click", () => play(view.timer === null));
  by("back").addEventListener("click", () => show(view.at - 1));
  by("forth").addEventListener("click", () => show(view.at + 1));
  by("speed").addEventListener("change", () => view.timer !== null && play(true));
  document.querySelectorAll("[data-values]").forEach((button) => button.addEventListener("click", () => {
    view.values = button.dataset.values;
    document.querySelectorAll("[data-values]").forEach((b) => b.setAttribute("aria-pressed", b === button));
    show(view.at);
  }));
  document.addEventListener("keydown", (event) => {
    // what has keys of its own keeps them
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, button, summary, a, .scroll")) return;
    const to = { ArrowRight: view.at + 1, ArrowLeft: view.at - 1, Home: 0, End: frames.length - 1 }[event.key];
    if (to !== undefined) show(to);
    else if (event.key === " ") play(view.timer === null);
    else return;
    event.preventDefault();
  });
  if (grid) {
    by("least").textContent = "0";
    by("most").textContent = page.number(most, 3);
    new ResizeObserver(() => show(view.at)).observe(stage.parentElement);
  }
  page.onTheme(() => show(view.at));
  if (calm.matches) by("speed").value = "1";
  show(0);
}
