// A page of a chart, opened from disk as somebody does who was sent it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, counts, fits, legible, opened, resized, says, source, written } from './lib.mjs';

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

test('a dot of a phase of a model has the limit of its machine, and the phases can be left out', async () => {
  const { page, problems, close } = await opened(written('phases.html', ['model', 'llama-3.1-8b', 'batch=8', '-m', 'h100']));
  const chart = page.locator('.broad svg.roofline'), card = page.locator('.card');
  await chart.locator('.dot[data-name="prefill down_proj"]').hover({ force: true });
  await says(card, /at 2\d+ FLOP\/byte: 989\.4 TFLOP\/s limit \(bf16 matrix\)/);
  await chart.locator('.dot[data-name="decode down_proj"]').dispatchEvent('pointerover'); // a larger one lies over it
  await says(card, /FLOP\/byte × 3\.350 TB\/s \(HBM\) = /);
  await chart.locator('.dot[data-name="decode add_norm"]').dispatchEvent('pointerover'); // no ceiling of the picture: no product
  await says(card, /at 0\.7273 FLOP\/byte: 393\.2 GFLOP\/s limit/);
  await page.locator('.menu summary', { hasText: 'Show' }).first().click();
  await page.getByRole('group', { name: 'Series' }).first().getByLabel('prefill').uncheck();
  await counts(chart.locator('.dot[data-series=prefill]:not(.off)'), 0);
  assert.ok(await chart.locator('.dot[data-series=decode]:not(.off)').count() > 0);
  assert.deepEqual(problems, []);
  await close();
});

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

const fixture = (name) => join(source, 'tests/fixtures/import', name);
const kinds = {
  many: ['plot', 'gemm', 'm=1..65536*2', 'n=4096', 'k=4096', '--machine', 'h100', '--machine', 'mi300x', '--machine', 'gb200'],
  formats: ['plot', 'gemm', 'm=n=k=4096', '--machine', 'h100', '--dtype', 'fp8,fp16,tf32'],
  linear: ['plot', 'gemm', 'm=1,256,4096', 'n=k=4096', '--machine', 'h100', '--linear'],
  bars: ['plot', 'peaks', '--machine', 'h100', '--machine', 'a100'],
  bandwidths: ['plot', 'bandwidths', '--machine', join(source, 'examples/epyc.json')],
  model: ['model', 'llama-3.1-8b', '--machine', 'h100'],
  batches: ['model', 'llama-3.1-8b', 'batch=1..64*2', '--machine', 'h100', '--machine', 'a100'],
  sweep: ['sweep', 'attention', 'batch=1', 'heads=32', 'q_len=1..4096*2', 'kv_len=4096', 'head_dim=128', '--machine', 'h100'],
  energy: ['energy', 'gemm', 'm=1,4096', 'n=k=4096', '--machine', 'h100', '--machine', 'a100'],
  plans: ['plan', 'llama-3.1-8b', '--users', '16', '--machine', 'h100', '--machine', 'a100'],
  streams: ['import', fixture('kineto-streams.json'), '--machine', 'h100'],
  profile: ['import', fixture('ncu-metrics.csv'), '--machine', 'a100', '--levels'],
};

test('every chart is read without scrolling in windows of every width, its text at least 11 pixels high', async () => {
  for (const [name, words] of Object.entries(kinds)) {
    const { page, close } = await opened(written(`${name}.html`, words), { width: 360, height: 700, scripts: false });
    for (const width of [360, 400, 700, 799, 800, 960, 1280, 1600]) {
      await resized(page, width, 700);
      assert.ok(await legible(page) > 0, name);
    }
    await close();
  }
});

test('a window that becomes narrow has the tools of the chart that it shows, and what was chosen', async () => {
  const { page, problems, close } = await opened(path, { width: 1200, height: 900 });
  await page.locator('.dot:visible').first().click();
  await resized(page, 400, 800);
  await page.locator('.narrow .dot.chosen').waitFor(); // the page follows its window with the next picture that the browser draws
  await counts(page.locator('.tools:visible', { hasText: 'Reset' }), 1);
  await counts(page.locator('.dot.chosen:visible'), 1);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForFunction(() => document.querySelector('.narrow.zoomed'));
  assert.equal(await legible(page), 1);
  assert.deepEqual(problems, []);
  await close();
});

test('ids are unique', () => {
  const ids = [...readFileSync(path, 'utf8').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
});
