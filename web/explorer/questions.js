// The questions of the drill: what is asked, what is to be guessed, and how the library grades it.
import { mainPhase, regime } from './ask.js';
import { ratio } from './format.js';
import { typed, words } from './line.js';

/** Numbers that are the same for the same seed. */
function dice(seed) {
  let state = seed >>> 0;
  return (list) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return list[Math.floor(state / 2 ** 32 * list.length)];
  };
}

const regimes = (names) => names.map((name) => [name, name]);

/** The question of `roofline drill --seed N`. */
function operation(asks, seed) {
  const q = asks.quantity;
  const drill = (...guess) => asks.ask(['drill', '--seed', String(seed), ...guess]);
  const question = JSON.parse(drill().text);
  return {
    title: `${question.question}, fp16, on ${question.title}`,
    about: `${q(question.flops_per_second, 'FLOP/s')} of ${question.unit} units, ${q(question.bytes_per_second, 'B/s')} of ${question.level}; a launch takes at least ${q(question.launch_seconds, 's')}; shorter than ${q(question.overhead_seconds, 's')} is overhead.`,
    fields: [['Intensity', 'intensity', 'FLOP per byte, within a tenth'], ['Bound by', 'regime', regimes(['memory', 'compute', 'overhead'])], ['At best', 'percent', '% of the peak']],
    grade(guess) {
      const { code, text } = drill(`${guess.intensity} ${guess.regime} ${guess.percent}`);
      if (code > 0) return { why: text };
      const { points, of, rounds: [round] } = JSON.parse(text);
      return {
        points, of, command: `roofline drill --seed ${seed} --rounds 1`,
        lines: [
          [round.right.intensity, `${ratio(round.intensity)} FLOP/byte, the ridge is at ${ratio(round.ridge)}`],
          [round.right.regime, `${round.regime}-bound`],
          [round.right.percent_of_peak, `at best ${round.percent_of_peak.toPrecision(3)} % of the peak`],
        ],
      };
    },
  };
}

/** A model on a machine, of both of which enough is known. */
function drawn(asks, lists, seed) {
  const pick = dice(seed);
  const machines = lists.machines.filter((m) => m.memory_bytes > 0 && m.bytes_per_second > 0 && m.half_flops_per_second > 0);
  for (;;) {
    const machine = pick(machines);
    const line = { command: 'model', name: pick(lists.models).name, values: { batch: pick(['1', '8', '64', '256']), prompt: pick(['512', '2048', '8192']) }, options: { machine: [machine.name] } };
    const answer = asks.first(line);
    if (answer?.tpot_seconds != null && answer.memory.fits != null) return { machine, line, answer };
  }
}

function model(asks, seed, lists) {
  const q = asks.quantity;
  const { machine, line, answer } = drawn(asks, lists, seed);
  const active = answer.active_parameters < answer.parameters ? `, ${q(answer.active_parameters)} of them active` : '';
  return {
    title: `${line.name}, ${line.values.batch} ${line.values.batch === '1' ? 'sequence' : 'sequences'} of ${line.values.prompt} tokens, on ${machine.title}`,
    about: `${q(answer.parameters)} parameters${active}, ${q(answer.kv_elements_per_token)} elements of the KV cache per token, as the model stores them. `
      + `The machine: ${q(machine.half_flops_per_second, 'FLOP/s')} in 16 bits, ${q(machine.bytes_per_second, 'B/s')} and ${q(machine.memory_bytes, 'B')} of memory.`,
    fields: [['It fits', 'fits', [['yes', 'yes'], ['no', 'no']]], ['Decoding is bound by', 'regime', regimes(['memory', 'compute', 'network', 'overhead'])], ['Time per token', 'milliseconds', 'ms, within the interval predicted']],
    grade(guess) {
      const seconds = Number(guess.milliseconds) / 1000;
      if (!(seconds > 0)) return { why: `\`${guess.milliseconds}\`: a time per token is a number of ms above 0` };
      const bound = regime(mainPhase(answer)), fits = answer.memory.fits ? 'yes' : 'no';
      const lines = [
        [guess.fits === fits, `it ${fits === 'yes' ? 'fits' : 'does not fit'}: ${q(answer.memory.total_bytes, 'B')} of ${q(answer.memory.capacity_bytes, 'B')}`],
        [guess.regime === bound, `decoding is ${bound}-bound`],
        [seconds >= answer.tpot_low_seconds && seconds <= answer.tpot_high_seconds, `${q(answer.tpot_seconds, 's')} per token, ${q(answer.tpot_low_seconds, 's')} to ${q(answer.tpot_high_seconds, 's')}`],
      ];
      return { points: lines.filter(([right]) => right).length, of: lines.length, command: typed(words(line)), lines };
    },
  };
}

export const questions = { operation, model };
