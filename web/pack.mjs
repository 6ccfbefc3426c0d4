import { execFileSync } from 'node:child_process';

/** A file as a zlib stream, some twentieth shorter than Node.js's own. */
export const pack = (file) => execFileSync('zopfli', ['--zlib', '-c', file], { maxBuffer: 1 << 26 });
