'use strict';
// The tools of a chart: zoom, scale, what is shown, before and after, copies.

function html(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

const button = (text, label, onclick) => {
  const node = html('button', { type: 'button', textContent: text, title: text === label ? '' : label });
  put(node, 'aria-label', label);
  on(node, 'click', onclick);
  return node;
};

/** What can be shown or not: a heading, and how a mark is asked. */
const groups = [
  ['Machines', ({ data }) => data.machine],
  ['Series', ({ data }) => data.series],
  ['Formats', ({ data }) => data.dtype && `${data.dtype}${data.unit ? ` ${data.unit}` : ''}`],
  ['Levels', ({ data }) => data.level],
  ['Ceilings', ({ kind, data }) => (kind === 'roof' ? data.kind : undefined)],
  ['Kernels', ({ kind, says }) => (kind === 'dot' ? says : undefined)],
];

function applyShown(chart) {
  const gone = new Set(), off = (mark) => groups.some(([name, of]) => chart.hidden.has(`${name}:${of(mark)}`)) ||
    Number(mark.data.timeShare ?? 1) < chart.share;
  for (const node of chart.svg.querySelectorAll(marks)) {
    const hide = off(node.mark);
    flag(node, 'off', hide);
    if (hide) gone.add(node.mark.data.mark);
  }
  for (const group of chart.svg.querySelectorAll('[data-of]')) flag(group, 'off', gone.has(group.dataset.of) || gone.has(group.dataset.to ?? ''));
  for (const ridge of chart.svg.querySelectorAll('.ridge')) flag(ridge, 'off', chart.hidden.has(`Machines:${ridge.dataset.machine}`));
  const first = chart.dots.find(isSeen);
  if (first && !chart.dots.some((dot) => isSeen(dot) && dot.node.getAttribute('tabindex') === '0')) put(first.node, 'tabindex', '0');
}

function checkbox(chart, group, value) {
  const box = html('input', { type: 'checkbox', checked: true });
  on(box, 'change', () => {
    chart.hidden[box.checked ? 'delete' : 'add'](`${group}:${value}`);
    applyShown(chart);
    say(`${short(value)} ${box.checked ? 'is shown' : 'is not shown'}`);
  });
  return html('label', {}, box, ` ${value}`);
}

function shareSlider(chart) {
  const most = Math.max(...chart.dots.map(({ data }) => Number(data.timeShare ?? 0)));
  if (!(most > 0) || chart.dots.length < 3) return null;
  const slider = html('input', { type: 'range', min: 0, max: 100, value: 0 }), words = html('output', { textContent: '0 %' });
  on(slider, 'input', () => {
    chart.share = most * (slider.value / 100) ** 3;
    words.textContent = percent(chart.share);
    applyShown(chart);
  });
  return html('label', {}, 'Kernels with at least this share of the time ', slider, ' ', words);
}

function shownMenu(chart) {
  const nodes = [...chart.svg.querySelectorAll(marks)].map(({ mark }) => mark), fields = [];
  for (const [name, of] of groups) {
    const values = [...new Set(nodes.map(of).filter((value) => value !== undefined))];
    if (values.length > 1) fields.push(html('fieldset', {}, html('legend', { textContent: name }), ...values.map((value) => checkbox(chart, name, value))));
  }
  const slider = shareSlider(chart);
  if (slider) fields.push(slider);
  return fields.length > 0 ? menu('Show', ...fields) : null;
}

function menu(words, ...content) {
  const node = html('details', { className: 'menu' }, html('summary', { textContent: words }), html('div', {}, ...content));
  on(node, 'keydown', (event) => {
    if (event.key !== 'Escape') return;
    node.open = false;
    node.firstChild.focus();
  });
  return node;
}

/** From where a dot was to where it is: predicted and measured, or one file and another. */
function blendSlider(chart) {
  let pairs = 0;
  for (const group of chart.svg.querySelectorAll('[data-to]')) {
    const [from, to] = [group.dataset.of, group.dataset.to].map((id) => chart.marks.get(id));
    if (!from?.at || !to?.at || !from.panel) continue;
    to.before = from;
    from.after = to;
    pairs++;
  }
  if (pairs === 0) return null;
  const twins = chart.dots.every(({ before }) => !before || before.says === 'predicted');
  const slider = html('input', { type: 'range', min: 0, max: 100, value: 100 });
  on(slider, 'input', () => {
    chart.blend = slider.value / 100;
    for (const dot of chart.dots) flag(dot.node, 'before', dot.after !== undefined && dot.before === undefined);
    chart.svg.classList.add('blended');
    chart.drawAgain();
    chart.changedView();
  });
  chart.slider = slider;
  return html('label', { className: 'blend' }, twins ? 'predicted ' : 'before ', slider, twins ? ' measured' : ' after');
}

function scaleButton(chart) {
  if (!chart.panels.some(({ home }) => home.x.log || home.y.log)) return null;
  let linear = false;
  const node = button('Linear', 'Linear axes from zero', () => {
    linear = !linear;
    setScale(chart, linear);
    put(node, 'aria-pressed', linear);
    say(linear ? 'Axes are linear' : 'Axes are logarithmic');
  });
  put(node, 'aria-pressed', false);
  chart.unlinear = () => {
    linear = false;
    put(node, 'aria-pressed', false);
  };
  return node;
}

const howTo = [
  'Point at a dot, a bar or a line: its figures.', 'Click: it alone; with Shift: one more; Escape: all again.',
  'Shift and drag: all within the rectangle, in the tables too.', 'Wheel (after a click), the keys “+” and “−”: zoom; drag or arrows: move.',
  'Double click, 0 or Home: as it was.', 'On a dot, arrows go to the next one.',
];

function addTools(chart) {
  const bar = html('div', { className: 'tools' });
  for (const name of ['broad', 'narrow']) flag(bar, name, chart.region.matches(`.${name}`));
  put(bar, 'role', 'group');
  put(bar, 'aria-label', 'Tools of the chart');
  chart.all = button('Show all', 'Show all again', () => choose([]));
  chart.all.hidden = true;
  if (chart.panels.length > 0) {
    const back = button('Reset', 'Reset the axes', () => {
      reset(chart);
      say('The axes are as they were');
    });
    back.disabled = true;
    chart.changedView = () => {
      back.disabled = !chart.changed;
      flag(chart.region, 'zoomed', chart.changed);
      if (chart.changed) return;
      chart.unlinear?.();
      chart.svg.classList.remove('blended');
      if (chart.slider) chart.slider.value = 100;
    };
    bar.append(button('+', 'Zoom in', () => zoomBy(chart, 0.8)), button('−', 'Zoom out', () => zoomBy(chart, 1.25)), back);
    bar.append(...[scaleButton(chart), blendSlider(chart)].filter(Boolean));
  }
  bar.append(...[shownMenu(chart)].filter(Boolean), copyMenu(chart));
  bar.append(menu('How', html('ul', {}, ...howTo.map((textContent) => html('li', { textContent })))), chart.all);
  chart.region.before(bar);
}
