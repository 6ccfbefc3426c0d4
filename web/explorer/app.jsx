import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useAnswer } from './answer.js';
import { asking, mainPhase, phaseOf, picture, regime, toDraw } from './ask.js';
import { background } from './background.js';
import { changes } from './changes.js';
import { Controls } from './controls.jsx';
import { Drill } from './drill.jsx';
import { Plan, Serve } from './load.jsx';
import { started, unpacked } from '../package/core.js';
import { advised, commands, isLoad, kind, link, linked, plotted, swept, typed, words } from './line.js';
import { ratio } from './format.js';
import { Copy, Picture, Table, painted, save } from './parts.jsx';

const first = (host) => ({
  command: 'predict', name: 'gemm', values: { m: '4096', n: '4096', k: '4096' },
  options: host ? { machine: ['host'] } : { machine: ['nvidia-h100-sxm'], dtype: ['fp16'] },
});

const times = (gain) => `${gain >= 100 ? gain.toFixed(0) : gain.toPrecision(3)}×`;
const percent = (share) => (share == null ? 'unknown' : `${(100 * share).toFixed(1)} %`);

/** What a model does in each phase. */
const doing = { verify: 'decoding', decode: 'decoding', prefill: 'reading the prompt', encode: 'encoding', denoise: 'denoising', train: 'training' };

/** How long a model takes that does not generate. */
function Pass({ answer, q }) {
  const { seconds } = mainPhase(answer), images = answer.settings.batch;
  if (answer.image_seconds != null) return <>: {images > 1 ? `${images} images take` : 'an image takes'} <strong>{q(answer.image_seconds, 's')}</strong>, {answer.settings.steps} steps of {q(answer.step_seconds, 's')}</>;
  return <>: {doing[phaseOf(answer)]} a batch takes <strong>{q(seconds.expected, 's')}</strong>, {q(seconds.expected_low, 's')} to {q(seconds.expected_high, 's')}</>;
}

function Headline({ line, answer, q }) {
  if (kind(line) === 'model') {
    const step = mainPhase(answer);
    const fits = answer.memory.fits ? 'fits' : answer.memory.capacity_bytes == null ? 'memory not known' : 'does not fit';
    return (
      <p class="headline" aria-live="polite">
        <strong>{answer.name} {fits}</strong> on {answer.machine}
        {answer.tpot_seconds != null && <>: a token takes <strong>{q(answer.tpot_seconds, 's')}</strong>, {q(answer.tpot_low_seconds, 's')} to {q(answer.tpot_high_seconds, 's')}; the first {q(answer.ttft_seconds, 's')}</>}
        {answer.tpot_seconds == null && answer.memory.fits !== false && <Pass answer={answer} q={q} />}
        {answer.memory.fits !== false && <>; {doing[phaseOf(answer)]} is <em class={regime(step)}>{regime(step)}-bound</em></>}.
      </p>
    );
  }
  const { seconds } = answer;
  return (
    <p class="headline" aria-live="polite">
      {kind(line) === 'graph' && <><strong>{answer.name}</strong> is </>}<em class={answer.regime}>{answer.regime}-bound</em>{answer.binding && <> by {answer.binding}</>} on {answer.machine}: about <strong>{q(seconds.expected, 's')}</strong>,
      {' '}{q(seconds.expected_low, 's')} to {q(seconds.expected_high, 's')}; at best {q(seconds.lower, 's')}.
    </p>
  );
}

function operationRows(answers, q) {
  return {
    head: ['machine', 'time', 'interval', 'at best', 'regime', 'binds', 'FLOP/byte', 'ridge', 'attainable', 'energy'],
    rows: answers.map((a) => [a.machine, q(a.seconds.expected, 's'), `${q(a.seconds.expected_low, 's')} to ${q(a.seconds.expected_high, 's')}`,
      q(a.seconds.lower, 's'), a.regime, a.binding ?? '', ratio(a.intensity), ratio(a.ridge), q(a.attainable_flops_per_second, 'FLOP/s'), q(a.energy_joules, 'J')]),
  };
}

const generates = /verify|decode/, passes = /prefill|encode|denoise|train/;

/** What is shown of a model: head, text, and in which phases, where not in all. */
const modelColumns = [
  ['machine', (a) => `${a.devices > 1 ? `${a.devices} × ` : ''}${a.machine}`],
  ['per token', (a, q) => q(a.tpot_seconds, 's'), generates],
  ['interval', (a, q) => `${q(a.tpot_low_seconds, 's')} to ${q(a.tpot_high_seconds, 's')}`, generates],
  ['first token', (a, q) => q(a.ttft_seconds, 's'), generates],
  ['tokens/s per device', (a, q) => q(a.device_tokens_per_second), generates],
  ['images', (a, q) => q(a.image_seconds, 's'), /denoise/],
  ['a step', (a, q) => q(mainPhase(a).seconds.expected, 's'), passes],
  ['interval', (a, q) => `${q(mainPhase(a).seconds.expected_low, 's')} to ${q(mainPhase(a).seconds.expected_high, 's')}`, passes],
  ['memory', (a, q) => q(a.memory.total_bytes, 'B')],
  ['of it used', (a) => percent(a.memory.capacity_bytes ? a.memory.total_bytes / a.memory.capacity_bytes : null)],
  ['bound by', (a) => regime(mainPhase(a))],
  ['longest context', (a, q) => q(a.memory.longest_context), generates],
];

function modelRows(answers, q) {
  const columns = modelColumns.filter(([, , phases]) => !phases || phases.test(phaseOf(answers[0])));
  return { head: columns.map(([head]) => head), rows: answers.map((a) => columns.map(([, of]) => of(a, q))) };
}

function graphRows(answers, q) {
  return {
    head: ['machine', 'time', 'interval', 'at best', 'regime', 'inputs/s', 'kernels', 'memory', 'of it used', 'energy'],
    rows: answers.map((a) => [a.machine, q(a.seconds.expected, 's'), `${q(a.seconds.expected_low, 's')} to ${q(a.seconds.expected_high, 's')}`, q(a.seconds.lower, 's'),
      a.regime, q(a.inputs_per_second), q(a.kernels), q(a.memory.total_bytes, 'B'), percent(a.memory.capacity_bytes ? a.memory.total_bytes / a.memory.capacity_bytes : null), q(a.energy_joules, 'J')]),
  };
}

const rowsOf = { operation: operationRows, model: modelRows, graph: graphRows };

function Effects({ answer, q }) {
  return (
    <details open>
      <summary>Why it takes longer than the bound</summary>
      {answer.effects.length === 0 ? <p>Nothing is known to: the time expected is the bound.</p>
        : <Table caption={`Effects on ${answer.machine}`} head={['effect', 'factor', 'adds', 'why']}
          rows={answer.effects.map((e) => [e.name, e.factor.toPrecision(4), q(e.seconds, 's'), e.why])} />}
    </details>
  );
}

function Operations({ answer, graph, q }) {
  const rows = [...(graph ? answer : mainPhase(answer)).operations].sort((a, b) => b.share - a.share);
  return (
    <details>
      <summary>Where {graph ? 'it' : doing[phaseOf(answer)]} spends its time</summary>
      <Table caption={`Operations on ${answer.machine}`} head={['operation', 'share', 'calls', 'time of one', 'bound by', 'FLOP/byte']}
        rows={rows.map((o) => [o.name, percent(o.share), o.count, q(o.seconds.expected, 's'), o.regime, ratio(o.intensity)])} />
    </details>
  );
}

function Levers({ line, asks }) {
  const told = ['machine', 'peak', 'bandwidth', 'dtype', 'weights', 'kv'];
  const other = Object.keys(line.options).find((name) => !told.includes(name) && name !== 'precision');
  const asked = useMemo(() => (line.command === 'model' && other ? null : advised(line)), [line, other]);
  const { code, text } = useMemo(() => (asked ? asks.ask(words(asked, '--json')) : { code: 0, text: '{}' }), [asked, asks]);
  if (!asked) return <p class="quiet">The best lever is known of a run without --{other}.</p>;
  if (code > 0) return <p class="quiet">No lever: {text}</p>;
  const { levers } = JSON.parse(text);
  const gain = (l) => l.gain ?? l.rate_gain;
  const best = levers.filter((l) => gain(l) > 1.05 && l.fits !== false).slice(0, 4);
  if (best.length === 0) return <p class="quiet">No lever brings more than 5 %.</p>;
  return (
    <section aria-labelledby="levers">
      <h2 id="levers">What would help most on {line.options.machine?.[0] ?? 'this machine'}</h2>
      <ol class="levers">
        {best.map((l) => <li key={l.change}><strong>{times(gain(l))}</strong> {l.lever ?? l.name}: {l.change}</li>)}
      </ol>
    </section>
  );
}

/** The buttons, and the rungs that they made. */
function Ladder({ line, answer, asks, rungs, setRungs, onLine }) {
  const list = useMemo(() => changes(line, answer, asks.first), [line, answer, asks]);
  const best = list.filter((c) => c.gain > 1).sort((a, b) => b.gain - a.gain)[0];
  const climb = (change) => {
    const start = rungs.length > 0 ? rungs : [{ label: 'start', line, gain: 1 }];
    setRungs([...start, { label: `${change.name}: ${change.label}`, line: change.line, gain: start.at(-1).gain * change.gain }]);
    onLine(change.line);
  };
  return (
    <section aria-labelledby="ladder">
      <h2 id="ladder">A ladder to climb</h2>
      <p class="buttons">
        {list.map((c) => (
          <button key={c.name} type="button" disabled={c.gain === null} onClick={() => climb(c)}
            title={c.gain === null ? 'not here: the operation or the machine has no such change' : undefined}>
            {c.name}{c.label && c.gain !== null && <small>{c.label}: {times(c.gain)}</small>}
          </button>
        ))}
        <button type="button" class="main" disabled={!best} onClick={() => climb(best)}>Climb{best ? <small>{best.name.toLowerCase()}, {times(best.gain)}</small> : <small>nothing is faster</small>}</button>
      </p>
      {rungs.length > 0 && (
        <ol class="rungs">
          {rungs.map((r, i) => (
            <li key={i} style={{ '--gain': Math.min(1, r.gain / Math.max(...rungs.map((x) => x.gain))) }}>
              <button type="button" onClick={() => { setRungs(rungs.slice(0, i + 1)); onLine(r.line); }}>{r.label}</button> {times(r.gain)}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const figures = {
  operation: [['time', 's', (a) => a.seconds.expected], ['at best', 's', (a) => a.seconds.lower], ['work', 'FLOP', (a) => a.flops], ['bytes', 'B', (a) => a.bytes],
    ['FLOP/byte', '', (a) => a.intensity], ['attainable', 'FLOP/s', (a) => a.attainable_flops_per_second], ['energy', 'J', (a) => a.energy_joules]],
  model: [['per token', 's', (a) => a.tpot_seconds], ['a request', 's', (a) => a.request_seconds], ['first token', 's', (a) => a.ttft_seconds], ['tokens/s per device', '', (a) => a.device_tokens_per_second],
    ['memory of a device', 'B', (a) => a.memory.total_bytes], ['energy per token', 'J', (a) => a.joules_per_token], ['longest context', '', (a) => a.memory.longest_context]],
  graph: [['time', 's', (a) => a.seconds.expected], ['at best', 's', (a) => a.seconds.lower], ['work', 'FLOP', (a) => a.flops], ['bytes', 'B', (a) => a.bytes],
    ['memory', 'B', (a) => a.memory.total_bytes], ['energy', 'J', (a) => a.energy_joules]],
};

function Compared({ line, pinned, asks, q }) {
  const [a, b] = kind(pinned) === kind(line) ? [asks.first(pinned), asks.first(line)] : [];
  if (!a || !b) return <p class="quiet">A is {typed(words(pinned))}: it cannot be compared with what is asked now.</p>;
  return (
    <>
      <Table caption="A, as kept, and B, as asked now" head={['', 'A', 'B', 'B / A']}
        rows={figures[kind(line)].map(([name, unit, of]) => [name, q(of(a), unit), q(of(b), unit), of(a) > 0 && of(b) != null ? times(of(b) / of(a)) : ''])} />
      <p class="quiet">A: <code>{typed(words(pinned))}</code></p>
    </>
  );
}

function Curve({ line, sweepKey, asks }) {
  return <Picture line={useMemo(() => swept(line, sweepKey), [line, sweepKey])} name={`Over ${sweepKey}`} asks={asks} />;
}

function Charts({ line, asks, sweepKey }) {
  return (
    <div class="charts">
      <Picture line={useMemo(() => plotted(line), [line])} name="Roofline" asks={asks} />
      {sweepKey && <Curve line={line} sweepKey={sweepKey} asks={asks} />}
    </div>
  );
}

/** JSON, pictures and the command line of what is shown; `json` is undefined while it is computed. */
function Exports({ line, json, asks }) {
  const list = words(plotted(line), ...toDraw());
  const known = asks.known(list); // a load is drawn when it is wanted
  const drawn = known && picture(known).svg === undefined ? null : async () => picture(known ?? await asks.later(list)).svg;
  const disabled = json === undefined || drawn === null;
  return (
    <section aria-labelledby="exports">
      <h2 id="exports">The same answer elsewhere</h2>
      <Copy text={typed(words(line))}>Command line</Copy>
      <p class="buttons">
        <button type="button" disabled={disabled} onClick={async () => save('roofline.svg', 'image/svg+xml', await drawn())}>SVG</button>
        <button type="button" disabled={disabled} onClick={async () => save('roofline.png', 'image/png', await painted(await drawn()))}>PNG</button>
        <button type="button" disabled={json === undefined} onClick={() => save('roofline.json', 'application/json', json)}>JSON</button>
      </p>
    </section>
  );
}

/** A or B, one of them kept. */
function Compare({ line, pinned, asks, q, onLine, onPin }) {
  return (
    <section aria-labelledby="compare">
      <h2 id="compare">A and B</h2>
      <p class="buttons">
        <button type="button" onClick={() => onPin(line)}>Keep this as A</button>
        {pinned && <button type="button" onClick={() => { onPin(line); onLine(pinned); }}>Swap</button>}
        {pinned && <button type="button" onClick={() => onPin(null)}>Forget A</button>}
      </p>
      {pinned && <Compared line={line} pinned={pinned} asks={asks} q={q} />}
    </section>
  );
}

/** An operation, a model or a graph. */
function Predicted({ line, asks, q, rungs, setRungs, sweepKey, onLine }) {
  const { answers, why } = useMemo(() => asks.answers(line), [line, asks]);
  if (why) return <p class="why" role="alert">{why}</p>;
  const of = kind(line);
  return (
    <>
      <Headline line={line} answer={answers[0]} q={q} />
      <Charts line={line} asks={asks} sweepKey={sweepKey} />
      <Table caption="Predicted" {...rowsOf[of](answers, q)} />
      {of !== 'graph' && <Ladder line={line} answer={answers[0]} asks={asks} rungs={rungs} setRungs={setRungs} onLine={onLine} />}
      {of !== 'graph' && <Levers line={line} asks={asks} />}
      {of === 'operation' ? <Effects answer={answers[0]} q={q} /> : <Operations answer={answers[0]} graph={of === 'graph'} q={q} />}
    </>
  );
}

/** What is being computed, and of what the answer is that still stands there. */
function Computing({ line, shown }) {
  return (
    <p class="computing" role="status">
      Being computed: <code>{typed(words(line))}</code>
      {shown && <>. What is shown answers <code>{typed(words(shown))}</code></>}.
    </p>
  );
}

function Answer({ line, pinned, asks, q, onLine, onPin, ...rest }) {
  const { line: shown, answer, computing } = useAnswer(asks, line, ['--json']);
  const Load = { plan: Plan, serve: Serve }[line.command];
  const refused = !computing && answer.code > 1;
  return (
    <div class="answer" aria-busy={computing}>
      <div class={computing ? 'shown old' : 'shown'}>
        {!Load ? <Predicted line={line} asks={asks} q={q} onLine={onLine} {...rest} /> : answer && <Load line={shown} answer={answer} asks={asks} q={q} />}
      </div>
      {computing && <Computing line={line} shown={answer && shown} />}
      {!Load && !refused && <Compare line={line} pinned={pinned} asks={asks} q={q} onLine={onLine} onPin={onPin} />}
      {!refused && <Exports line={line} json={computing ? undefined : answer.text} asks={asks} />}
    </div>
  );
}

/** What a link to the drill asks about. */
const about = (line) => (line?.command === 'drill' && line.name === 'model' ? 'model' : 'operation');

/** The link where it asks something of which no line came; else nothing. */
const unread = (lines) => (lines.length === 0 && location.hash.length > 1 ? location.hash : '');

function App({ asks, lists, host }) {
  const opened = linked(location.hash);
  const [lost, setLost] = useState(unread(opened));
  const [view, setView] = useState(opened[0]?.command === 'drill' ? 'drill' : 'explore');
  const [guessed, setGuessed] = useState(about(opened[0]));
  const [line, setLine] = useState(opened[0] && opened[0].command !== 'drill' ? opened[0] : first(host));
  const [pinned, setPinned] = useState(opened[1] ?? null);
  const [rungs, setRungs] = useState([]);
  const [sweepKey, setSweepKey] = useState(null);
  const shown = link(line, pinned);
  useEffect(() => history.replaceState(null, '', view !== 'drill' ? shown : guessed === 'model' ? '#drill+model' : '#drill'), [shown, view, guessed]);
  useEffect(() => {
    const follow = () => {
      const lines = linked(location.hash);
      setLost(unread(lines));
      if (lines[0] && lines[0].command !== 'drill') {
        setLine(lines[0]);
        setPinned(lines[1] ?? null);
        setRungs([]);
      }
      setView(lines[0]?.command === 'drill' ? 'drill' : 'explore');
      setGuessed(about(lines[0]));
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const change = (next) => {
    setLost('');
    setLine(next);
    setRungs([]);
  };
  const key = isLoad(line) || kind(line) === 'graph' ? null : line.values[sweepKey] !== undefined || (line.command === 'model' && sweepKey === 'batch') ? sweepKey : line.command === 'model' ? 'batch' : Object.keys(line.values)[0];
  return (
    <>
      <header>
        <h1>roofline explorer</h1>
        <nav aria-label="Views">
          {[['explore', 'Explore'], ['drill', 'Drill']].map(([name, text]) => (
            <button key={name} type="button" aria-current={view === name ? 'page' : undefined} onClick={() => setView(name)}>{text}</button>
          ))}
        </nav>
      </header>
      {view === 'drill' ? <main class="drill"><Drill asks={asks} lists={lists} of={guessed} onOf={setGuessed} /></main> : (
        <main>
          {lost && <p class="why" role="alert">{lost.slice(0, 60)}: not a question that the explorer has; a link asks {commands.join(', ')}, words apart by +. What follows is its first example.</p>}
          <Controls line={line} lists={lists} asks={asks} host={host} sweepKey={key} onSweep={setSweepKey} onLine={change} />
          <Answer line={line} pinned={pinned} asks={asks} q={asks.quantity} rungs={rungs} setRungs={setRungs} sweepKey={key} onLine={setLine} onPin={setPinned} />
        </main>
      )}
      <footer>Computed in this page by libroofline, compiled to WebAssembly: nothing is sent anywhere.</footer>
    </>
  );
}

const packed = (id) => Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));

async function begin() {
  const wasm = await WebAssembly.compile(await unpacked(packed('library'))), catalogue = packed('catalogue');
  const library = await started(wasm, catalogue);
  const asks = asking(library, background(document.getElementById('worker').textContent, wasm, catalogue));
  const lists = { machines: library.machines(), operations: library.operations(), models: library.models() };
  const host = document.getElementById('host')?.textContent.trim();
  if (host) asks.keep('host.json', new TextEncoder().encode(host));
  document.getElementById('app').textContent = '';
  render(<App asks={asks} lists={lists} host={Boolean(host)} />, document.getElementById('app'));
}

begin().catch((error) => {
  document.getElementById('app').textContent = `This browser cannot run the explorer: ${error.message}`;
});
