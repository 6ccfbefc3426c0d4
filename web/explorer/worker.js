// A library of its own in a worker: answers what takes a moment while the page goes on. The first message has what it starts from.
import { started } from '../package/core.js';

let library;

onmessage = async ({ data: { wasm, catalogue, file, list } }) => {
  try {
    library ??= started(wasm, catalogue);
    const there = await library;
    if (file) there.keep(...file);
    if (list) postMessage(there.ask(list));
  } catch (error) {
    reportError(error); // to the page, which a promise would not
  }
};
