// Pages of answers in text: their frame, on a phone, in the dark, on paper; the report of a first loop takes six screens.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { accessible, eventually, fits, opened, source, written } from './lib.mjs';

const pages = {};
before(() => {
  pages.report = written('report.html', ['loop', '--quick', '--backend', 'fake']);
  pages.reconcile = written('reconcile.html', ['reconcile'], { codes: [0, 1] });
  pages.measure = written('measure.html', ['measure', '--backend', 'fake']);
  pages.model = written('model.html', ['model', 'llama-3.1-8b', 'batch=16', '-m', 'h100']);
  pages.sweep = written('sweep.html', ['sweep', 'linear', 'batch=1..4096*2', 'in=4096', 'out=4096', '-m', 'a100']);
  pages.import = written('import.html', ['import', join(source, 'tests/fixtures/import/kineto.json'), '-m', 'a100']);
});

for (const name of ['report', 'reconcile', 'measure', 'model', 'sweep', 'import']) {
  test(`${name}: fits a phone, nothing serious for axe-core in light or dark, no message`, async () => {
    for (const [width, dark] of [[360, false], [1200, true]]) {
      const { page, problems, close } = await opened(pages[name], { width, dark });
      await fits(page);
      await accessible(page);
      for (const id of ['asked', 'reproduce']) assert.equal(await page.locator(`section#${id}`).count(), 1);
      assert.deepEqual(problems, []);
      await close();
    }
  });
}

test('the report of a first loop is at most six screens, long tables folded, and whole on paper', async () => {
  const { page, close } = await opened(pages.report, { width: 1200, height: 800 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) <= 6 * 800);
  const folded = page.locator('details:not([open]) table').first();
  assert.equal(await folded.isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  await eventually(async () => assert.ok((await folded.boundingBox())?.height > 0));
  await close();
});
