'use strict';
// The card of what is pointed at: its figures, and the arithmetic of its limit.

let card;

const near = (a, b) => Math.abs(a - b) <= 1e-3 * Math.abs(b);

/** The ceiling that limits a dot; null where none on the chart does. */
function limitOf(chart, dot, limit, x) {
  const roofs = [...chart.marks.values()].filter(({ kind, data }) => kind === 'roof' && (!dot.data.machine || data.machine === dot.data.machine));
  const flat = ({ data }) => data.dtype !== undefined;
  return roofs.find((roof) => !flat(roof) && near(Number(roof.data.value) * x, limit)) ??
    roofs.find((roof) => flat(roof) && near(Number(roof.data.value), limit)) ?? null;
}

/** Its name without its value: "HBM", "fp16 matrix". */
const nameOfRoof = ({ data }) => (data.dtype !== undefined ? `${data.dtype} ${data.unit}` : data.name.split(/ [\d.]/)[0]);

function arithmetic(chart, dot) {
  const { limit, x } = dot.data, unit = chart.panels[0]?.home.y.unit ?? '';
  const lines = [], top = Number(limit), at = Number(x);
  if (limit !== undefined && x !== undefined) {
    const roof = limitOf(chart, dot, top, at);
    const by = roof ? ` (${nameOfRoof(roof)})` : '', end = `${quantity(top, unit)} limit`, flops = `${plain(at, true)} FLOP/byte`;
    lines.push(roof?.data.level ? `${flops} × ${quantity(top / at, 'B/s')}${by} ${'='} ${end}` : `at ${flops}: ${end}${by}`);
  }
  for (const says of ['measured', 'predicted']) {
    const value = Number(dot.data[says]);
    if (dot.data[says] === undefined) continue;
    lines.push(`${says} ${quantity(value, unit)}${limit !== undefined ? `: ${percent(value / top)} of the limit` : ''}`);
    if (value > top * 1.0001) lines.push('above its limit: check the measurement and the counts');
  }
  return lines;
}

/** The same kernel as it was measured or predicted: how the two differ. */
function comparison(chart, dot) {
  const twin = chart.dots.find((one) => one.key === dot.key && one.says !== dot.says && one.data.machine === dot.data.machine);
  if (!twin || !dot.at) return [];
  const [measured, predicted] = dot.says === 'measured' ? [dot, twin] : [twin, dot];
  return [`measured is ${plain(measured.value / predicted.value, true)} of predicted`];
}

/** Who else is at the same point. */
function neighbours(chart, dot) {
  const place = ({ now, at }) => now ?? at, names = chart.dots.filter((one) => one.key !== dot.key && one.at && isSeen(one) &&
    Math.hypot(place(one)[0] - place(dot)[0], place(one)[1] - place(dot)[1]) < 4).map(({ data, key }) => short(data.name ?? key));
  return names.length > 0 ? [`here too: ${[...new Set(names)].slice(0, 4).join(', ')}${names.length > 4 ? ', …' : ''}`] : [];
}

function roofLines(chart, { data }) {
  const value = Number(data.value), lines = [[data.machine, data.kind].filter(Boolean).join(', ')];
  if (data.level === undefined) return [...lines, `at most ${quantity(value, 'FLOP/s')}`];
  lines.push(`at most intensity × ${quantity(value, 'B/s')}`);
  for (const roof of chart.marks.values()) {
    if (roof.kind !== 'roof' || roof.data.dtype === undefined || roof.data.machine !== data.machine || roof.data.kind !== data.kind) continue;
    const top = Number(roof.data.value);
    lines.push(`${quantity(top, 'FLOP/s')} from ${plain(top / value, true)} FLOP/byte on (${nameOfRoof(roof)})`);
  }
  return lines;
}

function linesOf(chart, mark) {
  const { data, kind, title } = mark;
  if (kind === 'roof') return roofLines(chart, mark);
  const own = mark.key === data.name || mark.key === undefined ? [] : [short(mark.key)];
  own.push(...kind === 'dot' && chart.svg.matches('.roofline') ? [...arithmetic(chart, mark), ...comparison(chart, mark), ...neighbours(chart, mark)] : title.slice(0, 1));
  if (data.timeShare !== undefined) own.push(`${percent(Number(data.timeShare))} of the time`);
  if (data.verdict !== undefined) own.push(`verdict: ${data.verdict}`);
  return [...own, ...title.slice(1)].filter((line) => line !== '' && line !== data.name);
}

function describe(chart, mark) {
  const lines = linesOf(chart, mark);
  if (mark.node.hasAttribute('tabindex')) put(mark.node, 'aria-label', [short(mark.data.name ?? mark.key ?? ''), ...lines].join('; '));
  return lines;
}

function showCard(chart, mark) {
  const name = document.createElement('strong');
  name.textContent = mark.data.name ?? mark.key ?? '';
  card.replaceChildren(name, ...describe(chart, mark).map((line) => {
    const row = document.createElement('span');
    row.textContent = line;
    return row;
  }));
  card.hidden = false;
  const box = mark.node.getBoundingClientRect(), own = card.getBoundingClientRect();
  const left = Math.max(8, Math.min(innerWidth - own.width - 8, box.left + box.width / 2 - own.width / 2));
  const above = box.top - own.height - 10;
  card.style.left = `${left}px`;
  card.style.top = `${above > 4 ? above : Math.min(innerHeight - own.height - 4, box.bottom + 10)}px`;
  point(mark.key);
}

function hideCard() {
  card.hidden = true;
  point();
}

/** A ceiling's card stands at the pointer: its line is as wide as the chart. */
function cardAt(event) {
  const own = card.getBoundingClientRect();
  card.style.left = `${Math.max(8, Math.min(innerWidth - own.width - 8, event.clientX + 14))}px`;
  card.style.top = `${Math.max(4, event.clientY - own.height - 14)}px`;
}

function addCards(chart) {
  const over = (event, show) => {
    const mark = event.target.closest?.(marks)?.mark;
    if (!mark) return;
    show(mark);
    if (mark.kind === 'roof' && event.type === 'pointerover') cardAt(event);
  };
  on(chart.svg, 'pointerover', (event) => over(event, (mark) => showCard(chart, mark)));
  on(chart.svg, 'pointerout', (event) => over(event, hideCard));
  on(chart.svg, 'focusin', (event) => over(event, (mark) => showCard(chart, mark)));
  on(chart.svg, 'focusout', hideCard);
  on(chart.svg, 'click', (event) => {
    if (chart.dragged) return;
    const mark = event.target.closest(marks)?.mark;
    if (mark) chooseMark(mark, event.shiftKey || event.ctrlKey);
    else if (chosen.size > 0) choose([]);
    if (!mark) chart.region.focus({ preventScroll: true });
  });
}
