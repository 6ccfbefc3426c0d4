// What the files of the npm package weigh, written into its README where that says @SIZES@: node sizes.mjs PACKAGE
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = process.argv[2];
const kilobytes = (bytes) => `${Math.round(bytes / 1e3)} kB`;
const files = ['roofline.wasm', 'catalogue.deflate', 'core.js', 'words.js'];
const weights = files.map((name) => `\`${name}\` ${kilobytes(statSync(join(folder, name)).size)}`).join(', ');
const sent = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name)), { level: 9 }).length, 0);
const readme = join(folder, 'README.md');
writeFileSync(readme, readFileSync(readme, 'utf8').replace('@SIZES@', `${weights}; sent with gzip ${kilobytes(sent)}`));
