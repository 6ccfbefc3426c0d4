// The library in the browser: words of a command line go in, what the command prints comes out.

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** What was packed by zlib. */
export async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Starts the library from its module and the packed catalogue. */
export async function started(wasm, catalogue) {
  const absent = new Proxy({}, { get: () => () => 52 }); // ENOSYS: no files, no clock, no environment
  const { instance } = await WebAssembly.instantiate(wasm, { wasi_snapshot_preview1: absent });
  const library = instance.exports;
  const bytes = (start, length) => new Uint8Array(library.memory.buffer, start, length);
  bytes(library.web_catalogue(), library.web_catalogue_length()).set(await unpacked(catalogue));

  function written(...parts) {
    const start = library.web_room(parts.reduce((sum, part) => sum + part.length, 0));
    let at = start;
    for (const part of parts) {
      bytes(at, part.length).set(part);
      at += part.length;
    }
  }

  return {
    /** The exit code that the command would end with, and what it prints: for a code over 0 why. */
    ask(words) {
      const asked = utf8.encode(JSON.stringify(words));
      written(asked);
      const code = library.web_ask(asked.length);
      return { code, text: text.decode(bytes(library.web_answer(), library.web_answer_length())) };
    },

    /** Keeps a file, so that words may name it. */
    keep(name, content) {
      const named = utf8.encode(name);
      written(named, content);
      if (!library.web_keep(named.length, content.length)) throw new Error(`${name}: out of memory`);
    },

    /** A figure with a prefix, as the command writes it; what is null is unknown. */
    quantity(value, unit = '') {
      written(utf8.encode(unit));
      const start = library.web_quantity(value ?? NaN);
      const shown = bytes(start, 64);
      return text.decode(shown.subarray(0, shown.indexOf(0)));
    },
  };
}
