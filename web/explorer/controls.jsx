// What is asked: machines, an operation or a model, sizes, formats.
import { useState } from 'preact/hooks';
import { asked, isLoad, kind, number, withOption, withValue, words } from './line.js';
import { Load, firstPlan, firstServe } from './load.jsx';
import { Choice, Field, Size } from './parts.jsx';

const dtypes = ['fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp6', 'fp4', 'int8', 'int4'];
const weightFormats = ['fp16', 'bf16', 'fp8', 'int8', 'int4', 'nf4', 'awq', 'gptq', 'mxfp4', 'mxfp8', 'nvfp4'];
const precisions = ['fp16', 'bf16', 'fp8', 'fp8-block', 'mxfp8', 'w8a8', 'w8a16', 'w4a16', 'nvfp4', 'mxfp4', 'nf4'];
const asTyped = (names, none) => [['', none], ...names.map((name) => [name, name])];

/** Takes the file of a field, which forgets it: the same one may be given again once it has changed. */
function given(field, take) {
  take(field.files[0]);
  field.value = '';
}

const modelFile = /\.(json|gguf|onnx|safetensors)$/;
const mebibyte = 2 ** 20;

/** Keeps a model's file, of GGUF and safetensors what stands before the weights; why not, where it is too large. */
async function kept(file, name, asks) {
  const headed = /\.(gguf|safetensors)$/.test(name);
  if (!headed && file.size > 256 * mebibyte) return `${name}: ${asks.quantity(file.size, 'B')}, a page holds 268.4 MB; \`roofline model\` reads it`;
  asks.keep(name, new Uint8Array(await file.slice(0, headed ? 64 * mebibyte : file.size).arrayBuffer()), file.size);
  return '';
}

/** The line of another model; a graph has none of the settings of a model, nor the other way round. */
function renamed(line, name) {
  const next = { ...line, name };
  return kind(next) === kind(line) ? next : { ...asked(next, 'model', ['machine', 'peak', 'bandwidth', 'mode']), values: {} };
}

/** The line of a file that can be read, with 1 for each size that it leaves open; else { why } it cannot. */
function opened(line, asks) {
  if (isLoad(line)) return ofLoad(line, asks);
  for (let next = line; ;) {
    const { code, text } = asks.ask(words({ ...next, values: { ...next.values, tp: '', pp: '', dp: '', ep: '' } }, '--json'));
    const left = /; give `([^`=]+)=N`$/.exec(text)?.[1];
    if (code === 0) return { line: next };
    if (!left || next.values[left]) return { why: text };
    next = withValue(next, left, '1');
  }
}

/** The same of a load, whose own answer takes a moment: whether its model can be read. */
function ofLoad(line, asks) {
  const model = { ...asked(line, 'model', ['machine', 'peak', 'bandwidth']), values: {} };
  if (kind(model) === 'graph') return { why: `${line.name}: a graph has no requests; config.json and GGUF are of models that have` };
  const { code, text } = asks.ask(words(model, '--json'));
  return code === 0 ? { line } : { why: text };
}

/** Sizes that an operation begins with, where nothing else is known. */
const sizes = { batch: '1', heads: '32', q_len: '4096', kv_len: '4096', head_dim: '128', m: '4096', n: '4096', k: '4096', rows: '8192', cols: '8192', size: '1000000000',
  ranks: '8', tokens: '8192', hidden: '4096', in: '4096', out: '4096', height: '56', width: '56', in_channels: '64', out_channels: '64', kernel: '3', nnz: '1000000', nx: '512', ny: '512', nz: '512' };

const most = { batch: 1024, prompt: 131072, generate: 8192, heads: 256, head_dim: 512, ranks: 1024, kernel: 16, size: 2 ** 34, nnz: 2 ** 30, n: 65536 };

function Machines({ line, lists, host, asks, onLine }) {
  const [typed, setTyped] = useState('');
  const [why, setWhy] = useState('');
  const chosen = line.options.machine ?? [];
  const set = (names) => onLine(withOption(line, 'machine', ...names));
  const add = (event) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === '' || chosen.includes(name)) return;
    const { code, text } = asks.ask(['plot', '--machine', name, '--json']);
    setWhy(code > 0 ? text : '');
    if (code === 0) {
      set([...chosen, name]);
      setTyped('');
    }
  };
  const drop = async (file) => {
    if (!file) return;
    const name = file.name.endsWith('.json') ? file.name : `${file.name}.json`;
    asks.keep(name, new Uint8Array(await file.arrayBuffer()));
    const { code, text } = asks.ask(['plot', '--machine', name, '--json']);
    setWhy(code > 0 ? text : '');
    if (code === 0) set([...chosen.filter((c) => c !== name), name]);
  };
  const names = [...(host ? [{ name: 'host', title: 'this machine, as measured' }] : []), ...lists.machines];
  return (
    <fieldset>
      <legend>Machines</legend>
      <ul class="chips">
        {chosen.map((name) => (
          <li key={name}>{name} <button type="button" aria-label={`Leave out ${name}`} onClick={() => set(chosen.filter((c) => c !== name))}>×</button></li>
        ))}
      </ul>
      <form onSubmit={add}>
        <Field label="Add a machine">
          {(id) => (
            <span class="row">
              <input id={id} list="machines" value={typed} autocomplete="off" spellcheck={false} placeholder="a100, mi300x, epyc …" onInput={(event) => setTyped(event.currentTarget.value)} />
              <button type="submit">Add</button>
            </span>
          )}
        </Field>
        <datalist id="machines">{names.map((m) => <option key={m.name} value={m.name}>{m.title}</option>)}</datalist>
      </form>
      {why && <p class="why" role="alert">{why}</p>}
      <details>
        <summary>A machine from its datasheet</summary>
        <p class="quiet">With both figures it is one more machine.</p>
        <Datasheet line={line} onLine={onLine} />
        <Field label="Or a machine file">
          {(id) => <input id={id} type="file" accept=".json,application/json" onChange={(event) => given(event.currentTarget, drop)} />}
        </Field>
      </details>
    </fieldset>
  );
}

/** Both figures, or none: half a datasheet is no machine. */
function Datasheet({ line, onLine }) {
  const [peak, setPeak] = useState(line.options.peak?.[0] ?? '');
  const [bandwidth, setBandwidth] = useState(line.options.bandwidth?.[0] ?? '');
  const set = (p, b) => {
    setPeak(p);
    setBandwidth(b);
    const both = p.trim() !== '' && b.trim() !== '';
    onLine(withOption(withOption(line, 'peak', both ? p.trim() : ''), 'bandwidth', both ? b.trim() : ''));
  };
  return (
    <>
      <Field label="Peak" help="of one format: fp16:312TFLOP/s">
        {(id) => <input id={id} value={peak} placeholder="19.5TFLOP/s" onChange={(event) => set(event.currentTarget.value, bandwidth)} />}
      </Field>
      <Field label="Bandwidth of its memory">
        {(id) => <input id={id} value={bandwidth} placeholder="2039GB/s" onChange={(event) => set(peak, event.currentTarget.value)} />}
      </Field>
    </>
  );
}

function Operation({ line, operations, onLine }) {
  const operation = operations.find((o) => o.name === line.name);
  const families = [...new Set(operations.map((o) => o.family))];
  const choose = (name) => {
    const chosen = operations.find((o) => o.name === name);
    const needed = chosen.parameters.filter((p) => p.default === null && p.same_as === null);
    onLine({ ...line, name, values: Object.fromEntries(needed.map((p) => [p.name, line.values[p.name] || sizes[p.name] || '4096'])) });
  };
  return (
    <>
      <Field label="Operation" help={operation?.summary}>
        {(id) => (
          <select id={id} value={line.name} onChange={(event) => choose(event.currentTarget.value)}>
            {families.map((family) => (
              <optgroup key={family} label={family}>
                {operations.filter((o) => o.family === family).map((o) => <option key={o.name} value={o.name}>{o.name}</option>)}
              </optgroup>
            ))}
          </select>
        )}
      </Field>
      {operation?.parameters.map((p) => (p.choices.length > 0 ? (
        <Choice key={p.name} label={p.name} value={line.values[p.name] ?? String(p.default)} choices={p.choices.map((c) => [c, c])} onChange={(text) => onLine(withValue(line, p.name, text))} />
      ) : (
        <Size key={p.name} label={p.name} help={p.text} value={line.values[p.name] ?? ''} placeholder={p.same_as ? `as ${p.same_as}` : String(p.default ?? '')} parse={number} slides={p.default !== 0}
          most={most[p.name] ?? 32768} onChange={(text) => onLine(withValue(line, p.name, text))} />
      )))}
    </>
  );
}

/** A model of the catalogue, or of a file. */
function WhichModel({ line, models, asks, onLine }) {
  const [why, setWhy] = useState('');
  const [over, setOver] = useState(false);
  const drop = async (file) => {
    if (!file) return;
    const name = modelFile.test(file.name) ? file.name : 'config.json';
    const next = renamed(line, name);
    const refused = await kept(file, name, asks);
    const { line: open, why: left } = refused ? { why: refused } : opened(next, asks);
    setWhy(left ?? '');
    if (!left) onLine(open);
  };
  const own = models.some((m) => m.name === line.name) ? [] : [[line.name, line.name]];
  return (
    <>
      <Choice label="Model" value={line.name} choices={[...own, ...models.map((m) => [m.name, m.name])]} onChange={(name) => onLine(renamed(line, name))} />
      <div class={over ? 'drop over' : 'drop'} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
        onDrop={(event) => { event.preventDefault(); setOver(false); drop(event.dataTransfer.files[0]); }}>
        <Field label="Or drop a file here" help={`config.json${isLoad(line) ? ' or GGUF' : ', GGUF or ONNX'}; it stays in this page`}>
          {(id) => <input id={id} type="file" accept={`.json,.gguf,application/json${isLoad(line) ? '' : ',.onnx'}`} onChange={(event) => given(event.currentTarget, drop)} />}
        </Field>
      </div>
      {why && <p class="why" role="alert">{why}</p>}
    </>
  );
}

function Model({ line, models, asks, onLine }) {
  const graph = kind(line) === 'graph';
  const defaults = graph ? { batch: '1', ...Object.fromEntries(Object.keys(line.values).map((key) => [key, '1'])) } : { batch: '1', prompt: '2048', generate: '256' };
  return (
    <>
      <WhichModel line={line} models={models} asks={asks} onLine={onLine} />
      {Object.entries(defaults).map(([key, text]) => (
        <Size key={key} label={key} value={line.values[key] ?? ''} placeholder={text} parse={number} most={most[key] ?? 8192} help={{ prompt: 'tokens of context before the first answer' }[key]}
          onChange={(value) => onLine(withValue(line, key, value))} />
      ))}
      {!graph && (
        <div class="row">
          {['tp', 'pp', 'dp', 'ep'].map((key) => (
            <Choice key={key} label={key} value={line.values[key] ?? ''} choices={['', '2', '4', '8', '16'].map((n) => [n, n || '1'])} onChange={(n) => onLine(withValue(line, key, n))} />
          ))}
        </div>
      )}
    </>
  );
}

const cache = ['Keys and values', 'kv', ['fp16', 'bf16', 'fp8', 'int8'], 'as activations'];
const launch = ['Kernels are launched', 'mode', ['eager', 'graph', 'persistent'], 'in a graph'];

/** What may be chosen of each kind: label, option, its values, and what none of them is. */
const shown = {
  operation: [['Computed in', 'dtype', dtypes, "the machine's usual"], ['Weights', 'weights', weightFormats, 'as computed'], ['Result', 'output', dtypes, 'as computed']],
  model: [['Weights', 'precision', precisions, 'as stored'], cache,
    ['Fusion', 'fuse', ['none', 'serving', 'all'], 'as usual'], launch],
  graph: [['Computed in', 'dtype', dtypes, 'as stored'], launch],
  plan: [['Weights', 'precision', [...precisions, 'bf16/fp8', 'bf16/fp8/w4a16'], 'as stored'], cache],
  serve: [['Weights', 'precision', precisions, 'as stored'], cache],
};

function Formats({ line, onLine }) {
  return (
    <fieldset>
      <legend>Formats</legend>
      {shown[kind(line)].map(([label, name, names, none]) => (
        <Choice key={name} label={label} value={line.options[name]?.[0] ?? ''} choices={asTyped(names, none)} onChange={(text) => onLine(withOption(line, name, text))} />
      ))}
    </fieldset>
  );
}

/** What a line begins with: the model that was asked about before, on the same machines. */
function begun(command, line) {
  const options = line.options.machine ? { machine: line.options.machine } : {};
  const name = line.command !== 'predict' && kind(line) !== 'graph' ? line.name : 'llama-3.1-8b';
  if (command === 'plan') return firstPlan(name, options);
  if (command === 'serve') return firstServe(name, options);
  return command === 'model' ? { command, name, values: { batch: '8' }, options } : { command, name: 'gemm', values: { m: '4096', n: '4096', k: '4096' }, options };
}

const commands = [['predict', 'an operation'], ['model', 'a whole model'], ['plan', 'a plan for a load'], ['serve', 'a service under load']];

export function Controls({ line, lists, asks, host, sweepKey, onSweep, onLine }) {
  const of = kind(line);
  const swept = of === 'model' ? ['batch', 'prompt', 'generate'] : Object.keys(line.values).filter((key) => number(line.values[key]) > 0);
  const asked = { line, asks, models: lists.models, onLine };
  return (
    <div class="controls">
      <Machines line={line} lists={lists} host={host} asks={asks} onLine={onLine} />
      <fieldset>
        <legend>What runs</legend>
        <Choice label="Predict" value={line.command} choices={commands} onChange={(command) => onLine(begun(command, line))} />
        {of === 'operation' ? <Operation line={line} operations={lists.operations} onLine={onLine} /> : isLoad(line) ? <WhichModel {...asked} /> : <Model {...asked} />}
      </fieldset>
      {isLoad(line) && (
        <fieldset>
          <legend>Load and limits</legend>
          <Load line={line} onLine={onLine} />
        </fieldset>
      )}
      <Formats line={line} onLine={onLine} />
      {(of === 'operation' || of === 'model') && (
        <fieldset>
          <legend>Curve</legend>
          <Choice label="Over" value={sweepKey ?? ''} choices={swept.map((key) => [key, key])} onChange={onSweep} />
        </fieldset>
      )}
    </div>
  );
}
