// Opens a report and a replay in Chromium and does what a reader does.
//
//   node report.mjs PLAYWRIGHT CHROMIUM FOLDER REPORT [REPLAY ...]
//
// Prints a line for every check, saves screenshots to FOLDER, and ends with 1 if anything failed.

import { createRequire } from "node:module";
import { statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { checkReplay } from "./replay.mjs";

const [home, executablePath, folder, report, ...replays] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(home), "package.json"))("playwright-core");

/** The largest report that we promise anything of, and how long it may take to open. */
const BYTES = 5_000_000;
const SECONDS = 2;

let failed = 0;
function check(name, passed, detail = "") {
  console.log(`${passed ? "ok    " : "FAILED"}  ${name}${detail === "" ? "" : ` (${detail})`}`);
  if (!passed) failed += 1;
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

/** A page that notes every complaint and every request. */
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  // that pixels are read back is our own doing
  const ours = (text) => text.includes("willReadFrequently");
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !ours(message.text()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  const began = performance.now();
  await page.goto(pathToFileURL(resolve(file)).href, { waitUntil: "load" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, complaints, requests, seconds: (performance.now() - began) / 1000, close: () => context.close() };
}

/** How many pixels of a chart are neither empty nor its grid's, and how many of one colour. */
function pixels(page, world, hex = null) {
  return page.evaluate(([world, hex]) => {
    const canvas = document.querySelector(`.chart[data-world="${world}"] canvas`);
    if (!canvas) return 0;
    const wanted = hex && [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 200) continue;
      const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
      if (wanted ? wanted.every((x, c) => Math.abs(x - data[i + c]) < 6) : Math.max(r, g, b) - Math.min(r, g, b) > 40) count += 1;
    }
    return count;
  }, [world, hex]);
}

const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const pressed = (page, selector) => page.getAttribute(selector, "aria-pressed");

async function curves(page) {
  const first = page.locator(".chart").first();
  await first.scrollIntoViewIfNeeded();
  await settle(page);
  const all = await pixels(page, 0);
  check("curves are drawn", all > 500, `${all} coloured pixels`);

  const own = await page.evaluate(() => {
    const { worlds, learners } = JSON.parse(document.getElementById("data").textContent);
    // colours that only one curve has
    const own = worlds[0].curves.map((c) => c.learner).filter((l) => learners.filter((o) => o.light === learners[l].light).length === 1);
    return own.map((learner) => ({ learner, colour: learners[learner].light }));
  });
  // of these the one that is seen best: curves may lie upon others
  let best = { learner: 0, colour: null, seen: 0 };
  for (const { learner, colour } of own) {
    const seen = await pixels(page, 0, colour);
    if (seen > best.seen) best = { learner, colour, seen };
  }
  const { learner, colour } = best;
  const button = `[data-learner="${learner}"]`;
  const before = await pixels(page, 0, colour);
  const drawn = () => page.evaluate(() => document.querySelector(".chart canvas").toDataURL());
  const first_drawn = await drawn();
  await page.click(button);
  await page.mouse.move(2, 2);
  await settle(page);
  const hidden = await pixels(page, 0, colour);
  check("a learner's curve vanishes", (await pressed(page, button)) === "false" && (colour ? hidden < before * 0.1 : (await drawn()) !== first_drawn), `${before} to ${hidden}`);
  await page.focus(button);
  await page.keyboard.press("Space");
  await settle(page);
  const again = await pixels(page, 0, colour);
  check("and comes back, by the keyboard", (await pressed(page, button)) === "true" && again === before, `${again}`);

  const picture = () => page.evaluate(() => document.querySelector(".chart canvas").toDataURL());
  for (const toggle of ["logY", "logX", "bands"]) {
    const was = await picture();
    await page.click(`[data-toggle="${toggle}"]`);
    await settle(page);
    const now = await picture();
    const drawn = await pixels(page, 0);
    check(`${toggle} changes the picture`, was !== now && drawn > 500, `${drawn} coloured pixels`);
    await page.click(`[data-toggle="${toggle}"]`);
    await settle(page);
    check(`${toggle} and back`, (await picture()) === was);
  }
  const was = await picture();
  await page.click('[data-measure="regret"]');
  await settle(page);
  check("the regret is another picture", (await picture()) !== was);
  await page.click('[data-measure="gap_regret"]');
  await settle(page);
  check("and the gap regret the same as before", (await picture()) === was);
}

async function pointer(page) {
  const over = page.locator(".chart .u-over").first();
  // a long legend may have pushed it out of sight
  await over.scrollIntoViewIfNeeded();
  await settle(page);
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await settle(page);
  const tip = await page.locator(".chart .tip").first().textContent();
  check("hovering shows values", /episode [\d,]+/.test(tip) && /\d/.test(tip.split("episode")[1]), tip.slice(0, 50));
  const range = () => page.evaluate(() => document.querySelector(".chart canvas").toDataURL());
  const was = await range();
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height * 0.5);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.52, { steps: 5 });
  await page.mouse.up();
  await settle(page);
  check("dragging zooms in", (await range()) !== was);
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await settle(page);
  check("a double click shows all again", (await range()) === was);

  await page.mouse.move(2, 2);
  await page.locator(".chart").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const said = await page.locator(".readout").first().textContent();
  check("arrow keys read the curves", /^Episode \d+: .+ \d/.test(said), said.slice(0, 60));
  await page.keyboard.press("+");
  await settle(page);
  check("+ zooms in", (await range()) !== was);
  await page.keyboard.press("Escape");
  await settle(page);
  check("Escape shows all again", (await range()) === was);
}

async function tables(page) {
  const table = page.locator("#cells table.sortable");
  const column = (await table.locator("thead th").allTextContents()).findIndex((text) => text.trim() === "gap regret");
  const values = () => table.locator(`tbody tr > :nth-child(${column + 1})`).evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.value ?? "NaN")).filter((x) => !Number.isNaN(x)));
  const heading = table.locator("thead th").nth(column);
  const rising = (list) => list.every((x, i) => i === 0 || list[i - 1] <= x);
  await heading.locator("button").click();
  check("a click sorts", (await heading.getAttribute("aria-sort")) === "ascending" && rising(await values()));
  await heading.locator("button").focus();
  await page.keyboard.press("Enter");
  check("the keyboard sorts the other way", (await heading.getAttribute("aria-sort")) === "descending" && rising((await values()).reverse()));
  const rows = await page.evaluate(() => {
    const { runs } = JSON.parse(document.getElementById("data").textContent);
    const shown = [...document.querySelectorAll("#cells tbody tr")];
    const find = (cell) => shown.find((row) => row.cells[0].textContent === cell.world && row.cells[1].textContent === cell.learner);
    return runs.filter((cell) => cell.gap_regret !== null && Number(find(cell)?.cells[3].dataset.value) !== cell.gap_regret).length;
  });
  check("the table has the numbers of the data", rows === 0, `${rows} differ`);
  await page.click("#every-run summary");
  await page.waitForSelector("#every-run table");
  const each = await page.evaluate(() => [JSON.parse(document.getElementById("data").textContent).runs.reduce((n, cell) => n + cell.each.length, 0), document.querySelectorAll("#every-run tbody tr").length]);
  check("every run has a row", each[0] === each[1], each.join(" and "));
  await page.click("#every-run summary");
}

/** The contrast of every text with its background (WCAG AA), for the elements that show text. */
async function contrast(page, theme) {
  const worst = await page.evaluate(() => {
    const channel = (x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    let worst = [99, ""];
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !element.checkVisibility() || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(ground(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < worst[0]) worst = [ratio, element.tagName + " " + element.textContent.trim().slice(0, 30)];
    }
    return worst;
  });
  check(`text can be read (${theme})`, worst[0] >= 4.5, `${worst[0].toFixed(2)} at ${worst[1]}`);
}

async function themes(file, name) {
  for (const theme of ["light", "dark"]) {
    const { page, complaints, close } = await open(file, { colorScheme: theme });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await settle(page);
    await contrast(page, theme);
    const was = await ground();
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    await page.evaluate(async () => {
      // charts are drawn when they come into view
      for (const chart of document.querySelectorAll(".chart")) {
        chart.scrollIntoView();
        await new Promise((done) => setTimeout(done, 60));
      }
      scrollTo(0, 0);
    });
    await page.screenshot({ path: join(folder, `${name}-${theme}-whole.png`), fullPage: true });
    await page.click("#theme");
    await settle(page);
    check(`the button leaves the ${theme} theme`, (await ground()) !== was);
    check(`no complaint (${theme})`, complaints.length === 0, complaints.join("; "));
    await close();
  }
  const { page, close } = await open(file, { viewport: { width: 390, height: 844 } });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check("a narrow window needs no sideways scrolling", wide <= 0, `${wide} px too wide`);
  await page.screenshot({ path: join(folder, `${name}-narrow.png`), fullPage: false });
  await page.locator(".chart, .stage").first().scrollIntoViewIfNeeded();
  await settle(page);
  await page.screenshot({ path: join(folder, `${name}-narrow-middle.png`), fullPage: false });
  await close();
}

/** What holds of every page. */
async function opens(file) {
  const opened = await open(file);
  const bytes = statSync(file).size;
  check(`${basename(file)} is below 5 MB`, bytes < BYTES, `${(bytes / 1e6).toFixed(2)} MB`);
  // a machine that is busy with something else may need another try
  let seconds = opened.seconds;
  for (let tries = 1; tries < 3 && seconds >= SECONDS; tries += 1) {
    const again = await open(file);
    seconds = Math.min(seconds, again.seconds);
    await again.close();
  }
  check("opens under 2 s", seconds < SECONDS, `${seconds.toFixed(2)} s`);
  const { page } = opened;
  const alt = await page.evaluate(() => [...document.images].filter((image) => !image.alt.trim()).length);
  check("every image has an alternative text", alt === 0);
  const landmarks = await page.evaluate(() => ["main", "header", "h1"].every((tag) => document.querySelectorAll(tag).length === 1));
  check("the page has its landmarks", landmarks);
  await page.keyboard.press("Tab");
  check("the first Tab offers to skip", (await page.evaluate(() => document.activeElement.className)) === "skip");
  return opened;
}

function silent({ complaints, requests }) {
  check("no complaint in the console", complaints.length === 0, complaints.join("; "));
  const others = requests.filter((url) => !url.startsWith("data:")).slice(1);
  check("no request", others.length === 0, others.join(", "));
}

try {
  const opened = await opens(report);
  await curves(opened.page);
  await pointer(opened.page);
  await tables(opened.page);
  silent(opened);
  await opened.close();
  await themes(report, "report");
  for (const replay of replays) {
    const opened = await opens(replay);
    await checkReplay(opened.page, check, settle);
    silent(opened);
    await opened.close();
    await themes(replay, basename(replay, ".html"));
  }
} finally {
  await browser.close();
}
console.log(failed ? `${failed} checks failed` : "all checks passed");
process.exit(failed ? 1 : 0);
