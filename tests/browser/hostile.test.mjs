// Names that are meant to be more than text: markup, quotes, scripts, other directions, very long. They show as what they are.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { accessible, counts, eventually, fits, opened, says, scratch, written } from './lib.mjs';

const names = [
  '<script>globalThis.broken = 1</script>', '"><img src=x onerror="globalThis.broken=1">', "' onclick='globalThis.broken=1", '</title></style></script><b>bold</b>',
  ']]><script>globalThis.broken=1</script>', 'javascript:globalThis.broken=1', 'שלום (1) <2>', 'مرحبا يا عالم', '행렬 곱 🚀', '${globalThis.broken = 1}', '=1+1', '-cmd|x',
  '__proto__', 'constructor', '&lt;b&gt;', `long${'x'.repeat(10_000)}`, `words ${'several of them '.repeat(600)}`,
];

let path;
before(() => {
  const kernels = names.map((name, i) => ({
    name, calls: 1, seconds: 1e-4 * (i + 1), samples: [1e-4 * (i + 1)], flops: { fp32: 1e9 }, bytes: { DRAM: 1e8 / (i + 1) },
  }));
  writeFileSync(join(scratch, 'hostile.json'), JSON.stringify({
    schema: 'roofline.measurements/1', source: names[0], format: 'ncu', machine: 'nvidia-h100-sxm', kernels, skipped: [],
  }));
  path = written('hostile.html', ['import', 'hostile.json', '--machine', 'h100']);
});

for (const scripts of [true, false]) {
  test(`hostile names are text, with scripts ${scripts ? 'on' : 'off'}`, async () => {
    const { page, problems, close } = await opened(path, { scripts });
    await page.locator('svg').first().waitFor();
    assert.equal(await page.locator('b, img, main script').count(), 0);
    assert.ok((await page.content()).includes('&lt;script&gt;'));
    assert.deepEqual(problems, []);
    await close();
  });
}

test('every control does with hostile names what it does with others', async () => {
  const { page, problems, close } = await opened(path, { width: 800 });
  await page.evaluate(() => { for (const node of document.querySelectorAll('details:not(.menu)')) node.open = true; });
  for (const dot of await page.locator('.dot').all()) {
    await dot.focus();
    await page.keyboard.press('Enter');
  }
  await page.locator('.card').waitFor();
  await eventually(async () => {
    const box = await page.locator('.card').boundingBox();
    assert.ok(box.height < 500 && box.width < 420, JSON.stringify(box));
  });
  await page.locator('.dot').first().hover({ force: true });
  const table = page.locator('main table').last();
  for (const head of await table.locator('thead button').all()) await head.click();
  await page.getByRole('searchbox').last().fill('<script>');
  await counts(table.locator('tbody tr:visible'), 2);
  await page.locator('.menu summary', { hasText: 'CSV' }).last().click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Save CSV/ }).last().click()]);
  const csv = await new Response((await download.createReadStream())).text();
  assert.match(csv, /\n<script>globalThis\.broken = 1<\/script>,/);
  await page.getByRole('searchbox').last().fill('1+1');
  await says(table.locator('tbody tr:visible th').first(), /^=1\+1/);
  assert.equal(await page.evaluate(() => globalThis.broken), undefined);
  await accessible(page);
  await fits(page);
  assert.deepEqual(problems, []);
  await close();
});

test('a script that came into the page does not run', async () => {
  const { page, close } = await opened(path);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.broken = 1';
    document.body.append(script);
    document.body.setAttribute('onclick', 'globalThis.broken = 1');
    document.body.click();
  });
  assert.equal(await page.evaluate(() => globalThis.broken), undefined);
  await close();
});
