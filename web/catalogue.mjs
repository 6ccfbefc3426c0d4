// Packs data/ for the browser: node catalogue.mjs DATA C-FILE PACKED-FILE. The C file has the tables that cmake/Embed.cmake makes for the
// library, of texts that the page unpacks to `web_catalogue_text` when it starts; the packed file has those texts, without blanks, as a zlib
// stream.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pack } from "./pack.mjs";

const [data, source, packed] = process.argv.slice(2);

/** JSON without white space between its parts; texts and numbers stay as they are. */
const shrink = (json) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text) => text ?? "");

const texts = [];
let length = 0;

function table(kind) {
  const rows = readdirSync(join(data, `${kind}s`))
    .filter((file) => file.endsWith(".json"))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((file) => file.slice(0, -".json".length))
    .map((name) => {
      const text = Buffer.from(shrink(readFileSync(join(data, `${kind}s`, `${name}.json`), "utf8")));
      const { aliases = [], title = "" } = JSON.parse(text);
      const start = length;
      texts.push(text, Buffer.from([0]));
      length += text.length + 1;
      return `    {"${name}", "${aliases.join(" ")}", "${title}", web_catalogue_text + ${start}, web_catalogue_text + ${start + text.length}},\n`;
    });
  return `const rf_builtin rf_builtin_${kind}s[] = {\n${rows.join("")}    {0, 0, 0, 0, 0}};
const unsigned rf_builtin_${kind}_count = ${rows.length};\n`;
}

const tables = ["machine", "model", "constant"].map(table).join("\n");
writeFileSync(source, `/* Generated from data/. */
#include "catalog/builtin.h"

char web_catalogue_text[${length}];
extern const int web_catalogue_size;
const int web_catalogue_size = ${length};

${tables}`);
writeFileSync(`${packed}.texts`, Buffer.concat(texts));
writeFileSync(packed, pack(`${packed}.texts`));
