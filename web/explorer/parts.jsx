// Small parts that several views use.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from './answer.js';
import { picture, toDraw } from './ask.js';

export function Field({ label, help, children }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {help && <small>{help}</small>}
    </div>
  );
}

export function Choice({ label, value, choices, onChange }) {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {choices.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
        </select>
      )}
    </Field>
  );
}

/** A number as text, and as a slider over powers of two; what is 0 as a rule has no slider. */
export function Size({ label, help, value, placeholder, least = 1, most, parse, slides = true, onChange }) {
  const size = parse(value || placeholder);
  const power = size > 0 ? Math.log2(size) : 0;
  return (
    <Field label={label} help={help}>
      {(id) => (
        <span class="size">
          <input type="text" id={id} value={value} placeholder={placeholder} inputmode="text" autocomplete="off" spellcheck={false}
            onInput={(event) => onChange(event.currentTarget.value.trim())} />
          {slides && <input type="range" aria-label={`${label}, as a slider`} min={Math.log2(least)} max={Math.max(Math.log2(most), Math.ceil(power))} step="any" value={power}
            aria-valuetext={value || placeholder}
            onInput={(event) => onChange(String(Math.max(least, rounded(2 ** Number(event.currentTarget.value)))))} />}
        </span>
      )}
    </Field>
  );
}

/** Near a power of two that, else to two digits, as people choose sizes. */
function rounded(size) {
  const power = 2 ** Math.round(Math.log2(size));
  if (Math.abs(size / power - 1) < 0.08) return power;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(size)) - 1);
  return Math.round(size / unit) * unit;
}

export function Table({ caption, head, rows }) {
  return (
    <div class="scroll" tabindex="0" role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead><tr>{head.map((text) => <th key={text} scope="col">{text}</th>)}</tr></thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>{row.map((cell, j) => (j === 0 ? <th key={j} scope="row">{cell}</th> : <td key={j}>{cell}</td>))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A line as the library draws it, as wide as there is room. */
export function Picture({ line, name, asks }) {
  const [width, setWidth] = useState(0);
  const box = useRef(null);
  useLayoutEffect(() => {
    const measure = () => setWidth(Math.floor(box.current.clientWidth));
    const watch = new ResizeObserver(measure);
    measure();
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const { answer, computing } = useAnswer(asks, line, width > 0 ? toDraw(width) : null);
  const { svg, why } = answer ? picture(answer) : {};
  return (
    <div ref={box} class={computing ? 'old' : undefined} aria-busy={computing}>
      {svg && <div class="picture" role="region" tabindex="0" aria-label={name} dangerouslySetInnerHTML={{ __html: svg }} />}
      {why && <p class="quiet">{name}: {why}.</p>}
    </div>
  );
}

export function Copy({ text, children }) {
  const [copied, setCopied] = useState(false);
  const field = useRef(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page from a file may not
      field.current.select();
      document.execCommand('copy');
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <span class="copy">
      <input ref={field} readonly value={text} aria-label={children} />
      <button type="button" onClick={copy}>{copied ? 'Copied' : 'Copy'}</button>
    </span>
  );
}

export function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = Object.assign(document.createElement('a'), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Paints a picture of the library as PNG, two pixels a unit, on white. */
export async function painted(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: 2 * image.width, height: 2 * image.height });
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, 'image/png'));
}
