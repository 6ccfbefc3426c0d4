// The report of a loop, used as somebody does who was sent it: every control, by mouse and by keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { accessible, counts, eventually, opened, reported, written } from './lib.mjs';

let path;
before(() => { path = written('report.html', ['loop', '--quick', '--backend', 'fake']); });

/** Opens the report, does what `body` says and holds that nothing went wrong on the way. */
function on(name, body, options) {
  test(name, async () => {
    const { page, problems, close } = await opened(path, options);
    const chart = page.locator('svg.roofline').first();
    await chart.scrollIntoViewIfNeeded();
    await body(page, chart);
    assert.deepEqual(problems, []);
    await close();
  });
}

const dotNamed = (chart, name, says = 'measured') => chart.locator(`.dot[data-key="${name}"][data-${says}]`);
const rowNamed = (page, name) => page.locator('#verdicts table').first().locator(`tr[data-key="${name}"]`);
const ticks = (chart, axis) => chart.locator(`.ticks[data-axis="${axis}"] text`).allTextContents();
const settled = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
const tableNamed = (page, name) => page.locator('table', { has: page.locator('caption', { hasText: name }) });

/** The point of the plot that is so far along both axes, in pixels of the window. */
async function inPlot(chart, h, v) {
  return chart.evaluate((svg, [right, up]) => {
    const [left, top, width, height] = svg.dataset.plot.split(' ').map(Number), box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    return [box.left + (left + right * width) * scale, box.top + (top + (1 - up) * height) * scale];
  }, [h, v]);
}

on('a dot has a card with the arithmetic of its limit', async (page, chart) => {
  await dotNamed(chart, 'gemm-naive').hover({ force: true });
  const card = page.locator('.card');
  await card.waitFor();
  await eventually(async () => {
    const words = await card.innerText();
    assert.match(words, /^gemm-naive\nat 64 FLOP\/byte: 192\.0 GFLOP\/s limit\nmeasured 1\.7\d+ GFLOP\/s: 0\.89 % of the limit/); // of one core
    assert.match(words, /measured is [\d.]+ of predicted/);
  });
  await dotNamed(chart, 'triad').hover({ force: true });
  await eventually(async () => assert.match(await card.innerText(), /0\.1667 FLOP\/byte × 36\.00 GB\/s \(DRAM triad\) = 6\.000 GFLOP\/s limit\n[^]*here too: axpy/));
  await page.mouse.move(2, 2);
  await card.waitFor({ state: 'hidden' });
});

on('a ceiling has one too', async (page, chart) => {
  await chart.locator('.roof[data-level]').first().locator('line').hover({ force: true });
  await eventually(async () => assert.match(await page.locator('.card').innerText(), /at most intensity × \d+\.\d+ GB\/s[^]*from [\d.]+ FLOP\/byte on/));
});

on('a click isolates a dot and its row, Escape shows all again', async (page, chart) => {
  const row = rowNamed(page, 'gemv');
  await reported(page, /Chosen: gemv/, () => dotNamed(chart, 'gemv').click({ force: true }));
  assert.ok(await chart.evaluate((svg) => svg.matches('.lone')));
  assert.ok(await row.evaluate((node) => node.matches('.chosen')));
  assert.equal(await dotNamed(chart, 'gemv').getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Escape');
  await eventually(async () => assert.ok(!await chart.evaluate((svg) => svg.matches('.lone'))));
  assert.ok(!await row.evaluate((node) => node.matches('.chosen')));
});

on('a row isolates its dot, and several chosen are the only rows', async (page, chart) => {
  await rowNamed(page, 'triad').click();
  await counts(chart.locator('.dot.chosen[data-key="triad"][data-measured]'), 1);
  await rowNamed(page, 'dot').click({ modifiers: ['Shift'] });
  await counts(page.locator('#verdicts table').first().locator('tbody tr:visible'), 2);
  await page.getByRole('button', { name: 'Show all again' }).click();
  await counts(page.locator('#verdicts table').first().locator('tbody tr:visible'), 8);
});

on('pointing at a row points at its dot', async (page, chart) => {
  await rowNamed(page, 'softmax').hover();
  await eventually(async () => assert.ok(await dotNamed(chart, 'softmax').evaluate((node) => node.matches('.pointed'))));
  await dotNamed(chart, 'dot').hover({ force: true });
  await eventually(async () => assert.ok(await rowNamed(page, 'dot').evaluate((node) => node.matches('.pointed'))));
});

on('the wheel zooms a chart that was clicked, a double click shows all', async (page, chart) => {
  const drawn = await chart.innerHTML(), labels = await ticks(chart, 'x');
  const [x, y] = await inPlot(chart, 0.3, 0.9);
  await page.mouse.move(x, y);
  await reported(page, /Click the chart first/, () => page.mouse.wheel(0, -100));
  await settled(page);
  await page.evaluate(() => scrollTo(0, 0));
  await chart.scrollIntoViewIfNeeded();
  assert.deepEqual(await ticks(chart, 'x'), labels); // the page scrolled
  const [h, v] = await inPlot(chart, 0.3, 0.9);
  await page.mouse.click(h, v);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((was) => document.querySelector('svg.roofline').innerHTML !== was, drawn);
  await eventually(async () => assert.notDeepEqual(await ticks(chart, 'x'), labels));
  await page.mouse.dblclick(h, v);
  await eventually(async () => assert.deepEqual(await ticks(chart, 'x'), labels));
  await eventually(async () => assert.equal(await page.getByRole('button', { name: 'Reset the axes' }).isDisabled(), true));
});

on('dots stay on their values while zoomed and moved', async (page, chart) => {
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const [x, y] = await inPlot(chart, 0.5, 0.2);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 20, { steps: 5 });
  await page.mouse.up();
  await settled(page);
  const off = await chart.evaluate((svg) => {
    const [left, , width] = svg.dataset.plot.split(' ').map(Number);
    const labels = [...svg.querySelectorAll('.ticks[data-axis=x] text')].map((node) => [Math.log10(Number(node.textContent)), Number(node.getAttribute('x'))]);
    const [[a, at], [b, bt]] = [labels[0], labels.at(-1)], worst = [];
    for (const dot of svg.querySelectorAll('.dot:not(.out)')) {
      const circle = dot.querySelector('circle'), moved = Number(/translate\(([-\d.]+)/.exec(dot.getAttribute('transform'))[1]);
      worst.push(Math.abs(Number(circle.getAttribute('cx')) + moved - (at + (Math.log10(Number(dot.dataset.x)) - a) / (b - a) * (bt - at))));
    }
    return labels.length > 1 && width > left ? Math.max(...worst) : NaN;
  });
  assert.ok(off < 1, `${off} units from where the axis says`);
});

on('keys zoom, move and go from dot to dot', async (page, chart) => {
  const region = page.locator('.chart').first(), labels = await ticks(chart, 'x');
  await region.focus();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  await eventually(async () => assert.notDeepEqual(await ticks(chart, 'x'), labels));
  await page.keyboard.press('0');
  await eventually(async () => assert.deepEqual(await ticks(chart, 'x'), labels));
  assert.equal(await chart.locator('[tabindex="0"]').count(), 1); // one stop, whatever the number of dots
  await chart.locator('[tabindex="0"]').focus();
  const first = await page.evaluate(() => document.activeElement.dataset.mark);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const [second, label] = await page.evaluate(() => [document.activeElement.dataset.mark, document.activeElement.getAttribute('aria-label')]);
  assert.notEqual(second, first);
  assert.match(label, /% of the limit/);
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed')), 'true');
});

on('axes can be linear', async (page, chart) => {
  const labels = await ticks(chart, 'y'), linear = page.getByRole('button', { name: 'Linear axes from zero' });
  await linear.click();
  await eventually(async () => assert.equal((await ticks(chart, 'x'))[0], '0'));
  assert.equal(await linear.getAttribute('aria-pressed'), 'true');
  await page.getByRole('button', { name: 'Reset the axes' }).click();
  await eventually(async () => assert.deepEqual(await ticks(chart, 'y'), labels));
  assert.equal(await linear.getAttribute('aria-pressed'), 'false');
});

on('what is not to be shown is gone with its label', async (page, chart) => {
  await page.locator('.menu summary', { hasText: 'Show' }).first().click();
  await page.getByLabel('achieved', { exact: true }).uncheck();
  await counts(chart.locator('.roof[data-kind=achieved]:not(.off)'), 0);
  assert.ok(await chart.locator('.roof[data-kind=theoretical]').count() > 0);
  const left = await chart.evaluate((svg) => [...svg.querySelectorAll('.roof[data-kind=achieved]')].filter((roof) =>
    [...svg.querySelectorAll(`[data-of="${roof.dataset.mark}"]`)].some((label) => getComputedStyle(label).display !== 'none')).length);
  assert.equal(left, 0);
  await page.getByLabel('predicted', { exact: true }).uncheck();
  await counts(chart.locator('.dot[data-predicted]:visible'), 0);
  await page.getByLabel('achieved', { exact: true }).check();
  await eventually(async () => assert.ok(await chart.locator('.roof[data-kind=achieved]:not(.off)').count() > 0));
  await page.keyboard.press('Escape');
  await counts(page.locator('.menu[open]'), 0);
});

on('the slider walks from predicted to measured', async (page, chart) => {
  const slider = page.locator('.blend input'), place = () => dotNamed(chart, 'gemm-naive').evaluate((node) => node.getBoundingClientRect().top);
  const measured = await place(), predicted = await dotNamed(chart, 'gemm-naive', 'predicted').evaluate((node) => node.getBoundingClientRect().top);
  await slider.fill('0');
  await eventually(async () => assert.ok(Math.abs(await place() - predicted) < 2));
  await counts(chart.locator('.dot[data-predicted]:visible'), 0);
  await slider.fill('100');
  await eventually(async () => assert.ok(Math.abs(await place() - measured) < 2));
  await page.getByRole('button', { name: 'Reset the axes' }).click();
  await chart.locator('.dot[data-predicted]:visible').first().waitFor();
});

on('a rectangle chooses what is within it', async (page, chart) => {
  const from = await inPlot(chart, 0.02, 0.98), to = await inPlot(chart, 0.98, 0.02);
  await page.keyboard.down('Shift');
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await reported(page, /^8 chosen/, () => page.mouse.up());
  await page.keyboard.up('Shift');
  await counts(chart.locator('.lasso'), 0);
});

on('a heading sorts, numbers by value, and says so', async (page) => {
  const table = page.locator('#verdicts table').first(), names = () => table.locator('tbody tr th').allTextContents();
  const asked = await names(), head = table.locator('thead th', { hasText: 'measured' });
  await head.getByRole('button').click();
  await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'descending'));
  assert.equal((await names())[0], 'gemm-naive');
  await head.getByRole('button').press('Enter');
  await eventually(async () => assert.equal(await head.getAttribute('aria-sort'), 'ascending'));
  assert.equal((await names()).at(-1), 'gemm-naive');
  await head.getByRole('button').click();
  await eventually(async () => assert.deepEqual(await names(), asked));
  await table.locator('thead th').first().getByRole('button').click();
  await eventually(async () => assert.deepEqual(await names(), [...asked].sort()));
});

on('a search and a filter narrow the rows, and dots step back', async (page, chart) => {
  const section = page.locator('#verdicts'), rows = section.locator('table').first().locator('tbody tr:visible');
  await reported(page, /1 of 8 rows/, () => section.getByRole('searchbox').first().fill('gemm blas'));
  await counts(rows, 1);
  await section.getByRole('searchbox').first().fill('');
  await section.getByRole('combobox').last().selectOption({ label: 'expected' }).catch(() => section.getByRole('combobox').nth(1).selectOption('expected'));
  await counts(rows, 1);
  assert.equal(await chart.locator('.dot.left[data-key=triad]').count(), 0); // other tables still have it
});

on('a table is saved as CSV, a chart as SVG and PNG', async (page) => {
  const saved = async (summary, name, nth = 0) => {
    await page.locator('.menu summary', { hasText: summary }).nth(nth).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    return readFileSync(await download.path());
  };
  const title = await page.locator('#verdicts caption').first().textContent();
  await page.locator('#verdicts').getByText('CSV').first().click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Save CSV of ${title}`, exact: true }).click()]);
  const csv = readFileSync(await download.path(), 'utf8').trim().split('\n');
  assert.equal(csv.length, 9);
  assert.match(csv[1], /^axpy,0\.0419/); // seconds
  const svg = String(await saved('Copy', 'Save SVG of the chart'));
  assert.match(svg, /^<svg /);
  assert.match(svg, /<title>axpy/);
  assert.doesNotMatch(svg, /aria-pressed/);
  await page.keyboard.press('Escape');
  const png = await saved('Copy', 'Save PNG of the chart');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.equal(png.readUInt32BE(16), 1600);
});

on('the scheme is the other one by a button', async (page) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByRole('button', { name: 'Dark colours' }).click();
  await eventually(async () => assert.notEqual(await paper(), light));
  await accessible(page);
  await page.getByRole('button', { name: 'Light colours' }).click();
  await eventually(async () => assert.equal(await paper(), light));
});

on('with everything open nothing is serious for axe-core', async (page) => {
  await page.evaluate(() => { for (const node of document.querySelectorAll('details')) node.open = true; });
  await accessible(page);
});

on('a report is complete with scripts off', async (page) => {
  assert.equal(await page.locator('button').count(), 0);
  assert.equal(await page.locator('#verdicts tbody tr').count() > 7, true);
  assert.match(await tableNamed(page, 'Ceilings').first().textContent(), /GFLOP\/s/);
}, { scripts: false });
