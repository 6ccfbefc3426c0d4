// What the browser tests share: the command, the browser, and what must hold for every page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
 * Opens a file from disk (or `url`) in a browser of its own profile. `problems` collects what must not happen: messages of errors or
 * warnings, exceptions, requests other than the page itself.
 */
export async function opened(path, { width = 1200, height = 900, dark = false, scripts = true, hash = '', ...rest } = {}) {
  const context = await (await launched()).newContext({
    viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: scripts, reducedMotion: 'reduce', ...rest,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
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
