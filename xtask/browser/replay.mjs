// What a reader does with a replay.

/** The picture or the table of the episode, as something that can be compared. */
const stage = (page) => page.evaluate(() => {
  const at = document.getElementById("stage");
  return at instanceof HTMLCanvasElement ? at.toDataURL() : at.textContent;
});
const words = (page) => page.locator("#way p").evaluate((p) => p.textContent);
const now = (page) => page.textContent("#now");

export async function checkReplay(page, check, settle) {
  const frames = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).frames);
  check("it begins with the first episode", (await now(page)).startsWith(`Episode ${frames[0].k} of`), await now(page));
  const expected = (i) => page.evaluate((i) => {
    const { frames, states } = JSON.parse(document.getElementById("data").textContent);
    return frames[i].path.map((s) => states[s]).join(" → ");
  }, i);
  const [first, path] = [await stage(page), await words(page)];
  check("the path is the one that was recorded", path === (await expected(0)), path.slice(0, 60));

  // an episode with another path than the first
  const differs = frames.findIndex((frame) => frame.path.join() !== frames[0].path.join());
  const other = differs < 0 ? Math.min(1, frames.length - 2) : differs;
  await page.locator("#slider").evaluate((slider, at) => {
    slider.value = at;
    slider.dispatchEvent(new Event("input"));
  }, other);
  await settle(page);
  check("the slider moves the path", (await words(page)) === (await expected(other)) && (differs < 0 || (await stage(page)) !== first), await now(page));

  await page.locator("#slider").focus();
  await page.keyboard.press("ArrowRight");
  check("arrow keys on the slider go on", (await page.inputValue("#slider")) === String(other + 1));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowLeft");
  check("arrow keys go back", (await page.inputValue("#slider")) === String(other));
  await page.keyboard.press("End");
  await settle(page);
  check("End is the last episode", (await page.inputValue("#slider")) === String(frames.length - 1));
  check("what the learner knows has changed", (await stage(page)) !== first);
  await page.keyboard.press("Home");
  await settle(page);
  check("and Home the first, as before", (await stage(page)) === first && (await words(page)) === path);

  await page.selectOption("#speed", "15");
  await page.click("#play");
  await page.waitForFunction(() => Number(document.getElementById("slider").value) >= 2, null, { timeout: 5000 });
  await page.click("#play");
  const stopped = await page.inputValue("#slider");
  await page.waitForTimeout(300);
  check("play and pause", (await page.inputValue("#slider")) === stopped && (await page.textContent("#play")) === "Play", stopped);

  if (await page.locator("#bars").count()) {
    const width = (i) => page.evaluate((i) => {
      const { frames } = JSON.parse(document.getElementById("data").textContent);
      return frames.at(i).ends.reduce((sum, [low, high]) => sum + high - low, 0);
    }, i);
    const drawn = () => page.locator(".track .span").evaluateAll((spans) => spans.reduce((sum, span) => sum + span.getBoundingClientRect().width, 0));
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Home");
    const before = await drawn();
    await page.keyboard.press("End");
    const after = await drawn();
    const ratio = (await width(-1)) / (await width(0));
    check("the bars are as wide as the intervals", Math.abs(after / before - ratio) < 0.05, `${(after / before).toFixed(3)} and ${ratio.toFixed(3)}`);
    const outline = await page.locator("#plane .region").count();
    const corners = frames.at(-1).outline?.length ?? 0;
    check("the set has its outline", corners === 0 || outline === 1, `${corners} corners`);
  }
  const button = page.locator('[data-values="best"]');
  if (await button.count()) {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Home");
    await settle(page);
    const believed = await stage(page);
    await button.click();
    await settle(page);
    check("the truth is another picture", (await stage(page)) !== believed);
  }
}
