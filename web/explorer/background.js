/** Asks a worker of this script, one question after another. A question that is no longer wanted is left out, and ended where it is being answered. */
export function background(script, wasm, catalogue) {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const files = new Map(), jobs = []; // the first is being answered
  let worker = null;

  function end() {
    worker?.terminate();
    worker = null;
  }

  function next() {
    if (jobs.length === 0) return;
    if (!worker) start();
    worker.postMessage({ list: jobs[0].list });
  }

  function answered(answer) {
    jobs.shift()?.tell(answer);
    next();
  }

  function start() {
    worker = new Worker(url);
    worker.onmessage = ({ data }) => answered(data);
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      answered({ code: 4, text: `the library stopped: ${event.message ?? 'no worker could be started'}` });
    };
    worker.postMessage({ wasm, catalogue });
    for (const file of files.values()) worker.postMessage({ file });
  }

  function drop(job) {
    const at = jobs.indexOf(job);
    if (at < 0) return;
    jobs.splice(at, 1);
    if (at > 0) return;
    end();
    next();
  }

  return {
    /** { code, text }, as the library answers; never, once the signal is aborted. */
    ask(list, signal) {
      return new Promise((tell) => {
        const job = { list, tell };
        signal?.addEventListener('abort', () => drop(job));
        if (jobs.push(job) === 1) next();
      });
    },
    keep(...file) {
      files.set(file[0], file);
      worker?.postMessage({ file });
    },
  };
}
