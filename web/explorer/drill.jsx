// The drill: a question, a guess that is sealed before the answer is shown, and its grade. The questions are those of `roofline drill --seed`.
import { useMemo, useState } from 'preact/hooks';
import { Choice, Field, ratio } from './parts.jsx';

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

const empty = { intensity: '', regime: 'memory', percent: '' };

export function Drill({ asks, q }) {
  const [seed, setSeed] = useState(() => Math.floor(Math.random() * 1e6));
  const [guess, setGuess] = useState(empty);
  const [sealed, setSealed] = useState(null);
  const [grade, setGrade] = useState(null);
  const [why, setWhy] = useState('');
  const [score, setScore] = useState({ points: 0, of: 0 });
  const question = useMemo(() => JSON.parse(asks.ask(['drill', '--seed', String(seed)]).text), [asks, seed]);
  const words = `${guess.intensity} ${guess.regime} ${guess.percent}`;

  const seal = async (event) => {
    event.preventDefault();
    const { code, text } = asks.ask(['drill', '--seed', String(seed), words]);
    setWhy(code > 0 ? text : '');
    if (code > 0) return;
    setSealed({ hash: globalThis.crypto?.subtle ? await digest(`${question.question}|${question.machine}|${words}`) : null, document: JSON.parse(text) });
  };
  const show = () => {
    setGrade(sealed.document.rounds[0]);
    setScore({ points: score.points + sealed.document.points, of: score.of + sealed.document.of });
  };
  const next = () => {
    setSeed(Math.floor(Math.random() * 1e6));
    setGuess(empty);
    setSealed(null);
    setGrade(null);
  };
  const input = (label, key, unit) => (
    <Field label={label} help={unit}>
      {(id) => <input id={id} inputmode="decimal" required value={guess[key]} disabled={sealed !== null} autocomplete="off" onInput={(event) => setGuess({ ...guess, [key]: event.currentTarget.value.trim() })} />}
    </Field>
  );
  const verdict = (right) => <strong class={right ? 'right' : 'wrong'}>{right ? 'right' : 'wrong'}</strong>;
  return (
    <section aria-labelledby="question">
      <h2 id="question">{question.question}, fp16, on {question.title}</h2>
      <p>{q(question.flops_per_second, 'FLOP/s')} of {question.unit} units, {q(question.bytes_per_second, 'B/s')} of {question.level}; shorter than {q(question.overhead_seconds, 's')} is overhead.</p>
      <form onSubmit={seal}>
        <div class="row">
          {input('Intensity', 'intensity', 'FLOP per byte, within a tenth')}
          <Choice label="Bound by" value={guess.regime} choices={[['memory', 'memory'], ['compute', 'compute'], ['overhead', 'overhead']]} onChange={(regime) => sealed === null && setGuess({ ...guess, regime })} />
          {input('At best', 'percent', '% of the peak')}
        </div>
        {why && <p class="why" role="alert">{why}</p>}
        {sealed === null && <button type="submit" class="main">Seal my guess</button>}
      </form>
      <div aria-live="polite">
        {sealed !== null && <p>Sealed: {words}. {sealed.hash && <>SHA-256 <code class="hash">{sealed.hash}</code></>}</p>}
        {sealed !== null && grade === null && <button type="button" class="main" onClick={show}>Show the answer</button>}
        {grade !== null && (
          <>
            <ul>
              <li>{verdict(grade.right.intensity)}: {ratio(grade.intensity)} FLOP/byte, the ridge is at {ratio(grade.ridge)}</li>
              <li>{verdict(grade.right.regime)}: {grade.regime}-bound</li>
              <li>{verdict(grade.right.percent_of_peak)}: at best {grade.percent_of_peak.toPrecision(3)} % of the peak</li>
            </ul>
            <p>Score: {score.points} of {score.of}. <code>roofline drill --seed {seed} --rounds 1</code> asks the same.</p>
            <button type="button" class="main" onClick={next}>Next question</button>
          </>
        )}
      </div>
    </section>
  );
}
