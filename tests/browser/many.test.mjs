// A page of 2,000 kernels.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { accessible, counts, eventually, legible, opened, scratch, source, written } from './lib.mjs';

const count = 2000;

let path;
before(() => {
  const kernels = [];
  for (let i = 0; i < count; i++) {
    const intensity = 10 ** ((i * 37 % 1000) / 250 - 1), bytes = 10 ** (6 + (i * 61 % 1000) / 300), flops = intensity * bytes;
    const seconds = Math.max(bytes / 3e12, flops / 6e13) * (1.1 + (i * 17 % 100) / 40);
    const name = `void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_${i}_${['nn', 'nt', 'tn'][i % 3]}_align4>(Params)`;
    kernels.push({ name, calls: 1 + i % 7, seconds, samples: [seconds], flops: { fp32: flops }, bytes: { DRAM: bytes } });
  }
  writeFileSync(join(scratch, 'many.json'), JSON.stringify({ schema: 'roofline.measurements/1', source: 'made', format: 'ncu', machine: 'h100', kernels, skipped: [] }));
  path = written('many.html', ['import', 'many.json', '--machine', 'h100']);
});

test('it stays under 1.5 MB, the script with its style under 48 KB of it', () => {
  assert.ok(statSync(path).size < 1.5e6, `${statSync(path).size} bytes`);
  const script = /<script>[^]*<\/script>/.exec(readFileSync(path, 'utf8'))[0];
  const style = readFileSync(join(source, 'web/page/page.css'));
  assert.ok(Buffer.byteLength(script) + style.length < 48_000, `${Buffer.byteLength(script) + style.length} bytes`);
});

test('it is searched, sorted and filtered, and the dots follow', async () => {
  const { page, problems, close } = await opened(path);
  const chart = page.locator('.broad svg.roofline'), table = page.locator('table', { has: page.locator('tbody tr:nth-child(100)') });
  await page.evaluate(() => { for (const node of document.querySelectorAll('details:not(.menu)')) node.open = true; });
  assert.equal(await table.locator('tbody tr').count(), count);
  const dots = await chart.locator('.dot').count();
  assert.equal(dots, 1024); // as many as a chart holds
  assert.deepEqual([...new Set(await chart.locator('.dot circle').evaluateAll((all) => all.map((one) => one.getAttribute('fill'))))].sort(), ['#0072b2', '#009e73']); // by the wall
  const search = page.getByRole('searchbox').last();
  await search.fill('_nt_align4');
  await eventually(async () => {
    const kept = await table.locator('tbody tr:visible').count(), left = await chart.locator('.dot.left').count();
    assert.ok(kept > 600 && kept < 700, `${kept} rows`);
    assert.ok(left > 0 && left < dots, `${left} of ${dots} dots step back`);
  });
  await search.fill('');
  await counts(chart.locator('.dot.left'), 0);
  await table.locator('thead th.n button, thead th button').nth(1).click();
  await eventually(async () => {
    const values = await table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.cells[1].dataset.value)));
    assert.ok(values.every((value, i) => i === 0 || value <= values[i - 1]));
  });
  assert.deepEqual(problems, []);
  await close();
});

test('on a telephone each dot has its row too', async () => {
  const { page, problems, close } = await opened(path, { width: 400, height: 800 });
  const dots = page.locator('.narrow .dot');
  assert.deepEqual(await dots.evaluateAll((all) => [all.length, all.filter(({ mark }) => mark.key === undefined || !mark.data.limit).length]), [1024, 0]);
  const last = await dots.last().getAttribute('data-key');
  await dots.last().dispatchEvent('click');
  await eventually(async () => assert.deepEqual(await page.locator('tr.chosen').evaluateAll((rows) => rows.map((row) => row.cells[0].textContent)), [last]));
  assert.equal(await legible(page), 1);
  assert.deepEqual(problems, []);
  await close();
});

test('short kernels are left out by a slider', async () => {
  const { page, close } = await opened(path);
  await page.locator('.menu summary', { hasText: 'Show' }).click();
  const slider = page.getByRole('slider').last(), dots = page.locator('.broad .dot:not(.off)');
  const all = await dots.count();
  const fewer = (than) => eventually(async () => {
    const left = await dots.count();
    assert.ok(left > 0 && left < than, `${left} of ${than}`);
    return left;
  });
  await slider.fill('60');
  const some = await fewer(all);
  await slider.fill('100');
  await fewer(some);
  await close();
});

test('nothing is serious for axe-core', async () => {
  const { page, close } = await opened(path);
  await accessible(page);
  await close();
});
