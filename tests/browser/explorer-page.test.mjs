// The explorer's page, opened from disk: every control does what it says, and what it shows is the command's.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { accessible, counts, drawn, eventually, fits, legible, opened, resized, roofline, says, scratch, source } from './lib.mjs';

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

/** What the button saves; a picture that is still to come would move it from under the pointer. */
async function downloaded(page, name) {
  await drawn(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
  return readFileSync(await download.path());
}

/** Waits until the line of a page is this, or like this. */
const becomes = (line, words) => eventually(async () => (words instanceof RegExp ? assert.match(await line(), words) : assert.equal(await line(), words)));

/** The link to what a page shows, once it has these words. */
const linked = (page, words) => eventually(async () => {
  const hash = await page.evaluate(() => location.hash);
  assert.match(decodeURIComponent(hash), words);
  return hash;
});

const headline = (page) => page.locator('.headline');
const alert = (page) => page.getByRole('alert');

/** What the command prints for the line that a page shows. */
const answered = (line, ...more) => roofline([...line.split(' ').slice(1), ...more]);

test('sizes, formats and machines follow what is typed, dragged and chosen, and so does the link', async () => {
  const { page, line, done } = await at('#predict+gemm+m=4096+n=4096+k=4096+--machine+nvidia-h100-sxm+--dtype+fp16');
  await says(headline(page), /^compute-bound by fp16 matrix/);
  await page.getByLabel('m', { exact: true }).fill('16');
  await says(headline(page), /^memory-bound by HBM/);
  const before = await page.locator('.picture svg').first().innerHTML();
  await page.getByLabel('m, as a slider').fill('11');
  await eventually(async () => assert.notEqual(await page.locator('.picture svg').first().innerHTML(), before));
  await becomes(line, /m=2048/);
  await page.getByLabel('Weights', { exact: true }).selectOption('int4');
  await page.getByLabel('Computed in').selectOption('bf16');
  await page.getByLabel('Add a machine').fill('a100');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Add a machine').fill('no-such-machine');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await says(alert(page), /unknown/);
  await becomes(line, 'roofline predict gemm m=2048 n=4096 k=4096 --machine nvidia-h100-sxm --machine a100 --dtype bf16 --weights int4');
  await counts(page.getByRole('region', { name: 'Predicted' }).locator('tbody tr'), 2);
  await page.getByRole('button', { name: 'Leave out nvidia-h100-sxm' }).click();
  const again = await at(await linked(page, /k=4096\+--machine\+a100\+--dtype/));
  assert.equal(await again.line(), await line());
  await again.done();
  await done();
});

test('a link whose words are apart by spaces is the same; what is no question of the page is said', async () => {
  const { page, line, done } = await at('#predict%20gemm%20m=1%20n=4096%20k=4096%20--machine%20h100');
  await becomes(line, 'roofline predict gemm m=1 n=4096 k=4096 --machine h100');
  await done();
  const planned = await at('#plan+llama-3.1-70b+--machine+h100+--users+50+--tpot+50ms');
  await becomes(planned.line, /users=50/);
  await planned.done();
  const lost = await at('#sweep+gemm+m=1..64*2+n=8+k=8+--machine+h100');
  await says(alert(lost.page), /^#sweep.*not a question that the explorer has/);
  await lost.done();
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
  await becomes(line, /algorithm=standard .*--peak 100TFLOP\/s --bandwidth 1TB\/s$/);
  await says(headline(page), /-bound .* on peak=100TFLOP\/s bandwidth=1TB\/s: about/);
  await done();
});

test('a model: settings, a config dropped, and the file\'s answer is the command\'s', async () => {
  const { page, line, done } = await at('');
  await page.getByLabel('Predict', { exact: true }).selectOption('model');
  await says(headline(page), /llama-3.1-8b fits.*memory-bound/);
  await page.getByLabel('Weights', { exact: true }).selectOption('fp8');
  await page.getByLabel('tp', { exact: true }).selectOption('2');
  await page.getByRole('region', { name: 'Roofline' }).locator('svg').waitFor(); // in the formats that were chosen
  await page.getByLabel('prompt', { exact: true }).fill('8Ki');
  await page.getByLabel('Over', { exact: true }).selectOption('prompt');
  await becomes(line, /model llama-3.1-8b batch=8 .*prompt=8Ki.* --precision fp8/);
  const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32,
    num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, torch_dtype: 'bfloat16', tie_word_embeddings: false };
  const file = join(scratch, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  await page.getByLabel('Or drop a file here').setInputFiles(file);
  await becomes(line, /model config.json/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  writeFileSync(file, '{"model_type": "nonsense"}');
  await page.getByLabel('Or drop a file here').setInputFiles(file);
  await says(alert(page), /nonsense/);
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
  await says(headline(page), /^attention is \w+-bound/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  await page.getByRole('region', { name: 'Roofline' }).locator('svg').waitFor();
  await accessible(page);
  writeFileSync(join(scratch, 'cut.gguf'), readFileSync(join(scratch, 'seed-llama.gguf')).subarray(0, 400));
  await page.getByLabel('Or drop a file here').setInputFiles(join(scratch, 'cut.gguf'));
  await page.getByRole('alert').waitFor();
  await says(alert(page), /^cut\.gguf: byte \d+: [^\n]+$/);
  await becomes(line, /attention\.onnx/);
  await give('tests/fixtures/onnx/attention.onnx', 'weights.safetensors');
  await page.getByRole('alert').filter({ hasText: 'weights.safetensors' }).waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('llama-3.1-8b');
  await says(headline(page), /llama-3.1-8b fits/);
  await done();
});

test('a plan for a load: limits typed, machines ranked, and the answer is the command\'s', async () => {
  const { page, line, done } = await at('#model+llama-3.1-8b+batch=4+--machine+nvidia-h100-sxm');
  await page.getByLabel('Predict', { exact: true }).selectOption('plan');
  await becomes(line, 'roofline plan llama-3.1-8b users=16 context=2048 --machine nvidia-h100-sxm --ttft 2s --tpot 50ms');
  await page.getByLabel('Add a machine').fill('a100');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Price').fill('h100=2.5,a100=1.5');
  await page.keyboard.press('Tab');
  const ranked = page.getByRole('region', { name: /^Meet the limits, the cheapest first/ });
  await counts(ranked.locator('tbody tr'), 2);
  await says(headline(page), /^1 × \S+, as stored: 0\.\d+ per million tokens/);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  assert.equal((await downloaded(page, 'SVG')).toString(), answered(await line(), '--to', '-.svg'));
  await accessible(page);
  await page.getByLabel('Or drop a file here').setInputFiles(join(source, 'tests/fixtures/onnx/attention.onnx'));
  await says(page.locator('.controls').getByRole('alert'), /^attention\.onnx: a graph has no requests/);
  copyFileSync(join(source, 'tests/fuzz/corpus/gguf/seed-llama.gguf'), join(scratch, 'seed-llama.gguf'));
  await page.getByLabel('Or drop a file here').setInputFiles(join(scratch, 'seed-llama.gguf'));
  await says(alert(page), /more than the 64 that seed-llama was made for$/);
  await page.getByLabel('Context').fill('16');
  await page.getByLabel('Generated').fill('8');
  await page.keyboard.press('Tab');
  await becomes(line, /^roofline plan seed-llama\.gguf users=16 context=16 generate=8 /);
  assert.equal((await downloaded(page, 'JSON')).toString(), answered(await line(), '--json'));
  await page.getByLabel('Most time per token').fill('1us');
  await page.keyboard.press('Tab');
  await says(headline(page), /^Nothing meets the limits; nearest: .*over the limit\.$/);
  await counts(ranked, 0);
  await page.getByLabel('Most time per token').fill('soon');
  await page.keyboard.press('Tab');
  await says(alert(page), /^--tpot: .*soon/);
  await done();
});

test('a service under load: rates, limits, and the answer is the command\'s', async () => {
  const { page, line, done } = await at('#plan+qwen3-4b+users=4+--machine+nvidia-h100-sxm+--devices+1');
  await page.getByLabel('Predict', { exact: true }).selectOption('serve');
  await becomes(line, "roofline serve qwen3-4b prompt=2048 --machine nvidia-h100-sxm --rate '1..16*2' --ttft 2s --tpot 50ms --requests 2000");
  const asked = (...more) => roofline(['serve', 'qwen3-4b', 'prompt=2048', '--machine', 'nvidia-h100-sxm', '--rate', '1..16*2', '--ttft', '2s', '--tpot', '50ms', '--requests', '2000', ...more]);
  const there = JSON.parse(asked('--json'));
  await counts(page.getByRole('region', { name: /^Under load/ }).locator('tbody tr'), there.runs.length);
  await says(headline(page), /qwen3-4b on 1 × nvidia-h100-sxm takes up to .* requests\/s/);
  await page.getByRole('region', { name: 'Rates' }).locator('svg').waitFor();
  assert.equal((await downloaded(page, 'JSON')).toString(), asked('--json'));
  assert.equal((await downloaded(page, 'SVG')).toString(), asked('--to', '-.svg'));
  await accessible(page);
  await page.getByLabel('Rate', { exact: true }).fill('3/day');
  await page.keyboard.press('Tab');
  await says(alert(page), /^--rate 3\/day: per second/);
  await done();
});

test('while a service is simulated the page goes on: the answer before is marked as such, and what was asked last is answered', async () => {
  const asked = (requests) => ['serve', 'qwen3-4b', '--machine', 'nvidia-h100-sxm', '--rate', '1..16*2', '--requests', requests];
  const { page, line, done } = await at(`#${asked('100').join('+')}`);
  const answer = page.locator('.answer'), field = page.getByLabel('Requests', { exact: true }), shown = page.getByRole('region', { name: /^Under load/ });
  const becomesOf = async (requests) => {
    await field.fill(requests);
    await field.blur();
  };
  await shown.waitFor();
  await becomesOf('3000000'); // for a minute
  await says(page.getByRole('status'), /^Being computed: .* --requests 3000000. What is shown answers .* --requests 100\.$/);
  assert.equal(await answer.getAttribute('aria-busy'), 'true');
  assert.ok(await page.locator('.old').getByText(/takes up to/).isVisible());
  assert.ok(await page.getByRole('button', { name: 'JSON' }).isDisabled());
  await becomesOf('2000000');
  await becomesOf('50');
  await becomes(line, /--requests 50$/);
  await counts(page.locator('.old'), 0);
  const there = roofline([...asked('50'), '--json']);
  assert.equal((await downloaded(page, 'JSON')).toString(), there);
  assert.deepEqual((await shown.locator('td:last-child').allTextContents()).map((text) => Number(/^at most (\d+)/.exec(text)?.[1])),
    JSON.parse(there).runs.map((run) => (run.overloaded ? NaN : run.queue_max)));
  await page.getByLabel('Predict', { exact: true }).selectOption('model');
  await says(headline(page), /qwen3-4b fits/);
  await done();
});

test('its pictures are read on a telephone without scrolling, and drawn again in a wider window', async () => {
  const { page, done } = await at('#model+llama-3.1-8b+batch=16+--machine+nvidia-h100-sxm', { width: 360, height: 740 });
  for (const width of [360, 400, 1600]) {
    await resized(page, width, 740);
    await drawn(page);
    assert.equal(await legible(page), 2);
  }
  await done();
});

test('a ladder: each change says what it brings, Climb takes the best, a rung leads back', async () => {
  const { page, line, done } = await at('#predict+attention+batch=1+heads=32+q_len=4096+kv_len=4096+head_dim=128+algorithm=standard+--machine+nvidia-h100-sxm+--dtype+fp16');
  const start = await line();
  await says(page.getByRole('button', { name: /^Fuse/ }), /×$/);
  await page.getByRole('button', { name: /^Fuse/ }).click();
  await becomes(line, /algorithm=flash/);
  await page.getByRole('button', { name: /^Climb/ }).click();
  await counts(page.locator('.rungs li'), 3);
  await page.getByRole('button', { name: 'start' }).click();
  await becomes(line, start);
  await done();
});

test('every model has an answer, with a regime and the operations of its phase', async () => {
  const { page, done } = await at('#model+llama-3.1-8b+--machine+nvidia-b200');
  const names = await page.getByLabel('Model', { exact: true }).locator('option').evaluateAll((options) => options.map((option) => option.value));
  assert.ok(names.length > 50);
  for (const name of names) {
    await page.evaluate((asked) => { location.hash = asked; }, `#model+${name}+batch=2+--machine+nvidia-b200`);
    await says(headline(page), new RegExp(`^${name.replaceAll('.', '\\.')} `));
    assert.ok(await page.getByRole('table', { name: 'Operations on nvidia-b200', includeHidden: true }).count() === 1, name);
    assert.doesNotMatch(await headline(page).textContent(), /unknown/);
  }
  await done();
});

test('what does not generate says so: encoders and images, whose buttons bring what the levers bring', async () => {
  for (const [name, words, summary] of [['bert-base', /: encoding a batch takes .*; encoding is \w+-bound/, 'encoding'], ['flux.1-dev', /: an image takes .*, 28 steps of .*; denoising is \w+-bound/, 'denoising']]) {
    const { page, done } = await at(`#model+${name}+--machine+h100`);
    await says(headline(page), words);
    await page.getByText(`Where ${summary} spends its time`).waitFor();
    const { levers } = JSON.parse(roofline(['advise', name, '--machine', 'h100', '--json']));
    const gain = levers.find(({ change }) => change === 'batch 2 instead of 1').rate_gain;
    await says(page.getByRole('button', { name: /^Batch/ }), `Batchbatch 2: ${gain.toPrecision(3)}×`);
    await says(page.getByRole('button', { name: /^Climb/ }), /×$/);
    await done();
  }
});

test('a button doubles the size that the command reads, and none where there is no number', async () => {
  for (const [m, twice] of [['1e4', '20000'], ['10K', '20000'], ['4Ki', '8192']]) {
    const { page, line, done } = await at(`#predict+gemm+m=${m}+n=4096+k=4096+--machine=h100`);
    await page.getByRole('button', { name: new RegExp(`^Batch ?m ${twice}: `) }).click();
    await becomes(line, new RegExp(` m=${twice} .*--machine h100$`));
    await done();
  }
  const { page, done } = await at('#predict+gemm+m=n=k=4096+--machine+h100');
  assert.ok(await page.getByRole('button', { name: /^Batch/ }).isDisabled());
  await done();
});

test('A and B: kept in the link, compared, swapped and forgotten', async () => {
  const { page, line, done } = await at('');
  const first = await line();
  await page.getByRole('button', { name: 'Keep this as A' }).click();
  await page.getByLabel('n', { exact: true }).fill('8192');
  const table = page.getByRole('region', { name: /^A, as kept/ });
  await says(table.getByRole('row', { name: /^work/ }), /2\.00×/);
  const again = await at(await linked(page, /n=8192.*&.*n=4096/));
  await again.page.getByRole('region', { name: /^A, as kept/ }).waitFor();
  await again.done();
  await page.getByRole('button', { name: 'Swap' }).click();
  await becomes(line, first);
  await page.getByRole('button', { name: 'Forget A' }).click();
  await counts(table, 0);
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
  await counts(page.getByText('Sealed'), 0);
  await page.getByLabel('At best').fill('5');
  await page.keyboard.press('Enter');
  await says(page.locator('.hash'), /^[0-9a-f]{64}$/);
  await counts(page.getByText('Score'), 0);
  await eventually(async () => assert.ok(await page.getByLabel('Intensity').isDisabled()));
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const score = await page.getByText(/^Score: /).textContent();
  const seed = /--seed (\d+)/.exec(score)[1];
  const there = JSON.parse(roofline(['drill', '--seed', seed, '--rounds', '1', '--json'], { input: '10 memory 5\n' }));
  assert.match(score, new RegExp(`^Score: ${there.points} of 3\\.`));
  await page.getByRole('button', { name: 'Next question' }).click();
  await eventually(async () => assert.equal(await page.getByLabel('Intensity').inputValue(), ''));
  await done();
});

test('a drill of whole models: a guess is sealed, graded by what the command predicts, and the link opens it', async () => {
  const { page, done } = await at('#drill');
  await page.getByLabel('Guess about').selectOption('model');
  await linked(page, /^#drill\+model$/);
  await page.getByLabel('Time per token').fill('0');
  await page.keyboard.press('Enter');
  await says(alert(page), /above 0/);
  await page.getByLabel('Time per token').fill('10');
  await page.getByLabel('Decoding is bound by').selectOption('compute');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Seal my guess' }).click();
  await says(page.locator('.hash'), /^[0-9a-f]{64}$/);
  await accessible(page);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  const command = await page.locator('section code').last().textContent(), there = JSON.parse(answered(command, '--json'));
  const { seconds } = there.phases.decode ?? there.phases.verify, bound = ['compute', 'memory', 'network', 'overhead'].reduce((a, b) => (seconds[b] > seconds[a] ? b : a));
  const right = [there.memory.fits, bound === 'compute', there.tpot_low_seconds <= 0.01 && 0.01 <= there.tpot_high_seconds];
  await says(page.getByText(/^Score/), new RegExp(`^Score: ${right.filter(Boolean).length} of 3`));
  assert.deepEqual((await page.locator('section li strong').allTextContents()).map((text) => text === 'right'), right);
  await says(page.locator('section li').nth(1), new RegExp(`decoding is ${bound}-bound`));
  await page.getByRole('button', { name: 'Next question' }).click();
  await eventually(async () => assert.equal(await page.getByLabel('Time per token').inputValue(), ''));
  await done();
  const again = await at('#drill+model', { width: 360, height: 740 });
  assert.equal(await again.page.getByLabel('Guess about').inputValue(), 'model');
  await fits(again.page);
  await again.done();
});

test('links that are cut or wrong say why and leave the controls', async () => {
  const cut = await at('#predict+gemm+m=4096+--machine+nvidia-h100-sxm+%');
  assert.match(await cut.line(), /^roofline predict gemm/);
  await cut.done();
  const wrong = await at('#predict+gemm+m=4096+--machine+nvidia-h100-sxm');
  await says(alert(wrong.page), /`n` is missing/);
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
  await says(headline(page), /on host/);
  assert.match(await page.getByLabel('Command line').inputValue(), /--machine host$/);
  assert.deepEqual(problems, []);
  await close();
});
