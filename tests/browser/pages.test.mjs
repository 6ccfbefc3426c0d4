// Every kind of page at the width of a telephone, a tablet and a screen, light and dark: no message, no request, as wide as its window, nothing
// serious for axe-core, and loosely the picture that golden/ has. ROOFLINE_UPDATE_GOLDEN=1 writes those again; look at the pages first.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, alike, fits, opened, source, written } from './lib.mjs';

const fixture = (name) => join(source, 'tests/fixtures/import', name);
const pages = {
  loop: ['loop', '--quick', '--backend', 'fake'],
  reconcile: ['reconcile'], // what the loop before it sealed and recorded
  measure: ['measure', '--quick', '--backend', 'fake'],
  plot: ['plot', 'gemm', 'm=4096', 'n=4096', 'k=4096', '-m', 'h100', '-m', 'a100'],
  sweep: ['sweep', 'gemm', 'm=1..4096*2', 'n=4096', 'k=4096', '-m', 'h100'],
  model: ['model', 'llama-3.1-8b', 'batch=1..64*2', '-m', 'h100'],
  import: ['import', fixture('kineto.json'), '-m', 'h100'],
};

for (const [name, words] of Object.entries(pages)) {
  test(`the page of ${name}`, async () => {
    const path = written(`${name}.html`, words, { codes: [0, 1] });
    for (const width of [360, 800, 1600]) {
      for (const dark of [false, true]) {
        const { page, problems, close } = await opened(path, { width, height: 1200, dark });
        await page.locator('h1').waitFor();
        await fits(page);
        await accessible(page);
        await alike(page, `${name}-${width}-${dark ? 'dark' : 'light'}`);
        assert.deepEqual(problems, []);
        await close();
      }
    }
  });
}
