// The explorer's library answers what the command answers, to the last digit; its page works as somebody uses it who was sent a link.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { number, parsed, typed, words } from '../../web/explorer/line.js';
import { started } from '../../web/package/core.js';
import { accessible, fits, opened, roofline, scratch, source } from './lib.mjs';

const built = join(source, 'build', 'web');
const path = join(built, 'explorer.html');
const library = await started(readFileSync(join(built, 'explorer.wasm')), readFileSync(join(built, 'catalogue.deflate')));

/** Numbers that are the same in each run of the test. */
function dice(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)],
    size: (most) => Math.max(1, Math.round(2 ** (next() * Math.log2(most)))),
  };
}

const list = (command) => JSON.parse(library.ask([command, 'list', '--json']).text);
const { machines } = list('machine');
const { operations } = list('op');
const { models } = list('model');
const dtypes = ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8'];

function operationLine({ chance, pick, size }) {
  const operation = pick(operations);
  const values = {};
  for (const p of operation.parameters) {
    const needed = p.default === null && p.same_as === null;
    if (p.choices.length > 0 && chance(0.5)) values[p.name] = pick(p.choices);
    else if (p.choices.length === 0 && (needed || chance(0.2))) values[p.name] = String(size(p.name === 'kernel' ? 7 : 20000));
  }
  const options = { machine: chance(0.2) ? [pick(machines).name, pick(machines).name] : [pick(machines).name] };
  if (chance(0.7)) options.dtype = [pick(dtypes)];
  if (chance(0.2)) options.weights = [pick(['int8', 'int4', 'fp8', 'nf4'])];
  if (chance(0.1)) options.without = ['waves'];
  if (chance(0.1)) options.efficiency = ['70%'];
  if (chance(0.1)) options.warm = [];
  return { command: 'predict', name: operation.name, values, options };
}

function modelLine({ chance, pick, size }) {
  const values = { batch: String(size(256)), prompt: String(size(32768)), generate: String(size(1024)) };
  if (chance(0.3)) values.tp = pick(['2', '4', '8']);
  if (chance(0.1)) values.pp = '2';
  const options = { machine: [pick(machines).name] };
  if (chance(0.4)) options.precision = [pick(['fp8', 'w4a16', 'w8a16', 'nvfp4', 'mxfp4'])];
  if (chance(0.2)) options.kv = [pick(['fp8', 'int8'])];
  if (chance(0.2)) options.fuse = [pick(['none', 'all'])];
  if (chance(0.2)) options.mode = [pick(['eager', 'persistent'])];
  return { command: 'model', name: pick(models).name, values, options };
}

/** Files of models, under the same names in the page and where the command looks. */
const graphs = ['examples/resnet50.onnx', 'tests/fixtures/onnx/attention.onnx'];
const weights = ['llama', 'mla', 'moe'].map((name) => `tests/fuzz/corpus/gguf/seed-${name}.gguf`);
for (const file of [...graphs, ...weights]) {
  copyFileSync(join(source, file), join(scratch, basename(file)));
  library.keep(basename(file), readFileSync(join(source, file)));
}

function fileLine({ chance, pick, size }) {
  const graph = chance(0.6);
  const values = { batch: String(size(256)) };
  const options = { machine: [pick(machines).name] };
  const name = basename(pick(graph ? graphs : weights));
  if (name === 'attention.onnx' || chance(0.1)) values.sequence = String(size(2048));
  if (!graph && chance(0.5)) values.prompt = String(size(4096));
  if (chance(0.5)) options.mode = [pick(['eager', 'graph', 'persistent'])];
  if (chance(0.3)) options[graph ? 'dtype' : 'precision'] = [pick(['fp16', 'fp8', 'w4a16'])];
  return { command: 'model', name, values, options };
}

function planLine({ chance, pick, size }) {
  const values = { context: String(size(16384)) };
  const options = { machine: [pick(machines).name] };
  if (chance(0.6)) values.users = String(size(64));
  else if (chance(0.7)) options.rate = [pick(['0.5/s', '2/s', '120/min'])];
  if (chance(0.7)) options.tpot = [pick(['20ms', '60ms', '1ms', '0.2s'])];
  if (chance(0.5)) options.ttft = [pick(['1s', '300ms', '5s'])];
  if (chance(0.3)) options.percentile = [pick(['mean', '99', '50', '30'])];
  if (chance(0.4)) options.devices = [pick(['1', '4', '16', '0'])];
  if (chance(0.4)) options.price = [pick(['2.5', `${options.machine[0]}=3`])];
  if (chance(0.3)) options.precision = [pick(['fp8', 'w4a16', 'bf16/fp8'])];
  return { command: 'plan', name: pick(models).name, values, options };
}

function serveLine({ chance, pick, size }) {
  const values = { prompt: chance(0.2) ? 'lognormal:512:0.8' : String(size(8192)) };
  const options = { machine: [pick(machines).name], requests: ['50'] };
  if (chance(0.3)) options.concurrency = [String(size(64))];
  else options.rate = [pick(['2/s', '0.5', '60/min', '1..4*2', '3/day'])];
  if (chance(0.5)) options.tpot = [pick(['20ms', '60ms', 'soon'])];
  if (chance(0.3)) options.price = ['2.5'];
  if (chance(0.3)) options.seed = [String(size(1000))];
  if (chance(0.3)) values.tp = pick(['2', '8']);
  return { command: 'serve', name: pick(models).name, values, options };
}

/** The exit code of the command for the same words, and what it prints, or why not; 1 is an answer too: no plan meets the limits. */
async function commanded(asked) {
  const child = spawn(process.env.ROOFLINE, asked, { cwd: scratch, env: { ...process.env, HOME: scratch, XDG_CONFIG_HOME: scratch } });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), new Promise((ended) => { child.on('close', ended); })]);
  return { code: status, text: status > 1 ? stderr.trim().replace(/^roofline: /, '') : stdout };
}

/** Whether there is an answer; fails at the first line in which the two differ. Both answer at the same time. */
async function same(asked) {
  const command = commanded(asked);
  const here = library.ask(asked);
  const there = await command;
  const [ours, theirs] = [here.text.split('\n'), there.text.split('\n')];
  const at = ours.findIndex((line, i) => line !== theirs[i]);
  assert.ok(here.code === there.code && at < 0 && ours.length === theirs.length,
    `${typed(asked)}\n  ${here.code}: ${ours[at]}\n  ${there.code}: ${theirs[at]}`);
  return here.code <= 1;
}

for (const [name, make, command, count] of [['operations', operationLine, 'predict', 200], ['models', modelLine, 'model', 200], ['files of models', fileLine, 'model', 200],
  ['plans', planLine, 'plan', 200], ['services', serveLine, 'serve', 100]]) {
  test(`${count} random ${name} are answered as the command answers them, to the last digit`, async () => {
    const random = dice(name.length);
    let answered = 0;
    for (let tries = 0; answered < count; tries++) {
      assert.ok(tries < 2000, `${answered} of ${tries} ${command} lines are answered`);
      answered += await same(words(make(random), '--json'));
    }
  });
}

test('sweeps, levers, pictures, lists and what is refused are the command\'s too', async () => {
  for (const line of [
    'sweep linear batch=1..1024*2 in=4096 out=4096 --machine a100 --machine h100 --json',
    'sweep gemm m=1..1000+1 n=k=4096 --machine mi300x --to -.svg',
    'model llama-3.1-70b batch=1..64*2 --precision bf16/fp8 --machine h100 --json',
    'model llama-3.1-8b batch=1..256*2 --machine h200 --to -.svg',
    'model llama-3.1-8b batch=8 --precision fp8 --kv fp8 --machine h100 --to -.svg --width 340',
    'advise gemm m=1 n=28672 k=8192 --machine h100 --dtype fp16 --json',
    'advise llama-3.1-8b batch=8 --machine h100 --weights fp8 --json',
    'plot gemm m=1,256 n=k=4096 llama-3.1-8b batch=8 --machine h100 --json',
    'plot gemm m=4096 n=k=4096 --machine h100 --machine b200 --to -.svg', 'serve llama-3.1-8b --machine h100 --rate 1..8*2 --requests 500 --to -.svg',
    'serve llama-3.1-8b --machine h100 --rate 4 --requests 500 --to -.svg',
    'plan llama-3.1-8b users=16 context=2048 --ttft 2s --tpot 50ms --machine h100 --machine a100 --price h100=2.5,a100=1.5 --to -.svg',
    'predict gemm m=n=k=1Ki --peak 19.5TFLOP/s --bandwidth 2039GB/s --json',
    'predict gemm m=1 --machine h100 --json', 'predict gem m=1 --machine h100 --json', 'predict gemm m=n=k=8 --machine nope --json',
    'model llama-3.1-8b --precision fp3x --machine h100 --json', 'machine list --json', 'op list --json', 'model list --json',
  ]) {
    await same(line.split(' '));
  }
});

test('of GGUF the beginning is enough; one that is cut says so', () => {
  const [, , name] = weights.map((file) => basename(file)), bytes = readFileSync(join(scratch, name)), asked = ['model', name, '--machine', 'h100', '--json'];
  const whole = library.ask(asked).text;
  library.keep(name, bytes.subarray(0, bytes.length - 1), bytes.length);
  assert.equal(library.ask(asked).text, whole);
  library.keep(name, bytes.subarray(0, bytes.length - 1));
  assert.match(library.ask(asked).text, /seed-moe\.gguf: byte \d+: truncated/);
  library.keep(name, bytes);
});

test('a drill has the questions and grades of the command', () => {
  for (const seed of ['1', '7', '4711']) {
    const graded = library.ask(['drill', '--seed', seed, '1 memory 50']);
    const asked = roofline(['drill', '--seed', seed, '--rounds', '1', '--json'], { input: '1 memory 50\n' });
    assert.equal(graded.text, asked);
  }
});

test('a sweep of 1,000 points takes less than a frame', () => {
  const asked = 'sweep gemm m=1..1000+1 n=k=4096 --machine h100 --to -.svg'.split(' ');
  const took = [];
  for (let i = 0; i < 30; i++) {
    const start = performance.now();
    library.ask(asked);
    took.push(performance.now() - start);
  }
  assert.ok(Math.min(...took) < 16, `${Math.min(...took)} ms`);
});

test('a number is read as the command reads it', () => {
  for (const [text, value] of [['4096', 4096], ['1e4', 1e4], ['1E4', 1e4], ['10K', 1e4], ['10k', 1e4], ['4 Ki', 4096], ['.5k', 500], ['5.', 5], ['2E', 2e18], ['1.5M', 1.5e6]]) {
    assert.equal(number(text), value, text);
  }
  for (const text of ['', 'same', '4ki', '1..8', '1,2', '0x10', '2KiB', '1e', undefined]) assert.ok(Number.isNaN(number(text)), text);
});

test('a line is its words, and its words are the line', () => {
  const asked = ['predict', 'gemm', 'm=4096', 'n=k=8', '--machine', 'h100', '--machine', 'a b', '--warm', '--dtype', 'fp16'];
  assert.deepEqual(words(parsed(asked)), asked);
  assert.deepEqual(parsed('predict gemm --machine=h100 --precision=bf16/fp8'.split(' ')).options, { machine: ['h100'], precision: ['bf16/fp8'] });
  assert.deepEqual(words(parsed(['predict', 'gemm', '--warm=no'])), ['predict', 'gemm', '--warm=no']);
  assert.equal(typed(asked), "roofline predict gemm m=4096 n=k=8 --machine h100 --machine 'a b' --warm --dtype fp16");
});

for (const [width, height] of [[360, 740], [800, 1000], [1600, 1000]]) {
  for (const dark of [false, true]) {
    test(`the page at ${width} pixels, ${dark ? 'dark' : 'light'}: no message, no request, nothing serious for axe-core`, async () => {
      const { page, problems, close } = await opened(path, { width, height, dark });
      await page.getByText('compute-bound').first().waitFor();
      await fits(page);
      await accessible(page);
      await page.screenshot({ path: join(scratch, `explorer-${width}-${dark}.png`), fullPage: true });
      assert.deepEqual(problems, []);
      await close();
    });
  }
}
