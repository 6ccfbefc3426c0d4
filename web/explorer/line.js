// A command line of `roofline`, which is all the state that a page has: what is asked, the link to it, and what to type for the same answer.

import { flags, words as wordsOf } from '../package/words.js';

/** { command, name, values: {key: text}, options: {name: [texts]} } of words; null where they are none. */
export function parsed(words) {
  const [command, ...rest] = words;
  if (!/^[a-z]+$/.test(command ?? '')) return null;
  const line = { command, name: '', values: {}, options: {} };
  for (let i = 0; i < rest.length; i++) {
    const word = rest[i];
    const equals = word.indexOf('=');
    if (word.startsWith('--')) {
      const name = (equals > 0 ? word.slice(0, equals) : word).slice(2);
      const value = equals > 0 ? [word.slice(equals + 1)] : flags.has(name) ? [] : [rest[++i] ?? ''];
      line.options[name] = [...(line.options[name] ?? []), ...value];
    } else if (equals > 0) {
      line.values[word.slice(0, equals)] = word.slice(equals + 1);
    } else {
      line.name = word;
    }
  }
  return line;
}

/** The words of a line, with more options at its end. */
export const words = (line, ...more) => [...wordsOf(line.command, line.name, line.values, line.options), ...more];

/** What a shell takes for the same. */
export function typed(list) {
  return ['roofline', ...list].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** The part of a link after `#`: lines apart by `&`, words by `+`. */
export function link(...lines) {
  return '#' + lines.filter(Boolean).map((line) => words(line).map(encodeURIComponent).join('+')).join('&');
}

/** What a link may ask. */
export const commands = ['predict', 'model', 'plan', 'serve', 'drill'];

/** Settings that the command also takes as options, as settings. */
function settled(line) {
  const names = line.command === 'plan' ? ['users', 'context', 'generate', 'cp', 'node', 'tokens', 'batch'] : [];
  const options = { ...line.options }, values = { ...line.values };
  for (const name of names.filter((one) => one in options)) {
    values[name] = options[name][0];
    delete options[name];
  }
  return { ...line, values, options };
}

/** The lines of a link, words apart by `+` or spaces. */
export function linked(hash) {
  try {
    const lines = hash.replace(/^#/, '').split('&').filter(Boolean).map((part) => parsed(part.split(/\+|%20/).map(decodeURIComponent)));
    return lines.filter((line) => line && commands.includes(line.command)).map(settled);
  } catch {
    return []; // a link that was cut
  }
}

export const withValue = (line, key, text) => ({ ...line, values: { ...line.values, [key]: text } });

/** The line with an option set to these texts; none: without it. */
export function withOption(line, name, ...texts) {
  const options = { ...line.options, [name]: texts.filter((text) => text !== '') };
  if (options[name].length === 0) delete options[name];
  return { ...line, options };
}

/** The line asked of another command, which has only these options. */
export function asked(line, command, names) {
  const options = Object.fromEntries(Object.entries(line.options).filter(([name]) => names.includes(name)));
  return { ...line, command, options };
}

/** A number as the command takes it: 4096, 1e4, 4k, 4Ki; NaN for anything else. */
export function number(text) {
  const match = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) *(?:([kKMGTPE])|([KMGTPE])i)?$/.exec(String(text ?? '').trim());
  const power = (prefix = '') => ' KMGTPE'.indexOf(prefix.toUpperCase() || ' ');
  return match ? Number(match[1]) * 1000 ** power(match[2]) * 1024 ** power(match[3]) : NaN;
}

/** What is asked about: an operation, a model, a graph, which is a list of operations, a plan or a service. */
export function kind({ command, name }) {
  if (isLoad({ command })) return command;
  return command !== 'model' ? 'operation' : name.endsWith('.onnx') ? 'graph' : 'model';
}

/** Whether it is of a load: a search or a simulation, which takes a moment. */
export const isLoad = ({ command }) => command === 'plan' || command === 'serve';

const machine = ['machine', 'peak', 'bandwidth'];
const formats = ['dtype', 'weights', 'group', 'accumulate', 'output', 'kv'];

/** The roofline with the operation on it, or with those of a model or a graph on the first machine. */
export function plotted(line) {
  const one = withOption(line, 'machine', ...(line.options.machine ?? []).slice(0, 1));
  if (isLoad(line)) return line;
  return kind(line) === 'model' ? one : asked(kind(line) === 'graph' ? one : line, 'plot', [...machine, ...formats]);
}

/** The same over a range of one value, up to a power of two well beyond it. */
export function swept(line, key) {
  const most = 2 ** Math.ceil(Math.log2(Math.max(64, 16 * (number(line.values[key]) || 1))));
  return withValue({ ...line, command: line.command === 'model' ? 'model' : 'sweep' }, key, `1..${most}*2`);
}

/** What would help, on the first machine. A model's weights have another option there. */
export function advised(line) {
  const { precision, ...options } = line.options;
  const first = options.machine?.slice(0, 1);
  const one = { ...options, ...(first ? { machine: first } : {}), ...(precision ? { weights: precision } : {}) };
  return { ...line, command: 'advise', options: one };
}
