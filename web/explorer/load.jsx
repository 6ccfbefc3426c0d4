// A load: what comes and the limits; a plan for it, ranked, or a service under it.
import { ratio } from './format.js';
import { withOption, withValue } from './line.js';
import { Field, Picture, Table } from './parts.jsx';

/** What may be typed: label, key, whether that is an option of the command, what it says where it is empty, and what it means. */
const limits = [['Most time to the first token', 'ttft', true, 'any', '500ms, 2s'], ['Most time per token', 'tpot', true, 'any', '20ms']];
const generated = ['Generated', 'generate', false, '256', 'tokens after it'];
const fields = {
  plan: [
    ['Users', 'users', false, 'as many as pay', 'requests at once, each followed by the next'],
    ['Rate', 'rate', true, '', 'or requests that come at random: 4/s, 240/min'],
    ['Context', 'context', false, '2048', 'tokens of a prompt'], generated, ...limits,
    ['Of the requests', 'percentile', true, '90', 'percent that keep the limits, or mean'],
    ['Devices', 'devices', true, 'the cheapest number', 'exactly so many'],
    ['Price', 'price', true, '', 'of a device and hour; of each machine: h100=2.5,a100=1.5'],
  ],
  serve: [
    ['Rate', 'rate', true, '1', 'requests that come at random: 4/s, 240/min; several: 1..16*2'],
    ['Concurrency', 'concurrency', true, '', 'or so many requests at a time, the next as one leaves'],
    ['Context', 'prompt', false, '2048', 'tokens of a prompt; lognormal:1024:0.8'], generated, ...limits,
    ['Requests', 'requests', true, '10000', 'that come in all'],
    ['Price', 'price', true, '', 'of a device and hour'],
    ['tp', 'tp', false, '1', 'devices that share a replica'],
    ['dp', 'dp', false, '1', 'replicas'],
  ],
};

export function Load({ line, onLine }) {
  const set = (key, option, text) => onLine(option ? withOption(line, key, text) : withValue(line, key, text));
  return fields[line.command].map(([label, key, option, none, help]) => (
    <Field key={key} label={label} help={help}>
      {(id) => <input id={id} value={(option ? line.options[key]?.[0] : line.values[key]) ?? ''} placeholder={none} autocomplete="off" spellcheck={false}
        onChange={(event) => set(key, option, event.currentTarget.value.trim())} />}
    </Field>
  ));
}

/** A plan for the load that one sees first. */
export const firstPlan = (name, machines) => ({
  command: 'plan', name, values: { users: '16', context: '2048' }, options: { ...machines, ttft: ['2s'], tpot: ['50ms'] },
});

/** A service at several rates. */
export const firstServe = (name, { machine = [] }) => ({
  command: 'serve', name, values: { prompt: '2048' }, options: { machine: machine.slice(0, 1), rate: ['1..16*2'], ttft: ['2s'], tpot: ['50ms'], requests: ['2000'] },
});

const interval = (low, high, q) => `${q(low, 's')} to ${high == null ? 'saturated' : q(high, 's')}`;

function Headline({ plan, q }) {
  const { best, choices: [nearest] } = plan;
  const one = best ?? nearest;
  const what = <strong>{one.devices} × {one.machine}</strong>;
  return (
    <p class="headline" aria-live="polite">
      {best ? what : <>Nothing meets the limits; nearest: {what}</>}, {one.precision}{best?.price_per_million_tokens != null && <>: <strong>{ratio(best.price_per_million_tokens)}</strong> per million tokens</>}
      {best ? <>. First token {q(best.ttft_seconds, 's')}{best.tpot_seconds != null && <>, then {q(best.tpot_seconds, 's')} each</>}, for {plan.percentile === 0 ? 'the mean' : `${plan.percentile} %`} of the requests.</> : <>: {one.why}.</>}
    </p>
  );
}

function Meeting({ list, q }) {
  const priced = list.some((c) => c.price_per_million_tokens != null);
  return (
    <Table caption={`Meet the limits, ${priced ? 'the cheapest' : 'the fewest devices'} first`}
      head={['devices', 'machine', 'precision', 'tp', 'pp', 'dp', 'ep', ...(priced ? ['per million tokens'] : []), 'first token', 'interval', 'per token', 'interval of it', 'tokens/s each', 'memory of a device', 'times']}
      rows={list.map((c) => [c.devices, c.machine, c.precision, c.tp, c.pp, c.dp, c.ep, ...(priced ? [ratio(c.price_per_million_tokens)] : []), q(c.ttft_seconds, 's'), interval(c.ttft_low_seconds, c.ttft_high_seconds, q),
        q(c.tpot_seconds, 's'), interval(c.tpot_low_seconds, c.tpot_high_seconds, q), q(c.device_tokens_per_second), q(c.total_bytes, 'B'), c.simulated ? 'simulated' : 'estimated'])} />
  );
}

function Failing({ list }) {
  return <Table caption="Do not, the nearest of each first" head={['devices', 'machine', 'precision', 'fails by']} rows={list.map((c) => [c.devices, c.machine, c.precision, c.why])} />;
}

/** The best plan as it was run, request by request. */
function UnderLoad({ run, q }) {
  return (
    <Table caption={`The best one under its load, ${run.requests} requests simulated with the queue`} head={['', '50 %', '90 %', '99 %']}
      rows={[['first token', 'ttft'], ['per token', 'tpot']].map(([label, key]) => [label, ...[50, 90, 99].map((p) => q(run[`${key}_p${p}_seconds`], 's'))])} />
  );
}

function Apart({ apart, q }) {
  const pool = ({ instances, devices, machine, tp, pp }) => `${instances * devices} × ${machine} (${instances} of tp ${tp} pp ${pp})`;
  const devices = [apart.prefill, apart.decode].reduce((sum, p) => sum + p.instances * p.devices, 0);
  return (
    <p>
      Prefill and decode apart take {devices} devices{apart.price_per_million_tokens != null && <>, {ratio(apart.price_per_million_tokens)} per million tokens</>}, first token {q(apart.ttft_seconds, 's')},
      then {q(apart.tpot_seconds, 's')} each: that {apart.pays ? 'pays' : 'does not pay'}. {pool(apart.prefill)} for prompts, {pool(apart.decode)} to generate.
    </p>
  );
}

export function Plan({ line, answer: { code, text }, asks, q }) {
  if (code > 1) return <p class="why" role="alert">{text}</p>;
  const plan = JSON.parse(text);
  const meets = (c) => c.result === 'meets the limits';
  const failing = [...plan.choices.filter((c) => !meets(c)), ...plan.choices.map((c) => c.fewer).filter(Boolean)];
  return (
    <>
      <Headline plan={plan} q={q} />
      {plan.best && <Meeting list={plan.choices.filter(meets)} q={q} />}
      <Picture line={line} name="Plans" asks={asks} />
      {plan.simulated && <UnderLoad run={plan.simulated} q={q} />}
      {plan.apart && <Apart apart={plan.apart} q={q} />}
      {failing.length > 0 && <Failing list={failing} />}
    </>
  );
}

/** What a service says in one line: where it is too much, and the highest rate shown at which nine of ten keep the limits. */
function Saturation({ service, runs, q }) {
  const good = runs.filter((r) => !r.overloaded && r.within_limits >= 0.9).at(-1);
  const { saturation_per_second: most } = service;
  return (
    <p class="headline" aria-live="polite">
      <strong>{service.model}</strong> on {service.devices} × {service.machine}{most != null && <> takes up to <strong>{q(most)} requests/s</strong></>}
      {good && <>; at {good.rate == null ? 'this load' : `${ratio(good.rate)}/s`} {ratio(100 * good.within_limits)} % keep the limits</>}.
    </p>
  );
}

export function Serve({ line, answer: { code, text }, asks, q }) {
  if (code > 0) return <p class="why" role="alert">{text}</p>;
  const service = JSON.parse(text), { runs } = service;
  const times = (t) => [t.p50_seconds, t.p90_seconds, t.p99_seconds].map((seconds) => q(seconds, 's'));
  return (
    <>
      <Saturation service={service} runs={runs} q={q} />
      {runs.length > 1 && <Picture line={line} name="Rates" asks={asks} />}
      <Table caption="Under load, times of 50, 90 and 99 % of the requests"
        head={['requests/s', 'first token, 50 %', '90 %', '99 %', 'per token, 50 %', '90 % of it', '99 % of it', 'tokens/s', 'keep the limits', 'cache in use', 'queue']}
        rows={runs.map((r) => [r.rate == null ? 'as they leave' : ratio(r.rate), ...times(r.ttft), ...times(r.tpot), q(r.tokens_per_second), r.within_limits == null ? '' : `${ratio(100 * r.within_limits)} %`,
          `${ratio(100 * r.kv_mean)} %`, r.overloaded ? `grows by ${q(r.queue_growth_per_second)}/s: too much` : `at most ${r.queue_max}`])} />
    </>
  );
}
