// The page, one file: node bundle.mjs LIBRARY.wasm CATALOGUE PAGE.html. Script and style are bundled; library and catalogue lie in it, packed.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pack } from './pack.mjs';

const [library, catalogue, page] = process.argv.slice(2);
const folder = join(dirname(fileURLToPath(import.meta.url)), 'explorer');

const settings = { outdir: 'out', bundle: true, minify: true, write: false, target: 'es2022', charset: 'utf8', legalComments: 'none' };
const { outputFiles: [script, style] } = await build({
  ...settings, entryPoints: [join(folder, 'app.jsx'), join(folder, 'style.css')], format: 'esm', jsx: 'automatic', jsxImportSource: 'preact',
});
const { outputFiles: [worker] } = await build({ ...settings, entryPoints: [join(folder, 'worker.js')], format: 'iife' });
const inPage = ({ text }) => text.trim().replaceAll('</script', '<\\/script');

const module = readFileSync(library);
const packed = pack(library);
const texts = readFileSync(catalogue);
const parts = {
  '/* style */': style.text.trim(),
  '<!-- library -->': packed.toString('base64'),
  '<!-- catalogue -->': texts.toString('base64'),
  '/* worker */': inPage(worker),
  '/* script */': inPage(script),
};
let html = readFileSync(join(folder, 'page.html'), 'utf8');
for (const [mark, part] of Object.entries(parts)) html = html.replace(mark, () => part);
writeFileSync(page, html);

const kilobytes = (bytes) => `${Math.round(bytes / 1000)} KB`;
const delivered = packed.length + texts.length;
console.log(`library ${kilobytes(module.length)}, packed ${kilobytes(packed.length)}; catalogue packed ${kilobytes(texts.length)}; `
  + `script ${kilobytes(parts['/* script */'].length)}; page ${kilobytes(html.length)}`);
if (delivered > 400_000) throw new Error(`library and catalogue are ${delivered} bytes as delivered, over 400000`);
