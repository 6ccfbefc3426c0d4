// The npm package, packed and installed as somebody installs it: its answers are the command's to the last digit, its types are those of the answers.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const { ROOFLINE: command, ROOFLINE_SOURCE: source } = process.env;
const built = join(source, 'build', 'web', 'package');
const home = mkdtempSync(join(tmpdir(), 'roofline-package-'));
const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home };

const npm = (...words) => execFileSync('npm', [...words, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: home, env, encoding: 'utf8' });
writeFileSync(join(home, 'package.json'), '{"type": "module"}');
const [packed] = JSON.parse(npm('pack', built, '--json'));
npm('install', join(home, packed.filename));
const installed = join(home, 'node_modules', 'roofline-wasm');
const { open, RooflineError } = await import(pathToFileURL(join(installed, 'node.js')));
const roofline = await open();

/** The exit code of the command for the same words, and what it prints, or why not. */
function commanded(words) {
  const { status, stdout, stderr } = spawnSync(command, words, { env, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: status, text: status > 0 ? stderr.trim().replace(/^roofline: /, '') : stdout };
}

const document = (...words) => JSON.parse(commanded([...words, '--json']).text);

/** Numbers that are the same in each run of the test. */
function dice(seed) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  return { chance: (share) => next() < share, pick: (list) => list[Math.floor(next() * list.length)], size: (most) => Math.max(1, Math.round(2 ** (next() * Math.log2(most)))) };
}

test('what is packed is the library, its types and its licence, and depends on nothing', () => {
  assert.deepEqual(packed.files.map(({ path }) => path).sort(),
    ['LICENSE', 'README.md', 'browser.js', 'catalogue.deflate', 'core.js', 'index.d.ts', 'node.js', 'package.json', 'roofline.wasm', 'words.js']);
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(`roofline ${manifest.version}`, commanded(['--version']).text.trim());
});

test('its README says what it weighs', () => {
  const [, said] = /`roofline.wasm` (\d+) kB/.exec(readFileSync(join(installed, 'README.md'), 'utf8'));
  assert.equal(Number(said), Math.round(readFileSync(join(installed, 'roofline.wasm')).length / 1e3));
});

test('by its name it is what Node.js imports', () => {
  const program = "import { open } from 'roofline-wasm'; console.log((await open()).quantity(0.0015, 's'))";
  assert.equal(execFileSync('node', ['--input-type=module', '-e', program], { cwd: home, encoding: 'utf8' }), '1.500 ms\n');
});

test('100 random operations are predicted as the command predicts them, to the last digit', () => {
  const { chance, pick, size } = dice(7);
  const machines = roofline.machines(), operations = roofline.operations();
  let answered = 0;
  for (let tries = 0; answered < 100; tries++) {
    assert.ok(tries < 1000, `${answered} of ${tries} are answered`);
    const { name, parameters } = pick(operations);
    const values = {}, options = { machine: chance(0.2) ? [pick(machines).name, pick(machines).name] : pick(machines).name };
    for (const p of parameters) {
      if (p.choices.length > 0 && chance(0.5)) values[p.name] = pick(p.choices);
      else if (p.choices.length === 0 && p.default === null && p.same_as === null) values[p.name] = size(p.name === 'kernel' ? 7 : 20000);
    }
    if (chance(0.5)) options.dtype = pick(['fp64', 'fp32', 'fp16', 'bf16', 'fp8', 'int8']);
    if (chance(0.2)) options.weights = pick(['int8', 'int4', 'fp8']);
    if (chance(0.1)) options.warm = true;
    const words = ['predict', name, ...Object.entries(values).map(([key, value]) => `${key}=${value}`),
      ...Object.entries(options).flatMap(([key, value]) => (value === true ? [`--${key}`] : [value].flat().flatMap((one) => [`--${key}`, one])))];
    const there = commanded([...words, '--json']);
    if (there.code > 0) {
      assert.throws(() => roofline.predict(name, values, options), { name: 'RooflineError', message: there.text, code: there.code }, words.join(' '));
    } else {
      assert.deepEqual(roofline.predict(name, values, options), JSON.parse(there.text), words.join(' '));
      answered++;
    }
  }
});

test('sweeps, models, levers, pictures and lists are the command\'s', () => {
  const on = ['--machine', 'h100'];
  const h100 = { machine: 'h100' };
  assert.deepEqual(roofline.sweep('linear', { batch: '1..1024*2', in: 4096, out: 4096 }, { machine: ['a100', 'h100'] }),
    document('sweep', 'linear', 'batch=1..1024*2', 'in=4096', 'out=4096', '--machine', 'a100', ...on));
  for (const [name, batch, precision] of [['llama-3.1-8b', 16, undefined], ['llama-3.1-70b', 4, 'fp8'], ['llama-3.1-8b', '1,8,64', 'w4a16']]) {
    assert.deepEqual(roofline.model(name, { batch }, { ...h100, precision }),
      document('model', name, `batch=${batch}`, ...on, ...(precision ? ['--precision', precision] : [])));
  }
  assert.deepEqual(roofline.advise('gemm', { m: 1, n: 4096, k: 4096 }, h100), document('advise', 'gemm', 'm=1', 'n=4096', 'k=4096', ...on));
  assert.equal(roofline.plot('gemm', { 'm=n=k': 4096 }, h100), commanded(['plot', 'gemm', 'm=n=k=4096', ...on, '--to', '-.svg']).text);
  assert.equal(roofline.curve('gemm', { m: '1..4096*2', 'n=k': 4096 }, h100), commanded(['sweep', 'gemm', 'm=1..4096*2', 'n=k=4096', ...on, '--to', '-.svg']).text);
  assert.equal(roofline.curve('llama-3.1-8b', { batch: '1..64*2' }, h100), commanded(['model', 'llama-3.1-8b', 'batch=1..64*2', ...on, '--to', '-.svg']).text);
  assert.deepEqual(roofline.machines(), document('machine', 'list').machines);
  assert.deepEqual(roofline.operations(), document('op', 'list').operations);
  assert.deepEqual(roofline.models(), document('model', '--list').models);
});

test('a module that was compiled once starts libraries, as its bytes do', async () => {
  const file = (name) => readFileSync(join(installed, name));
  const other = await open({ wasm: await WebAssembly.compile(file('roofline.wasm')), catalogue: file('catalogue.deflate') });
  assert.deepEqual(other.predict('copy', { n: 8 }, { machine: 'h100' }), roofline.predict('copy', { n: 8 }, { machine: 'h100' }));
});

test('what is refused is thrown in the command\'s words', () => {
  assert.throws(() => roofline.predict('gem', { m: 1 }, { machine: 'h100' }),
    (why) => why instanceof RooflineError && why.code === 2 && /did you mean `gemv` or `gemm`/.test(why.message));
  assert.throws(() => roofline.predict('copy', { n: 8 }, { machine: 'h100', nothing: 'x' }), { code: 2 });
});

test('an option of another command is refused, as the command refuses it', () => {
  const gemm = 'predict gemm m=8 n=8 k=8 --machine h100', model = 'model llama-3.1-8b --machine h100', plan = 'plan llama-3.1-8b --machine h100', serve = 'serve llama-3.1-8b --machine h100';
  for (const asked of [
    `${gemm} --lenient`, `${gemm} --train`, `${gemm} --precision fp8`, `${gemm} --rate 4`, `${gemm} --percentile 90`, `${gemm} --fuse all`, `${gemm} --warm=no`,
    `${gemm} --weights int8 --weights int4`, 'plot gemm m=8 n=8 k=8 --machine h100 --warm', 'advise gemm m=8 n=8 k=8 --machine h100 --precision fp8',
    'advise llama-3.1-8b --machine h100 --weights fp8 --precision fp8', 'advise llama-3.1-8b --machine h100 --train', `${model} --weights int4`, `${model} --group 128`,
    `${model} --output fp8`, `${model} --recompute full`, `${model} --rate 4`, `${plan} --weights int4`, `${plan} --recompute full`, `${serve} --fuse all`, `${serve} --mode eager`, `${serve} --devices 2`,
  ]) {
    assert.equal(commanded(asked.split(' ')).code, 2, asked);
    assert.throws(() => roofline.printed([...asked.split(' '), '--json']), { name: 'RooflineError', code: 2 }, asked);
  }
  assert.throws(() => roofline.printed([...plan.split(' '), '--train']), /--train: not an option that `plan` has/);
  assert.throws(() => roofline.predict('gemm', { 'm=n=k': 8 }, { machine: 'h100', sparse: 'false' }), /--sparse=false: option does not take an argument/);
});

test('options behind `=`, prices and the formats of a model\'s levers are the command\'s', () => {
  for (const asked of [
    'predict gemm m=8 n=8 k=8 --machine=h100 --dtype=fp8', 'advise llama-3.1-8b --machine h100 --precision fp8', 'model llama-3.1-8b --machine h100 --price 2',
    'model llama-3.1-8b --machine h100 --machine a100 --price h100=2.5,a100=1.5', 'model llama-3.1-8b batch=1,8 --machine h100 --machine a100 --price h100=2.5,a100=1.5',
    'model llama-3.1-8b batch=1,8 --machine h100 --price 2', 'model llama-3.1-8b --machine h100 --machine a100 --price 2', 'model llama-3.1-8b price=3 --machine h100 --price 2',
  ]) {
    const words = [...asked.split(' '), '--json'], { code, text } = roofline.ask(words), there = commanded(words);
    assert.deepEqual([code, code > 0 ? text : JSON.parse(text)], [there.code, code > 0 ? there.text : JSON.parse(there.text)], asked);
  }
});

test('a file that was kept is a machine, of one library alone', async () => {
  const machine = commanded(['machine', 'show', 'a100', '--json']).text.replace('"nvidia-a100-sxm-80gb"', '"mine"').replace(/"aliases": \[[^\]]*\]/, '"aliases": []');
  roofline.keep('mine.json', machine);
  const { name } = JSON.parse(machine);
  assert.equal(roofline.predict('copy', { n: 8 }, { machine: 'mine.json' }).machine, name);
  const other = await open();
  assert.throws(() => other.predict('copy', { n: 8 }, { machine: 'mine.json' }), RooflineError);
});

test('a file whose name is a name of the catalogue, or may be one, is not kept', () => {
  for (const name of ['mine', 'h100', 'a100.json.txt', '']) assert.throws(() => roofline.keep(name, '{}'), { name: 'RooflineError', code: 2 }, name);
});

test('the files for browsers are fetched from where the module came from', async () => {
  const types = { '.wasm': 'application/wasm', '.js': 'text/javascript' };
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', types[extname(url)] ?? 'application/octet-stream');
    response.end(readFileSync(join(installed, url)));
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await new Promise((ready) => server.on('listening', ready));
  const at = `http://127.0.0.1:${server.address().port}`;
  // Node.js imports no module from a server: the same text, with the server's address in the place of its own
  const module = join(home, 'browser.mjs');
  writeFileSync(module, readFileSync(join(installed, 'browser.js'), 'utf8').replaceAll('./core.js', pathToFileURL(join(installed, 'core.js')).href)
    .replaceAll('import.meta.url', `'${at}/browser.js'`));
  const here = await (await import(pathToFileURL(module))).open();
  assert.deepEqual(here.predict('copy', { n: 8 }, { machine: 'h100' }), roofline.predict('copy', { n: 8 }, { machine: 'h100' }));
});

test('the types are those of the answers: every member is there, and what uses them compiles', () => {
  const types = readFileSync(join(installed, 'index.d.ts'), 'utf8');
  const members = (name) => [...new RegExp(`export interface ${name} \\{\\n([^]*?)\\n\\}`).exec(types)[1].matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, key]) => key);
  const answers = {
    Prediction: roofline.predict('gemm', { 'm=n=k': 8 }, { machine: 'h100' }),
    Seconds: roofline.predict('gemm', { 'm=n=k': 8 }, { machine: 'h100' }).seconds,
    Sweep: roofline.sweep('gemm', { m: '1,2', 'n=k': 8 }, { machine: 'h100' }),
    Model: roofline.model('llama-3.1-8b', {}, { machine: 'h100' }),
    Machine: roofline.machines()[0],
    Operation: roofline.operations()[0],
  };
  for (const [name, answer] of Object.entries(answers)) {
    assert.ok(members(name).length > 1);
    for (const key of members(name)) assert.ok(key in answer, `${name}: ${key}`);
  }
  const compiler = join(dirname(fileURLToPath(import.meta.url)), 'node_modules', 'typescript', 'bin', 'tsc');
  writeFileSync(join(home, 'use.ts'), `import { open, type Prediction } from 'roofline-wasm';
const roofline = await open();
const one: Prediction = roofline.predict('gemm', { m: 8, n: '4Ki', k: 8 }, { machine: 'h100', dtype: 'fp16', warm: true });
const several = roofline.predict('gemm', { m: 8, n: 8, k: 8 }, { machine: ['h100', 'a100'] });
export const first: Prediction | undefined = several.schema === 'roofline.predictions/1' ? several.predictions[0] : several;
export const seconds: number | null = one.seconds.expected;
// @ts-expect-error: an option that is not there
roofline.predict('gemm', { m: 8 }, { machin: 'h100' });
// @ts-expect-error: a format of operations, of a model \`precision\` says it
roofline.model('llama-3.1-8b', {}, { weights: 'int4', group: 128 });
export const eight = roofline.advise('llama-3.1-8b', {}, { machine: 'h100', precision: 'fp8' });
export const dollars = roofline.model('llama-3.1-8b', {}, { machine: 'h100', price: 2 });
// @ts-expect-error: what may be null
export const sure: number = one.seconds.expected;
`);
  const { status, stdout } = spawnSync('node', [compiler, '--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', 'use.ts'],
    { cwd: home, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
