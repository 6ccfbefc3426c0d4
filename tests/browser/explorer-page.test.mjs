// The explorer's page, opened from disk: every control does what it says, and what it shows is the command's.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { accessible, fits, legible, opened, roofline, scratch, source } from './lib.mjs';

const path = join(source, 'build', 'web', 'explorer.html');

/** The page at a link, its answer there; `done` fails where something was said or asked of the network. */
async function at(hash, options) {
  const { page, problems, close } = await opened(path, { hash, ...options });
  await page.locator('main').waitFor();
  const line = () => page.getByLabel('Command line').inputValue();
  const done = async () => {
    assert.deepEqual(problems, []);
    await close();
  };
  return { page, line, done };
}

async function downloaded(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
  return readFileSync(await download.path());
}

/** What the command prints for the line that a page shows. */
/** A file is read while the page goes on. */
async function becomes(line, pattern) {
  const end = Date.now() + 10000;
  while (!pattern.test(await line()) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match(await line(), pattern);
}

const answered = (line, ...more) => roofline([...line.split(' ').slice(1), ...more]);

test('sizes, formats and machines follow what is typed, dragged and chosen, and so does the link', async () => {
  const { page, line, done } = await at('#predict+gemm+m=4096+n=4096+k=4096+--machine+nvidia-h100-sxm+--dtype+fp16');
  assert.match(await page.locator('.headline').textContent(), /^compute-bound by fp16 matrix/);
  await page.getByLabel('m', { exact: true }).fill('16');
  assert.match(await page.locator('.headline').textContent(), /^memory-bound by HBM/);
  const before = await page.locator('.picture svg').first().innerHTML();
  await page.getByLabel('m, as a slider').fill('11');
  assert.notEqual(await page.locator('.picture svg').first().innerHTML(), before);
  assert.match(await line(), /m=2048/);
  await page.getByLabel('Weights', { exact: true }).selectOption('int4');
  await page.getByLabel('Computed in').selectOption('bf16');
  await page.getByLabel('Add a machine').fill('a100');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Add a machine').fill('no-such-machine');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  assert.match(await page.getByRole('alert').textContent(), /unknown/);
  assert.equal(await line(), 'roofline predict gemm m=2048 n=4096 k=4096 --machine nvidia-h100-sxm --machine a100 --dtype bf16 --weights int4');
  assert.equal(await page.getByRole('region', { name: 'Predicted' }).locator('tbody tr').count(), 2);
  await page.getByRole('button', { name: 'Leave out nvidia-h100-sxm' }).click();
  const link = await page.evaluate(() => location.hash);
  const again = await at(link);
  assert.equal(await again.line(), await line());
  await again.done();
  await done();
});

test('an operation and a datasheet of one\'s own', async () => {
  const { page, line, done } = await at('');
  await page.getByLabel('Operation').selectOption('attention');
  await page.getByLabel('algorithm').selectOption('standard');
  await page.getByText('A machine from its datasheet').click();
  await page.getByLabel('Peak').fill('100TFLOP/s');
  await page.getByLabel('Bandwidth of its memory').fill('1TB/s');
  await page.getByLabel('Bandwidth of its memory').blur();
  await page.getByRole('button', { name: 'Leave out nvidia-h100-sxm' }).click();
  assert.match(await line(), /algorithm=standard .*--peak 100TFLOP\/s --bandwidth 1TB\/s$/);
  assert.match(await page.locator('.headline').textContent(), /-bound .* on peak=100TFLOP\/s bandwidth=1TB\/s: about/);
  await done();
});

test('a model: settings, a config dropped, and the file\'s answer is the command\'s', async () => {
  const { page, line, done } = await at('');
  await page.getByLabel('Predict', { exact: true }).selectOption('model');
  assert.match(await page.locator('.headline').textContent(), /llama-3.1-8b fits.*memory-bound/);
  await page.getByLabel('Weights', { exact: true }).selectOption('fp8');
  await page.getByLabel('tp', { exact: true }).selectOption('2');
  await page.getByRole('region', { name: 'Roofline' }).locator('svg').waitFor(); // in the formats that were chosen
  await page.getByLabel('prompt', { exact: true }).fill('8Ki');
  await page.getByLabel('Over', { exact: true }).selectOption('prompt');
  assert.match(await line(), /model llama-3.1-8b batch=8 .*prompt=8Ki.* --precision fp8/);
  const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32,
    num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, torch_dtype: 'bfloat16', tie_word_embeddings: false };
  const file = join(scratch, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  await page.getByLabel('Or drop a file here').setInputFiles(file);
  await becomes(line, /model config.json/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  writeFileSync(file, '{"model_type": "nonsense"}');
  await page.getByLabel('Or drop a file here').setInputFiles(file);
  assert.match(await page.getByRole('alert').textContent(), /nonsense/);
  await done();
});

test('GGUF and ONNX dropped: the answer is the command\'s; a bad file is one line', async () => {
  const { page, line, done } = await at('#model+llama-3.1-8b+batch=4+--machine+nvidia-h100-sxm');
  const give = (from, name = basename(from)) => {
    copyFileSync(join(source, from), join(scratch, name));
    return page.getByLabel('Or drop a file here').setInputFiles(join(scratch, name));
  };
  await give('tests/fuzz/corpus/gguf/seed-llama.gguf');
  await becomes(line, /model seed-llama\.gguf batch=4/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  await give('tests/fixtures/onnx/attention.onnx');
  await becomes(line, /model attention\.onnx sequence=1 --machine nvidia-h100-sxm$/);
  await page.getByLabel('sequence', { exact: true }).fill('512');
  assert.match(await page.locator('.headline').textContent(), /^attention is \w+-bound/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  await page.getByRole('region', { name: 'Roofline' }).locator('svg').waitFor();
  await accessible(page);
  writeFileSync(join(scratch, 'cut.gguf'), readFileSync(join(scratch, 'seed-llama.gguf')).subarray(0, 400));
  await page.getByLabel('Or drop a file here').setInputFiles(join(scratch, 'cut.gguf'));
  await page.getByRole('alert').waitFor();
  assert.match(await page.getByRole('alert').textContent(), /^cut\.gguf: byte \d+: [^\n]+$/);
  assert.match(await line(), /attention\.onnx/);
  await give('tests/fixtures/onnx/attention.onnx', 'weights.safetensors');
  await page.getByRole('alert').filter({ hasText: 'weights.safetensors' }).waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('llama-3.1-8b');
  assert.match(await page.locator('.headline').textContent(), /llama-3.1-8b fits/);
  await done();
});

test('a plan for a load: limits typed, machines ranked, and the answer is the command\'s', async () => {
  const { page, line, done } = await at('#model+llama-3.1-8b+batch=4+--machine+nvidia-h100-sxm');
  await page.getByLabel('Predict', { exact: true }).selectOption('plan');
  assert.equal(await line(), 'roofline plan llama-3.1-8b users=16 context=2048 --machine nvidia-h100-sxm --ttft 2s --tpot 50ms');
  await page.getByLabel('Add a machine').fill('a100');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Price').fill('h100=2.5,a100=1.5');
  await page.keyboard.press('Tab');
  const ranked = page.getByRole('region', { name: /^Meet the limits, the cheapest first/ });
  assert.equal(await ranked.locator('tbody tr').count(), 2);
  assert.match(await page.locator('.headline').textContent(), /^1 × \S+, as stored: 0\.\d+ per million tokens/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  assert.equal((await downloaded(page, 'SVG')).toString(), answered(await line(), '--to', '-.svg'));
  await accessible(page);
  await page.getByLabel('Most time per token').fill('1us');
  await page.keyboard.press('Tab');
  assert.match(await page.locator('.headline').textContent(), /^Nothing meets the limits; nearest: .*over the limit\.$/);
  assert.equal(await ranked.count(), 0);
  await page.getByLabel('Most time per token').fill('soon');
  await page.keyboard.press('Tab');
  assert.match(await page.getByRole('alert').textContent(), /^--tpot: .*soon/);
  await done();
});

test('a service under load: rates, limits, and the answer is the command\'s', async () => {
  const { page, line, done } = await at('#plan+qwen3-4b+users=4+--machine+nvidia-h100-sxm+--devices+1');
  await page.getByLabel('Predict', { exact: true }).selectOption('serve');
  assert.equal(await line(), "roofline serve qwen3-4b prompt=2048 --machine nvidia-h100-sxm --rate '1..16*2' --ttft 2s --tpot 50ms --requests 2000");
  const asked = (...more) => roofline(['serve', 'qwen3-4b', 'prompt=2048', '--machine', 'nvidia-h100-sxm', '--rate', '1..16*2', '--ttft', '2s', '--tpot', '50ms', '--requests', '2000', ...more]);
  const there = JSON.parse(asked('--json'));
  assert.equal(await page.getByRole('region', { name: /^Under load/ }).locator('tbody tr').count(), there.runs.length);
  assert.match(await page.locator('.headline').textContent(), /qwen3-4b on 1 × nvidia-h100-sxm takes up to .* requests\/s/);
  await page.getByRole('region', { name: 'Rates' }).locator('svg').waitFor();
  assert.equal((await downloaded(page, 'JSON')).toString(), asked('--json'));
  assert.equal((await downloaded(page, 'SVG')).toString(), asked('--to', '-.svg'));
  await accessible(page);
  await page.getByLabel('Rate', { exact: true }).fill('3/day');
  await page.keyboard.press('Tab');
  assert.match(await page.getByRole('alert').textContent(), /^--rate 3\/day: per second/);
  await done();
});

test('its pictures are read on a telephone without scrolling, and drawn again in a wider window', async () => {
  const { page, done } = await at('#model+llama-3.1-8b+batch=16+--machine+nvidia-h100-sxm', { width: 360, height: 740 });
  for (const width of [360, 400, 1600]) {
    await page.setViewportSize({ width, height: 740 });
    await page.waitForFunction(() => [...document.querySelectorAll('.picture svg')].length === 2 &&
      [...document.querySelectorAll('.picture svg')].every((svg) => Math.abs(svg.viewBox.baseVal.width - svg.parentNode.clientWidth) < 60));
    assert.equal(await legible(page), 2);
  }
  await done();
});

test('a ladder: each change says what it brings, Climb takes the best, a rung leads back', async () => {
  const { page, line, done } = await at('#predict+attention+batch=1+heads=32+q_len=4096+kv_len=4096+head_dim=128+algorithm=standard+--machine+nvidia-h100-sxm+--dtype+fp16');
  const start = await line();
  assert.match(await page.getByRole('button', { name: /^Fuse/ }).textContent(), /×$/);
  await page.getByRole('button', { name: /^Fuse/ }).click();
  assert.match(await line(), /algorithm=flash/);
  await page.getByRole('button', { name: /^Climb/ }).click();
  assert.equal(await page.locator('.rungs li').count(), 3);
  await page.getByRole('button', { name: 'start' }).click();
  assert.equal(await line(), start);
  await done();
});

test('A and B: kept in the link, compared, swapped and forgotten', async () => {
  const { page, line, done } = await at('');
  const first = await line();
  await page.getByRole('button', { name: 'Keep this as A' }).click();
  await page.getByLabel('n', { exact: true }).fill('8192');
  const table = page.getByRole('region', { name: /^A, as kept/ });
  assert.match(await table.getByRole('row', { name: /^work/ }).textContent(), /2\.00×/);
  const again = await at(await page.evaluate(() => location.hash));
  await again.page.getByRole('region', { name: /^A, as kept/ }).waitFor();
  await again.done();
  await page.getByRole('button', { name: 'Swap' }).click();
  assert.equal(await line(), first);
  await page.getByRole('button', { name: 'Forget A' }).click();
  assert.equal(await table.count(), 0);
  await done();
});

test('what is saved: the picture and the JSON of the command, a PNG', async () => {
  const { page, line, done } = await at('');
  const typed = await line();
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(typed, '--json'));
  assert.equal((await downloaded(page, 'SVG')).toString(), answered(typed.replace(' predict ', ' plot '), '--to', '-.svg'));
  assert.equal((await downloaded(page, 'PNG')).subarray(1, 4).toString(), 'PNG');
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await done();
});

test('the drill: a guess is sealed before the answer is shown, graded, and the next one follows; by keyboard', async () => {
  const { page, done } = await at('#drill', { width: 360, height: 740 });
  await fits(page);
  await page.getByLabel('Intensity').fill('10');
  await page.getByLabel('At best').fill('nonsense');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByText('Sealed').count(), 0);
  await page.getByLabel('At best').fill('5');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.hash').textContent(), /^[0-9a-f]{64}$/);
  assert.equal(await page.getByText('Score').count(), 0);
  assert.ok(await page.getByLabel('Intensity').isDisabled());
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const score = await page.getByText(/^Score: /).textContent();
  const seed = /--seed (\d+)/.exec(score)[1];
  const there = JSON.parse(roofline(['drill', '--seed', seed, '--rounds', '1', '--json'], { input: '10 memory 5\n' }));
  assert.match(score, new RegExp(`^Score: ${there.points} of 3\\.`));
  await page.getByRole('button', { name: 'Next question' }).click();
  assert.equal(await page.getByLabel('Intensity').inputValue(), '');
  await done();
});

test('a drill of whole models: a guess is sealed, graded by what the command predicts, and the link opens it', async () => {
  const { page, done } = await at('#drill');
  await page.getByLabel('Guess about').selectOption('model');
  assert.equal(await page.evaluate(() => location.hash), '#drill+model');
  await page.getByLabel('Time per token').fill('0');
  await page.keyboard.press('Enter');
  assert.match(await page.getByRole('alert').textContent(), /above 0/);
  await page.getByLabel('Time per token').fill('10');
  await page.getByLabel('Decoding is bound by').selectOption('compute');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Seal my guess' }).click();
  assert.match(await page.locator('.hash').textContent(), /^[0-9a-f]{64}$/);
  await accessible(page);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const command = await page.locator('section code').last().textContent(), there = JSON.parse(answered(command, '--json'));
  const { seconds } = there.phases.decode ?? there.phases.verify, bound = ['compute', 'memory', 'network', 'overhead'].reduce((a, b) => (seconds[b] > seconds[a] ? b : a));
  const right = [there.memory.fits, bound === 'compute', there.tpot_low_seconds <= 0.01 && 0.01 <= there.tpot_high_seconds];
  assert.deepEqual((await page.locator('section li strong').allTextContents()).map((text) => text === 'right'), right);
  assert.match(await page.locator('section li').nth(1).textContent(), new RegExp(`decoding is ${bound}-bound`));
  assert.match(await page.getByText(/^Score/).textContent(), new RegExp(`^Score: ${right.filter(Boolean).length} of 3`));
  await page.getByRole('button', { name: 'Next question' }).click();
  assert.equal(await page.getByLabel('Time per token').inputValue(), '');
  await done();
  const linked = await at('#drill+model', { width: 360, height: 740 });
  assert.equal(await linked.page.getByLabel('Guess about').inputValue(), 'model');
  await fits(linked.page);
  await linked.done();
});

test('links that are cut or wrong say why and leave the controls', async () => {
  const cut = await at('#predict+gemm+m=4096+--machine+nvidia-h100-sxm+%');
  assert.match(await cut.line(), /^roofline predict gemm/);
  await cut.done();
  const wrong = await at('#predict+gemm+m=4096+--machine+nvidia-h100-sxm');
  assert.match(await wrong.page.getByRole('alert').textContent(), /`n` is missing/);
  await wrong.page.getByLabel('n', { exact: true }).fill('8');
  await wrong.page.getByLabel('k', { exact: true }).fill('8');
  await wrong.page.locator('.headline').waitFor();
  await wrong.done();
});

test('`roofline explore` puts the measured machine in it', async () => {
  const host = JSON.parse(roofline(['machine', 'show', 'h100', '--json']));
  const file = join(scratch, 'host.html');
  const page_ = readFileSync(path, 'utf8').replace('id="host">', () => `id="host">${JSON.stringify({ ...host, name: 'host', aliases: [] }).replaceAll('<', '\\u003c')}`);
  writeFileSync(file, page_);
  const { page, problems, close } = await opened(file);
  await page.locator('.headline').waitFor();
  assert.match(await page.locator('.headline').textContent(), /on host/);
  assert.match(await page.getByLabel('Command line').inputValue(), /--machine host$/);
  assert.deepEqual(problems, []);
  await close();
});
