// What the views ask the library, as objects.
import { words } from './line.js';

/** Asks of one library; answers to the same words are kept until a file changes. */
export function asking(library) {
  let kept = new Map();

  function ask(list) {
    const key = list.join('\0');
    let answer = kept.get(key);
    if (!answer) {
      answer = library.ask(list);
      if (kept.size > 200) kept = new Map();
      kept.set(key, answer);
    }
    return answer;
  }

  return {
    ask,
    quantity: (value, unit) => library.quantity(value, unit),
    keep(name, content, whole) {
      library.keep(name, content, whole);
      kept = new Map();
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
    /** { svg } of a line that is drawn, so many pixels wide or as a file is, or { why } it is not. */
    drawn(line, width) {
      const { code, text } = ask(words(line, '--to', 'roofline.svg', ...(width ? ['--width', String(Math.max(340, Math.min(1100, width)))] : [])));
      return code > 0 ? { why: text } : { svg: text };
    },
  };
}

export const decoding = (answer) => answer.phases.verify ?? answer.phases.decode ?? answer.phases.prefill ?? answer.phases.encode ?? answer.phases.train;

/** What the longest of a phase's times is of. */
export function regime(phase) {
  const names = ['compute', 'memory', 'network', 'overhead'];
  return names.reduce((longest, name) => (phase.seconds[name] > phase.seconds[longest] ? name : longest));
}
