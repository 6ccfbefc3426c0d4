// For Node.js: the library's files lie next to this one.
import { readFile } from 'node:fs/promises';
import { started } from './core.js';

export { Roofline, RooflineError } from './core.js';

const next = (name) => readFile(new URL(name, import.meta.url));

export async function open({ wasm, catalogue } = {}) {
  return started(wasm ?? await next('roofline.wasm'), catalogue ?? await next('catalogue.deflate'));
}
