// Prints the frame times of a roofline of COUNT points while it is zoomed and moved: bench/browser.sh.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { opened, scratch, written } from './lib.mjs';

const count = Number(process.env.ROOFLINE_POINTS ?? 2000);

test('frames', { timeout: 120_000 }, async () => {
  const kernels = Array.from({ length: 100 }, (_, i) => ({
    name: `kernel ${i}`, calls: 1, seconds: 1e-3, samples: [1e-3], flops: { fp32: 1e8 * (1 + i) }, bytes: { DRAM: 1e8 / (1 + i % 17) },
  }));
  writeFileSync(join(scratch, 'points.json'), JSON.stringify({ schema: 'roofline.measurements/1', source: 'made', format: 'ncu', machine: 'h100', kernels, skipped: [] }));
  const { page, close } = await opened(written('points.html', ['import', 'points.json', '-m', 'h100']), { scripts: false });
  const text = await page.evaluate((wanted) => { // as many dots as are asked for, each where its data say
    const svg = document.querySelector('svg.roofline'), dots = [...svg.querySelectorAll('.dot')], [left, top, width, height] = svg.dataset.plot.split(' ').map(Number);
    for (let i = dots.length; i < wanted; i++) {
      const dot = dots[i % dots.length].cloneNode(true), x = (i * 0.618034) % 1, y = (i * 0.381966 + i / wanted) % 1;
      dot.dataset.key = `point ${i}`;
      dot.dataset.mark = `d${i}`;
      for (const circle of dot.querySelectorAll('circle')) {
        circle.setAttribute('cx', left + x * width);
        circle.setAttribute('cy', top + y * height);
      }
      dots[0].parentNode.insertBefore(dot, dots.at(-1).nextSibling);
    }
    return `<!DOCTYPE html>\n${document.documentElement.outerHTML}`;
  }, count);
  await close();
  writeFileSync(join(scratch, 'many-points.html'), text);
  const { page: shown, close: end } = await opened(join(scratch, 'many-points.html'), { height: 1000 });
  const points = await shown.locator('svg.roofline .dot').count();
  await shown.locator('svg.roofline').click({ position: { x: 300, y: 200 } });
  const times = await shown.evaluate(async () => {
    const svg = document.querySelector('svg.roofline'), box = svg.getBoundingClientRect(), found = [];
    const frame = () => new Promise((done) => { requestAnimationFrame(done); });
    let last = await frame();
    for (let i = 0; i < 120; i++) {
      svg.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 40 < 20 ? -60 : 60, ctrlKey: true, clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.4, cancelable: true }));
      const now = await frame();
      found.push(now - last);
      last = now;
    }
    if (!svg.parentNode.matches('.zoomed')) throw new Error('nothing was zoomed');
    return found.slice(10);
  });
  await end();
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(1).padStart(8);
  console.log(`points ${points}: frames of a zoom, ms: median${at(0.5)}, 90th percentile${at(0.9)}, longest${at(1)}`);
});
