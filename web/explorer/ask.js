// What the views ask the library, as objects.
import { isLoad, words } from './line.js';

/** Asks of one library, and in a worker what takes a moment; answers to the same words are kept until a file changes. */
export function asking(library, worker) {
  let kept = new Map(), files = 0;
  const keyed = (list) => `${files}\0${list.join('\0')}`;

  function took(key, answer) {
    if (kept.size > 200) kept = new Map();
    kept.set(key, answer);
    return answer;
  }

  function ask(list) {
    const key = keyed(list);
    return kept.get(key) ?? took(key, library.ask(list));
  }

  return {
    ask,
    /** Words, and of which files they speak. */
    key: keyed,
    /** The answer that needs no waiting; undefined: none. */
    known: (list) => (isLoad({ command: list[0] }) ? kept.get(keyed(list)) : ask(list)),
    async later(list, signal) {
      const key = keyed(list);
      return took(key, await worker.ask(list, signal));
    },
    quantity: (value, unit) => library.quantity(value, unit),
    keep(name, content, whole) {
      library.keep(name, content, whole);
      worker.keep(name, content, whole);
      kept = new Map();
      files++;
    },
    /** { answers } of a line, one per machine, or { why } there is none. */
    answers(line) {
      const { code, text } = ask(words(line, '--json'));
      if (code > 0) return { why: text };
      const document = JSON.parse(text);
      return { answers: document.predictions ?? document.models ?? [document] };
    },
    /** The answer of the first machine, or null. */
    first(line) {
      const machine = line.options.machine?.slice(0, 1);
      const one = machine ? { ...line, options: { ...line.options, machine } } : line;
      const { code, text } = ask(words(one, '--json'));
      if (code > 0) return null;
      const document = JSON.parse(text);
      return document.predictions?.[0] ?? document;
    },
  };
}

/** The words that draw a line, as a file is or so many pixels wide. */
export const toDraw = (width) => ['--to', 'roofline.svg', ...(width ? ['--width', String(Math.max(340, Math.min(1100, width)))] : [])];

/** { svg } of what was drawn, or { why } it was not. */
export const picture = ({ code, text }) => (code > 0 ? { why: text } : { svg: text });

const shown = ['verify', 'decode', 'prefill', 'encode', 'denoise', 'train'];

/** The phase of a model that its answer is about, by name: a step of decoding where it generates. */
export const phaseOf = (answer) => shown.find((name) => answer.phases[name]);

export const mainPhase = (answer) => answer.phases[phaseOf(answer)];

/** What the longest of a phase's times is of. */
export function regime(phase) {
  const names = ['compute', 'memory', 'network', 'overhead'];
  return names.reduce((longest, name) => (phase.seconds[name] > phase.seconds[longest] ? name : longest));
}
