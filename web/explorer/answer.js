import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from './line.js';

/**
 * What is answered to a line with `more` words (null: not yet asked): { line, answer }, which belong together. While an answer is computed that
 * takes a moment, `computing` is true, and they are those before, if of the same command.
 */
export function useAnswer(asks, line, more) {
  const list = more && words(line, ...more), key = list && asks.key(list);
  const [given, setGiven] = useState({});
  const before = useRef(null);
  const answer = list ? asks.known(list) ?? (given.key === key ? given.answer : undefined) : undefined;
  const asked = list !== null && answer === undefined;
  useEffect(() => {
    if (!asked) return undefined;
    const unwanted = new AbortController();
    asks.later(list, unwanted.signal).then((text) => setGiven({ key, answer: text }));
    return () => unwanted.abort();
  }, [asked, key, asks]);
  if (answer) before.current = { line, answer };
  const shown = before.current?.line.command === line.command ? before.current : { line };
  return { ...shown, computing: asked };
}
