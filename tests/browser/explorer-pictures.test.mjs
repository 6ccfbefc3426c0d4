// The explorer at the width of a telephone, a tablet and a screen, light and dark: as wide as its window, nothing serious for axe-core, and loosely the
// picture that golden/ has. ROOFLINE_UPDATE_GOLDEN=1 writes those again; look at the pages first.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, alike, drawn, fits, opened, resized, source } from './lib.mjs';

const path = join(source, 'build', 'web', 'explorer.html');
const states = {
  operation: '#predict+gemm+m=4096+n=4096+k=4096+--machine+nvidia-h100-sxm+--machine+nvidia-a100-sxm-80gb+--dtype+fp16',
  plan: '#plan+llama-3.1-8b+users=16+context=2048+--machine+nvidia-h100-sxm+--tpot+50ms+--devices+2',
  serve: '#serve+llama-3.1-8b+prompt=2048+--machine+nvidia-h100-sxm+--rate+1..16*2+--tpot+50ms+--requests+500',
  model: '#model+llama-3.1-8b+batch=16+--machine+nvidia-h100-sxm',
  drill: '#drill+model',
};

for (const [name, hash] of Object.entries(states)) {
  test(`the explorer: ${name}`, async () => {
    const { page, problems, close } = await opened(path, { height: 1200, hash, init: () => { Math.random = () => 0.25; } }); // the same question each time
    await page.locator('.headline, form').filter({ hasText: /\S/ }).first().waitFor();
    for (const width of [360, 800, 1600]) {
      await resized(page, width, 1200);
      await drawn(page);
      await fits(page);
      for (const colorScheme of ['dark', 'light']) {
        await page.emulateMedia({ colorScheme });
        await accessible(page);
        await alike(page, `explorer-${name}-${width}-${colorScheme}`);
      }
    }
    assert.deepEqual(problems, []);
    await close();
  });
}
