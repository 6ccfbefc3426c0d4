// A page of a chart, opened from disk as somebody does who was sent it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, opened, written } from './lib.mjs';

const path = written('gemm.html', ['plot', 'gemm', 'm=4096', 'n=4096', 'k=4096', '-m', 'h100']);

for (const dark of [false, true]) {
  test(`a page opens from disk, ${dark ? 'dark' : 'light'}: no message, no request, nothing serious for axe-core`, async () => {
    const { page, problems, close } = await opened(path, { dark });
    assert.match(await page.title(), /H100/);
    await page.locator('svg').first().waitFor();
    await accessible(page);
    assert.deepEqual(problems, []);
    await close();
  });
}

test('a narrow page is as wide as its window', async () => {
  const { page, close } = await opened(path, { width: 360, height: 700 });
  await fits(page);
  await close();
});

test('a page is complete with scripts off', async () => {
  const { page, problems, close } = await opened(path, { scripts: false });
  await page.locator('svg').first().waitFor();
  assert.ok(await page.locator('table').count() > 0);
  assert.deepEqual(problems, []);
  await close();
});
