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
  const session = await shown.context().newCDPSession(shown);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
  const before = await busy();
  const times = await shown.evaluate(async () => {
    const svg = document.querySelector('svg.roofline'), box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width, found = [];
    const frame = () => new Promise((done) => { requestAnimationFrame(done); });
    let last = await frame();
    for (let i = 0; i < 120; i++) {
      svg.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 40 < 20 ? -60 : 60, ctrlKey: true, clientX: box.left + 600 * scale, clientY: box.top + 300 * scale, cancelable: true }));
      const now = await frame();
      found.push(now - last);
      last = now;
    }
    if (!svg.parentNode.matches('.zoomed')) throw new Error('nothing was zoomed');
    return found.slice(10);
  });
  const each = ((await busy() - before) / (times.length + 10) * 1e3).toFixed(1).padStart(8);
  await end();
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(part * (times.length - 1))].toFixed(1).padStart(8);
  console.log(`points ${points}: frames of a zoom, ms: median${at(0.5)}, 90th percentile${at(0.9)}, longest${at(1)}, processor time of the page${each}`);
});
