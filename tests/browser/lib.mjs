// What the browser tests share: the command, the browser, and what must hold for every page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const source = process.env.ROOFLINE_SOURCE;
/** A folder that ends with the test file: home, ledger and pages of the commands that it runs. */
export const scratch = mkdtempSync(join(tmpdir(), 'roofline-browser-'));
const home = { HOME: scratch, XDG_CONFIG_HOME: join(scratch, 'config'), TMPDIR: scratch };
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser;

/** What `roofline ARGUMENTS` prints; throws where it fails, but for the exit codes in `codes`. */
export function roofline(arguments_, { codes = [0], input } = {}) {
  try {
    return execFileSync(process.env.ROOFLINE, arguments_, {
      cwd: scratch, input, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, ...home },
    });
  } catch (error) {
    if (codes.includes(error.status)) return error.stdout;
    throw error;
  }
}

/** The path of a page that `roofline ARGUMENTS --to NAME` writes. */
export function written(name, arguments_, options) {
  roofline([...arguments_, '--to', name], options);
  return join(scratch, name);
}

function program(name) {
  for (const folder of process.env.PATH.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch { /* the next folder */ }
  }
  return name;
}

async function launched() {
  browser ??= chromium.launch({
    executablePath: program('chromium'),
    chromiumSandbox: process.getuid() !== 0, // root has no sandbox
    timeout: 90_000,
    env: { ...process.env, ...home },
  });
  return browser;
}

after(async () => {
  await (await browser)?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/**
 * Opens a file from disk (or `url`) in a browser of its own profile, after `init` was done there. `problems` collects what must not happen: messages of errors or
 * warnings, exceptions, requests other than the page itself.
 */
export async function opened(path, { width = 1200, height = 900, dark = false, scripts = true, hash = '', init = () => {}, ...rest } = {}) {
  const context = await (await launched()).newContext({
    viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: scripts, reducedMotion: 'reduce', ...rest,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.addInitScript(init);
  const problems = [];
  const url = /^[a-z]+:/.test(path) ? path : pathToFileURL(path).href;
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const asked = request.url().split('#')[0];
    if (asked !== url && !/^(data|blob):/.test(asked)) problems.push(`request: ${asked}`);
  });
  await page.goto(url + hash);
  return { page, problems, close: () => context.close() };
}

/** Waits until `holds` throws no more, and returns what it does: a page answers a moment after it was asked. */
export async function eventually(holds, seconds = 30) {
  for (const end = Date.now() + 1000 * seconds; ;) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((done) => { setTimeout(done, 20); });
  }
}

/** Waits until there are so many. */
export const counts = (locator, count) => eventually(async () => assert.equal(await locator.count(), count));

/** Waits until its text is this, or like this. */
export const says = (locator, words) => eventually(async () => {
  const text = await locator.textContent();
  if (words instanceof RegExp) assert.match(text, words);
  else assert.equal(text, words);
});

/** Does what a page reports for some seconds, and waits for the report. */
export const reported = (page, words, action) => Promise.all([page.getByRole('status').filter({ hasText: words }).waitFor(), action()]);

/** Makes the window so large, and waits until the page has the size. */
export async function resized(page, width, height) {
  await page.setViewportSize({ width, height });
  await eventually(async () => assert.equal(await page.evaluate(() => innerWidth), width));
}

/** Waits until the explorer has drawn its pictures for the window that it has, and computes nothing. */
export const drawn = (page) => eventually(async () => assert.ok(await page.evaluate(() => document.querySelector('main') && !document.querySelector('[aria-busy=true]') &&
  [...document.querySelectorAll('.picture svg')].every((svg) => Math.abs(svg.viewBox.baseVal.width - Math.max(340, Math.min(1100, svg.parentNode.clientWidth))) < 2))));

/** Fails where axe-core finds what is serious or critical. */
export async function accessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.length}, ${nodes[0].html.slice(0, 200)}`), []);
}

/** Fails where the page is wider than its window. */
export async function fits(page) {
  const [wide, window_] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window_, `${wide} pixels wide in a window of ${window_}`);
}

/** Fails where a picture is cut or has to be scrolled sideways, or where a text of it is small or leaves it. Returns how many there are. */
export async function legible(page) {
  const found = await page.evaluate(() => [...document.querySelectorAll('.chart svg, .picture svg')].filter((svg) => svg.getClientRects().length > 0).map((svg) => {
    const own = svg.getBoundingClientRect(), box = svg.parentNode, scale = own.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent !== '' && text.getClientRects().length > 0);
    const leaves = texts.filter((text) => {
      const { left, right } = text.getBoundingClientRect();
      return left < own.left - 2 || right > own.right + 2;
    });
    return { size: Math.min(...texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * scale)), wide: box.scrollWidth - box.clientWidth, leaves: leaves.map((text) => text.textContent) };
  }));
  for (const { size, wide, leaves } of found) {
    assert.ok(size >= 11, `a text is ${size} pixels high`);
    assert.ok(wide <= 1, `${wide} pixels to scroll`);
    assert.deepEqual(leaves, []);
  }
  return found.length;
}

const levels = '0123456789abcdef';

/** What the window shows as rows of sixteen levels of light, a digit for each 20 pixels squared: other fonts change it little. */
async function shades(page) {
  const picture = `data:image/png;base64,${(await page.screenshot({ scale: 'css' })).toString('base64')}`;
  const blank = await page.context().newPage();
  const rows = await blank.evaluate(async ([url, digits]) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const width = Math.ceil(image.width / 20), height = Math.ceil(image.height / 20);
    const canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const light = (i) => (0.2126 * data[4 * i] + 0.7152 * data[4 * i + 1] + 0.0722 * data[4 * i + 2]) / 256;
    return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (__, x) => digits[Math.floor(light(y * width + x) * 16)]).join(''));
  }, [picture, levels]);
  await blank.close();
  return rows;
}

/** Each cell beside the mean of those around it, so that a line moved by a few pixels is no difference. */
function blurred(rows) {
  const at = (y, x) => levels.indexOf(rows[y]?.[x] ?? rows[Math.min(y, rows.length - 1)][Math.min(x, rows[0].length - 1)]);
  return rows.map((row, y) => [...row].map((_, x) => {
    let sum = 0;
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) sum += at(Math.max(0, y + dy), Math.max(0, x + dx));
    return sum / 25;
  }));
}

/** Fails where the window shows something else than golden/NAME.txt. Another font moves up to a fifth of what is on a page, other pages a third
 *  and more. */
export async function alike(page, name) {
  const path = join(source, 'tests/browser/golden', `${name}.txt`), rows = await shades(page);
  if (process.env.ROOFLINE_UPDATE_GOLDEN === '1') {
    writeFileSync(path, `${rows.join('\n')}\n`);
    return;
  }
  const golden = readFileSync(path, 'utf8').trim().split('\n');
  assert.deepEqual([rows.length, rows[0].length], [golden.length, golden[0].length], `${name}: of another size`);
  const [a, b] = [blurred(rows).flat(), blurred(golden).flat()], paper = [...a].sort((x, y) => x - y)[a.length >> 1];
  const sum = (of) => a.reduce((total, value, i) => total + of(value, b[i]), 0);
  const off = sum((x, y) => Math.abs(x - y)) / sum((x, y) => Math.abs(x - paper) + Math.abs(y - paper));
  assert.ok(off < 0.25, `${name}: ${Math.round(100 * off)} % of what is on the page is elsewhere; look at it, then run with ROOFLINE_UPDATE_GOLDEN=1`);
}
