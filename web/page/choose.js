'use strict';
// What is chosen, in charts and tables alike: by key, the same thing everywhere. The rest steps back.

const charts = [], tables = [];
const chosen = new Set();
let live, silence;

/** Says it to a screen reader, and on the page for a while. */
function say(words) {
  live.textContent = words;
  clearTimeout(silence);
  silence = setTimeout(() => { live.textContent = ''; }, 5000);
}

const within = (list, key) => list.filter((thing) => thing.key === key);

function choose(keys) {
  chosen.clear();
  for (const key of keys) chosen.add(key);
  for (const chart of charts) showChosen(chart);
  for (const table of tables) table.show();
  const count = chosen.size;
  say(count === 0 ? 'Nothing is chosen: all is shown' : count === 1 ? `Chosen: ${short([...chosen][0])}` : `${count} chosen; Escape shows all again`);
}

const short = (words) => (words.length > 80 ? `${words.slice(0, 79)}…` : words);

function showChosen(chart) {
  const owners = new Set();
  let any = false;
  for (const node of chart.svg.querySelectorAll(marks)) {
    const { mark } = node, is = chosen.has(mark.key ?? mark.data.name);
    flag(node, 'chosen', is);
    put(node, 'aria-pressed', is);
    if (is) owners.add(mark.data.mark);
    any ||= is;
  }
  for (const group of chart.svg.querySelectorAll('[data-of]')) flag(group, 'chosen', owners.has(group.dataset.of));
  flag(chart.svg, 'lone', any);
  chart.all.hidden = chosen.size === 0;
}

/** Chooses a mark alone, or with `more` as well as what is chosen; again: no longer. */
function chooseMark(mark, more) {
  const key = mark.key ?? mark.data.name, rest = more ? [...chosen].filter((other) => other !== key) : [];
  choose(chosen.has(key) ? rest : [...rest, key]);
}

/** Points at a key in every chart and table but does not choose it. */
function point(key) {
  for (const node of document.querySelectorAll('.pointed')) node.classList.remove('pointed');
  if (key === undefined) return;
  for (const chart of charts) for (const dot of within(chart.dots, key)) dot.node.classList.add('pointed');
  for (const table of tables) for (const row of within(table.rows, key)) row.node.classList.add('pointed');
}
