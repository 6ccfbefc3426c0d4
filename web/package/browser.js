// For browsers: the library's files are fetched from where this one came from.
import { started } from './core.js';

export { Roofline, RooflineError } from './core.js';

async function fetched(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function open({ wasm, catalogue } = {}) {
  return started(wasm ?? await fetched(new URL('roofline.wasm', import.meta.url)),
    catalogue ?? await fetched(new URL('catalogue.deflate', import.meta.url)));
}
