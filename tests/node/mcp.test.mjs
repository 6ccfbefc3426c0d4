// `roofline mcp` as clients use it: the official TypeScript SDK's client over standard input and output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';

const { ROOFLINE: command, ROOFLINE_SOURCE: source } = process.env;
const home = mkdtempSync(join(tmpdir(), 'roofline-mcp-'));
const root = join(home, 'root');
mkdirSync(root);
cpSync(join(source, 'examples'), join(root, 'examples'), { recursive: true });
const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' };

async function connected(...options) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: ['mcp', '--root', root, ...options], env }));
  open.push(client);
  return client;
}

const open = [];
after(() => Promise.all(open.map((one) => one.close())));
let client;
before(async () => { client = await connected(); });

const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const textOf = (result) => result.content.filter(({ type }) => type === 'text').map(({ text }) => text).join('');

/** What the command prints for the same words. */
function printed(...words) {
  const { stdout } = spawnSync(command, words, { cwd: root, env: { ...env, COLUMNS: '200' }, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout;
}

test('a session begins with the revision of the SDK, a version and instructions', () => {
  assert.equal(client.getServerVersion().name, 'roofline');
  assert.match(client.getInstructions(), /claim/);
  assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(), ['resources', 'tools']);
  assert.equal(LATEST_PROTOCOL_VERSION, '2025-11-25');
});

test('the tools have the options of `roofline help --json` as schemas, and none that writes', async () => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name),
    ['predict', 'sweep', 'model', 'plan', 'claim', 'machine', 'import', 'advise', 'reconcile', 'plot', 'explain']);
  const { commands } = JSON.parse(printed('help', '--json'));
  const hidden = ['', 'json', 'csv', 'quiet', 'color', 'help', 'to', 'seal', 'label', 'mine', 'sign', 'ledger', 'unsealed'];
  for (const { name, inputSchema, description } of tools) {
    const { options, summary } = commands.find((one) => one.name === name);
    for (const option of options.filter((one) => !hidden.includes(one.name ?? ''))) {
      const { type } = inputSchema.properties[option.name] ?? assert.fail(`${name}: no ${option.name}`);
      assert.equal(type, option.value === null ? 'boolean' : option.repeatable ? 'array' : type, `${name} ${option.name}`);
    }
    for (const written of ['to', 'seal', 'sign']) assert.equal(inputSchema.properties[written], undefined);
    assert.ok(description.startsWith(summary));
  }
});

test('each tool answers with what its command prints', async () => {
  for (const [name, args, ...words] of [
    ['predict', { words: ['gemm', 'm=8192', 'n=28672', 'k=8192'], machine: ['h100'], dtype: ['fp16'] }, 'gemm', 'm=8192', 'n=28672', 'k=8192', '-m', 'h100', '-d', 'fp16'],
    ['predict', { words: ['gemm', 'm=n=k=8'], machine: ['h100', 'a100'], answer: 'json' }, 'gemm', 'm=n=k=8', '-m', 'h100', '-m', 'a100', '--json'],
    ['sweep', { words: ['linear', 'batch=1..1024*2', 'in=4096', 'out=4096'], machine: ['a100'], answer: 'csv' }, 'linear', 'batch=1..1024*2', 'in=4096', 'out=4096', '-m', 'a100', '--csv'],
    ['model', { words: ['llama-3.1-8b', 'batch=16'], machine: ['h100'], tp: 2 }, 'llama-3.1-8b', 'batch=16', '-m', 'h100', '--tp', '2'],
    ['plan', { words: ['llama-3.1-8b'], machine: ['h100'], users: 8, tpot: '50ms' }, 'llama-3.1-8b', '-m', 'h100', '--users', '8', '--tpot', '50ms'],
    ['claim', { words: ['1700TFLOP/s'], machine: ['h100'], dtype: ['fp16'] }, '1700TFLOP/s', '-m', 'h100', '-d', 'fp16'],
    ['machine', { words: ['list', 'h100'] }, 'list', 'h100'],
    ['import', { words: ['examples/ncu.csv'], machine: ['h100'] }, 'examples/ncu.csv', '-m', 'h100'],
    ['advise', { words: ['gemm', 'm=1', 'n=4096', 'k=4096'], machine: ['h100'] }, 'gemm', 'm=1', 'n=4096', 'k=4096', '-m', 'h100'],
    ['plot', { words: ['softmax', 'rows=8192', 'cols=8192'], machine: ['h100'] }, 'softmax', 'rows=8192', 'cols=8192', '-m', 'h100'],
    ['explain', { words: ['ridge'], machine: ['h100'] }, 'ridge', '-m', 'h100'],
  ]) {
    const result = await call(name, args);
    assert.equal(result.isError, false, `${name}: ${textOf(result)}`);
    assert.equal(textOf(result), printed(name, ...words), name);
  }
});

test('a claim that cannot be is an answer, with the exit code of the gate', async () => {
  const result = await call('claim', { words: ['1700TFLOP/s'], machine: ['h100'], dtype: ['fp16'] });
  assert.match(textOf(result), /^impossible: /);
  assert.deepEqual(result._meta, { 'roofline/exit_code': 1 });
});

test('what is wrong comes back in words that name the right ones', async () => {
  const wrong = await call('predict', { words: ['gem', 'm=8'], machine: ['h100'] });
  assert.ok(wrong.isError && /did you mean `gemv` or `gemm`/.test(textOf(wrong)));
  const misspelt = await call('predict', { machin: ['h100'] });
  assert.ok(misspelt.isError && /did you mean `machine`/.test(textOf(misspelt)));
  const apart = await call('predict', { op: 'gemm', m: 8192, machine: ['h100'] });
  assert.ok(apart.isError && /`words`: \["gemm", "m=8192"/.test(textOf(apart)));
  await assert.rejects(call('explan', {}), { code: -32602, message: /did you mean `explain`/ });
});

test('long answers come in pages that join to the whole', async () => {
  const args = { words: ['list'], answer: 'json' };
  const whole = printed('machine', 'list', '--json');
  const first = await call('machine', args);
  const pages = Number(/^page 1 of (\d+)/.exec(first.content[1].text)[1]);
  assert.ok(pages > 1);
  let joined = first.content[0].text;
  for (let page = 2; page <= pages; page++) joined += (await call('machine', { ...args, page })).content[0].text;
  assert.equal(joined, whole);
  const beyond = await call('machine', { ...args, page: pages + 1 });
  assert.ok(beyond.isError && textOf(beyond).startsWith(`page ${pages + 1}: the answer has ${pages}`));
});

test('charts come as SVG and as PNG', async () => {
  const args = { words: ['softmax', 'rows=8192', 'cols=8192'], machine: ['h100'] };
  const [svg] = (await call('plot', { ...args, answer: 'svg' })).content;
  assert.equal(svg.resource.text, printed('plot', ...args.words, '-m', 'h100', '--to', '-.svg'));
  const [png] = (await call('plot', { ...args, answer: 'png' })).content;
  assert.equal(png.mimeType, 'image/png');
  assert.deepEqual([...Buffer.from(png.data, 'base64').subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});

test('machines and the book are resources, listed to the end', async () => {
  const uris = [];
  for (let cursor; ;) {
    const { resources, nextCursor } = await client.listResources({ cursor });
    uris.push(...resources.map(({ uri }) => uri));
    if (!(cursor = nextCursor)) break;
  }
  const { machines } = JSON.parse(printed('machine', 'list', '--json'));
  for (const { name } of machines) assert.ok(uris.includes(`roofline://machine/${name}`), name);
  const { contents: [h100] } = await client.readResource({ uri: 'roofline://machine/h100' });
  assert.equal(h100.text, printed('machine', 'show', 'h100', '--json'));
  const { contents: [page] } = await client.readResource({ uri: 'roofline://docs/method.md' });
  assert.equal(page.text, readFileSync(join(source, 'docs', 'method.md'), 'utf8'));
  for (const uri of ['roofline://machine/none', 'roofline://docs/../README.md', 'roofline://machine/..%2f', 'file:///etc/passwd']) {
    await assert.rejects(client.readResource({ uri }), { code: -32002 }, uri);
  }
});

test('calls at once are all answered, and one that is cancelled ends without a word', async () => {
  const stop = new AbortController();
  const long = call('sweep', { words: ['gemm', 'm=1..3000', 'n=1..3000', 'k=4096'], machine: ['h100'], answer: 'json' }, { signal: stop.signal });
  const several = Array.from({ length: 8 }, (_, i) => call('predict', { words: ['copy', `n=${i + 1}`], machine: ['h100'], answer: 'json' }));
  const results = await Promise.all(several);
  results.forEach((result, i) => assert.equal(JSON.parse(textOf(result)).parameters.n, i + 1));
  stop.abort();
  await assert.rejects(long);
  await client.ping();
});

test('nothing is written but with --allow-write, and then below the root alone', async () => {
  const refused = await call('predict', { words: ['softmax', 'rows=8192', 'cols=8192'], machine: ['h100'], to: 'chart.svg' });
  assert.ok(refused.isError && /--allow-write/.test(textOf(refused)) && !existsSync(join(root, 'chart.svg')));
  const writer = await connected('--allow-write');
  const write = (to) => writer.callTool({ name: 'predict', arguments: { words: ['softmax', 'rows=8192', 'cols=8192'], machine: ['h100'], to } });
  assert.equal((await write('chart.svg')).isError, false);
  assert.ok(existsSync(join(root, 'chart.svg')));
  for (const to of ['../out.svg', join(home, 'out.svg')]) {
    const outside = await write(to);
    assert.ok(outside.isError && /outside the folders/.test(textOf(outside)), to);
  }
  assert.equal(existsSync(join(home, 'out.svg')), false);
});
