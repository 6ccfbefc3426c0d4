// What the buttons change: quantise, batch, fuse and devices, each as a line that can be asked like any other.
import { mainPhase } from './ask.js';
import { number, withOption, withValue } from './line.js';

/** The parameter of an operation whose growth shares what is read: rows of a product, sequences. */
const batched = { gemm: 'm', linear: 'batch', gemv: null, attention: 'batch', conv2d: 'batch' };

const narrower = { fp64: 'fp32', fp32: 'fp16', tf32: 'fp16', fp16: 'fp8', bf16: 'fp8', fp8: 'fp4' };

function quantised(line, now) {
  if (line.command === 'model') {
    const next = { fp8: 'w4a16', 'fp8-block': 'w4a16' };
    const old = line.options.precision?.[0];
    const precision = old ? next[old] : 'fp8';
    return precision && { label: `weights in ${precision}`, line: withOption(line, 'precision', precision) };
  }
  const weights = line.options.weights?.[0];
  const width = { undefined: 'int8', fp8: 'int4', int8: 'int4' }[weights];
  return width && {
    label: `weights in ${width}`,
    line: withOption(withOption(line, 'weights', width), 'group', width === 'int4' ? '128' : ''),
    otherwise: () => narrowed(line, now),
  };
}

function narrowed(line, now) {
  const dtype = narrower[now?.dtype];
  return dtype && { label: `computed in ${dtype}`, line: withOption(line, 'dtype', dtype) };
}

function doubled(line) {
  const key = line.command === 'model' ? 'batch' : batched[line.name];
  const size = key ? 2 * number(line.values[key] ?? '1') : NaN;
  return size > 0 ? { label: `${key} ${size}`, line: withValue(line, key, String(size)) } : undefined;
}

function fused(line) {
  if (line.command === 'model') {
    const plan = line.options.fuse?.[0];
    return plan === 'all' ? undefined : { label: 'every fusion', line: withOption(line, 'fuse', 'all') };
  }
  return line.name === 'attention' && line.values.algorithm === 'standard'
    ? { label: 'scores stay on chip', line: withValue(line, 'algorithm', 'flash') }
    : undefined;
}

function cached(line) {
  return line.command === 'model' && !line.options.kv
    ? { label: 'keys and values in fp8', line: withOption(line, 'kv', 'fp8') }
    : undefined;
}

function shared(line) {
  if (line.command !== 'model') return undefined;
  const tp = 2 * number(line.values.tp ?? '1');
  return tp <= 8 ? { label: `tp ${tp}`, line: withValue(line, 'tp', String(tp)) } : undefined;
}

const buttons = [
  { name: 'Quantise', make: quantised },
  { name: 'Narrow', make: (line, now) => (line.command === 'model' ? undefined : narrowed(line, now)) },
  { name: 'Batch', make: doubled },
  { name: 'Fuse', make: fused },
  { name: 'KV cache', make: cached },
  { name: 'Devices', make: shared },
];

/** Tokens per second and device, as the levers count them. */
function modelRate(answer) {
  if (answer.memory.fits === false) return null;
  const phase = mainPhase(answer);
  return answer.tpot_seconds == null ? phase.tokens / phase.seconds.expected / answer.devices : (answer.continuous ?? answer).device_tokens_per_second;
}

/** Work done per second and device: what a change should raise. Null: not known, or it does not fit. */
export function rate(line, answer) {
  if (!answer) return null;
  return line.command === 'model' ? modelRate(answer) : (answer.parameters[batched[line.name]] ?? 1) / answer.seconds.expected;
}

/** Each button with its change and the gain that it brings; `ask` gives the first machine's answer to a line, or null. */
export function changes(line, answer, ask) {
  const before = rate(line, answer);
  const gain = (change) => {
    const after = change ? rate(change.line, ask(change.line)) : null;
    return before > 0 && after > 0 ? after / before : null;
  };
  return buttons.map(({ name, make }) => {
    let change = make(line, answer);
    let brings = gain(change);
    if (brings === null && change?.otherwise) {
      change = change.otherwise();
      brings = gain(change);
    }
    return { name, label: change?.label, line: change?.line, gain: brings };
  });
}
