// The library as WebAssembly: words of a command line go in, what the command prints comes out. Nothing here needs a browser or Node.js.
import { words } from './words.js';

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** What the command refuses, in its words; `code` is its exit code. */
export class RooflineError extends Error {
  constructor(message, code) {
    super(message);
    this.name = 'RooflineError';
    this.code = code;
  }
}

/** What a name of a file ends in: others are names of the catalogue. */
const fileName = /\.(json|gguf|onnx|safetensors|csv)$/;

/** What was packed by zlib. */
export async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The library's memory: texts in, texts out. */
function memoryOf(library) {
  const bytes = (start, length) => new Uint8Array(library.memory.buffer, start, length);
  return {
    bytes,
    read: (start, length) => text.decode(bytes(start, length)),
    written(...parts) {
      const start = library.web_room(parts.reduce((sum, part) => sum + part.length, 0));
      if (start === 0) throw new RooflineError('out of memory', 4);
      let at = start;
      for (const part of parts) {
        bytes(at, part.length).set(part);
        at += part.length;
      }
    },
  };
}

export class Roofline {
  #library;
  #memory;

  constructor(library) {
    this.#library = library;
    this.#memory = memoryOf(library);
  }

  /** The exit code that the command would end with, and what it prints: for a code over 0 why. */
  ask(list) {
    const asked = utf8.encode(JSON.stringify(list));
    this.#memory.written(asked);
    const code = this.#library.web_ask(asked.length);
    return { code, text: this.#memory.read(this.#library.web_answer(), this.#library.web_answer_length()) };
  }

  /** What the command prints; throws where it refuses. */
  printed(list) {
    const { code, text: answer } = this.ask(list);
    if (code > 0) throw new RooflineError(answer, code);
    return answer;
  }

  #document(command, name, values, options) {
    return JSON.parse(this.printed(words(command, name, values, { ...options, json: true })));
  }

  predict(operation, values, options) {
    return this.#document('predict', operation, values, options);
  }

  sweep(operation, values, options) {
    return this.#document('sweep', operation, values, options);
  }

  model(name, values, options) {
    return this.#document('model', name, values, options);
  }

  advise(name, values, options) {
    return this.#document('advise', name, values, options);
  }

  /** SVG: a roofline with an operation or a model on it; without a name of the machines alone. */
  plot(name, values, options) {
    return this.printed(words('plot', name, values, { ...options, to: 'roofline.svg' }));
  }

  /** SVG: the curves of a sweep, of an operation or of a model. */
  curve(name, values, options) {
    const command = this.operations().some((one) => one.name === name) ? 'sweep' : 'model';
    return this.printed(words(command, name, values, { ...options, to: 'roofline.svg' }));
  }

  machines() {
    return this.#document('machine', 'list').machines;
  }

  operations() {
    return this.#document('op', 'list').operations;
  }

  models() {
    return this.#document('model', 'list').models;
  }

  /** Keeps a file (NAME.json of a machine or a model's config, .gguf, .onnx, .csv of prices), so that names may be it; of GGUF its beginning is enough, with the length of all. */
  keep(name, content, whole) {
    if (!fileName.test(name)) throw new RooflineError(`\`${name}\`: a file's name ends in .json, .gguf, .onnx or .csv; \`${name}.json\` for a machine`, 2);
    const named = utf8.encode(name), bytes = typeof content === 'string' ? utf8.encode(content) : content;
    this.#memory.written(named, bytes);
    if (!this.#library.web_keep(named.length, bytes.length, whole ?? bytes.length)) throw new RooflineError(`${name}: out of memory`, 4);
  }

  /** A figure with a prefix, as the command writes it; what is null is unknown. */
  quantity(value, unit = '') {
    this.#memory.written(utf8.encode(unit));
    const shown = this.#memory.bytes(this.#library.web_quantity(value ?? NaN), 64);
    return text.decode(shown.subarray(0, shown.indexOf(0)));
  }
}

/** Starts the library from its module, compiled or as bytes, and the packed catalogue. */
export async function started(wasm, catalogue) {
  const absent = new Proxy({}, { get: () => () => 52 }); // ENOSYS: no files, no clock, no environment
  const made = await WebAssembly.instantiate(wasm, { wasi_snapshot_preview1: absent });
  const library = (made.instance ?? made).exports; // of bytes the module as well, of a module the instance alone
  new Uint8Array(library.memory.buffer, library.web_catalogue(), library.web_catalogue_length()).set(await unpacked(catalogue));
  return new Roofline(library);
}
