// The drill: a question, a guess that is sealed before the answer is shown, and its grade.
import { useMemo, useState } from 'preact/hooks';
import { Choice, Field } from './parts.jsx';
import { questions } from './questions.js';

async function digest(text) {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

const any = () => Math.floor(Math.random() * 1e6);
/** What is guessed before anything is typed: the first of each choice. */
const blank = ({ fields }) => Object.fromEntries(fields.map(([, key, of]) => [key, Array.isArray(of) ? of[0][0] : '']));

function Guess({ field: [label, key, of], guess, locked, onGuess }) {
  const set = (text) => onGuess({ ...guess, [key]: text });
  if (Array.isArray(of)) return <Choice label={label} value={guess[key]} choices={of} onChange={(text) => !locked && set(text)} />;
  return (
    <Field label={label} help={of}>
      {(id) => <input id={id} inputmode="decimal" required value={guess[key]} disabled={locked} autocomplete="off" onInput={(event) => set(event.currentTarget.value.trim())} />}
    </Field>
  );
}

function Grade({ grade, score, onNext }) {
  return (
    <>
      <ul>{grade.lines.map(([right, text]) => <li key={text}><strong class={right ? 'right' : 'wrong'}>{right ? 'right' : 'wrong'}</strong>: {text}</li>)}</ul>
      <p>Score: {score.points} of {score.of}. <code>{grade.command}</code> says the same.</p>
      <button type="button" class="main" onClick={onNext}>Next question</button>
    </>
  );
}

/** One question; `onScore` takes its points when the answer is shown. */
function Question({ question, score, onScore, onNext }) {
  const [guess, setGuess] = useState(() => blank(question));
  const [sealed, setSealed] = useState(null);
  const [shown, setShown] = useState(false);
  const [why, setWhy] = useState('');
  const words = question.fields.map(([, key]) => guess[key]).join(' ');
  const seal = async (event) => {
    event.preventDefault();
    const grade = question.grade(guess);
    setWhy(grade.why ?? '');
    if (!grade.why) setSealed({ grade, hash: globalThis.crypto?.subtle ? await digest(`${question.title}|${words}`) : null });
  };
  const show = () => {
    setShown(true);
    onScore(sealed.grade);
  };
  return (
    <section aria-labelledby="question">
      <h2 id="question">{question.title}</h2>
      <p>{question.about}</p>
      <form onSubmit={seal}>
        <div class="row">{question.fields.map((field) => <Guess key={field[1]} field={field} guess={guess} locked={sealed !== null} onGuess={setGuess} />)}</div>
        {why && <p class="why" role="alert">{why}</p>}
        {sealed === null && <button type="submit" class="main">Seal my guess</button>}
      </form>
      <div aria-live="polite">
        {sealed !== null && <p>Sealed: {words}. {sealed.hash && <>SHA-256 <code class="hash">{sealed.hash}</code></>}</p>}
        {sealed !== null && !shown && <button type="button" class="main" onClick={show}>Show the answer</button>}
        {shown && <Grade grade={sealed.grade} score={score} onNext={onNext} />}
      </div>
    </section>
  );
}

/** `of`: what is asked about, an operation or a model. */
export function Drill({ asks, lists, of, onOf }) {
  const [seed, setSeed] = useState(any);
  const [score, setScore] = useState({ points: 0, of: 0 });
  const question = useMemo(() => questions[of](asks, seed, lists), [asks, lists, of, seed]);
  return (
    <>
      <Choice label="Guess about" value={of} choices={[['operation', 'an operation'], ['model', 'a whole model']]} onChange={onOf} />
      <Question key={`${of} ${seed}`} question={question} score={score} onNext={() => setSeed(any())}
        onScore={({ points, of: most }) => setScore({ points: score.points + points, of: score.of + most })} />
    </>
  );
}
