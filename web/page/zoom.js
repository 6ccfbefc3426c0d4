'use strict';
// Zoom and pan: wheel, drag, keyboard, buttons; a double click shows all again. With Shift a drag chooses what is in the rectangle.

const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The point of the picture under the pointer. */
function pointed(chart, event) {
  const box = chart.svg.getBoundingClientRect(), view = chart.svg.viewBox.baseVal;
  return [(event.clientX - box.left) * view.width / box.width, (event.clientY - box.top) * view.height / box.height];
}

function changeAxes(chart, panel, change) {
  const x = change.x ? cut(panel.x, ...change.x) : panel.x;
  const tight = ({ low, high, log }) => (log ? high / low < 1.02 : high - low < 1e-9 * Math.abs(high));
  if (!(x.high > x.low) || tight(x) || (x.log && x.high / x.low > 1e30)) return;
  for (const other of chart.panels) other.x = x;
  if (change.y) {
    const y = cut(panel.y, ...change.y);
    if (y.high > y.low && !tight(y)) panel.y = y;
  }
  chart.drawAgain();
  chart.changedView?.();
}

/** Shows `factor` of what is seen now, the given point of the plot where it is. */
function zoomBy(chart, factor, panel = chart.panels[0], [h, v] = [0.5, 0.5]) {
  changeAxes(chart, panel, { x: [h - h * factor, h + (1 - h) * factor], y: [v - v * factor, v + (1 - v) * factor] });
}

function panBy(chart, panel, [h, v]) {
  changeAxes(chart, panel, { x: [h, 1 + h], y: [v, 1 + v] });
}

function reset(chart) {
  for (const panel of chart.panels) [panel.x, panel.y] = [panel.home.x, panel.home.y];
  chart.blend = null;
  chart.draw();
  chart.changedView?.();
}

/** Both axes linear and from zero, or logarithmic as drawn. */
function setScale(chart, linear) {
  for (const panel of chart.panels) {
    for (const letter of ['x', 'y']) {
      const home = panel.home[letter];
      panel[letter] = home.log === linear ? other(home, linear && chart.svg.matches('.roofline') ? ends(chart)[letter] : home.high) : home;
    }
  }
  chart.drawAgain();
  chart.changedView?.();
}

function other(axis, high) {
  return axis.log ? { ...axis, low: 0, high, log: false } : { ...axis, low: axis.low > 0 ? axis.low : axis.high / 1e4, log: true };
}

/** Where linear axes of a roofline end: beyond every dot, ridge and ceiling. */
function ends(chart) {
  const flat = [], ramps = [], values = (list, name) => list.map(({ data }) => Number(data[name]));
  for (const mark of chart.marks.values()) if (mark.kind === 'roof') (mark.data.level === undefined ? flat : ramps).push(mark);
  const top = Math.max(...values(flat, 'value'), ...values(chart.dots, 'y'));
  const ridges = flat.flatMap((roof) => ramps.filter(({ data }) => data.machine === roof.data.machine).map(({ data }) => roof.data.value / data.value));
  return { x: Math.max(...values(chart.dots, 'x').map((x) => 1.1 * x), ...ridges.map((x) => 1.5 * x)), y: 1.15 * top };
}

function parts(panel, [x, y]) {
  const { plot } = panel;
  return [(x - plot.left) / plot.width, (plot.bottom - y) / plot.height];
}

function onWheel(chart, event) {
  const point = pointed(chart, event), panel = chart.panelAt(point, 4);
  if (!panel) return;
  if (!event.ctrlKey && !chart.region.contains(document.activeElement)) {
    say('Click the chart first: then the wheel zooms it');
    return;
  }
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 20 : 1;
  zoomBy(chart, 1.0015 ** Math.max(-300, Math.min(300, event.deltaY * lines)), panel, parts(panel, point));
}

function onDrag(chart, event) {
  const start = pointed(chart, event), panel = chart.panelAt(start, 0);
  if (event.button !== 0 || !panel || (event.pointerType === 'touch' && !chart.changed)) return;
  let last = start, far = false;
  const box = event.shiftKey ? element('rect', { class: 'lasso' }) : null;
  const move = (next) => {
    const now = pointed(chart, next);
    if (!far && Math.hypot(now[0] - start[0], now[1] - start[1]) < 4) return;
    if (!far) chart.svg.setPointerCapture(event.pointerId);
    far = true;
    chart.region.classList.add('dragged');
    if (box) {
      stretch(box, start, now);
      chart.svg.append(box);
    } else {
      panBy(chart, panel, [(last[0] - now[0]) / panel.plot.width, (now[1] - last[1]) / panel.plot.height]);
    }
    last = now;
  };
  const end = () => {
    for (const name of ['pointermove', 'pointerup', 'pointercancel']) chart.svg.removeEventListener(name, name === 'pointermove' ? move : end);
    chart.region.classList.remove('dragged');
    if (box && far) chooseWithin(chart, box);
    box?.remove();
    chart.dragged = far;
  };
  chart.dragged = false;
  on(chart.svg, 'pointermove', move);
  on(chart.svg, 'pointerup', end);
  on(chart.svg, 'pointercancel', end);
}

function stretch(box, a, b) {
  const [x, y] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
  for (const [name, value] of Object.entries({ x, y, width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) })) put(box, name, value);
}

function chooseWithin(chart, box) {
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => number(box, name));
  const area = { left: x, top: y, right: x + width, bottom: y + height };
  choose(chart.dots.filter((dot) => isSeen(dot) && inside(area, dot.now ?? dot.at, 0)).map(({ key }) => key));
}

const isSeen = ({ node }) => !node.matches('.out, .off');

/** From one dot to the nearest in that direction; those of a panel in the order of their intensity. */
function nextDot(chart, mark, [h, v]) {
  const letter = h !== 0 ? 0 : 1, way = h !== 0 ? h : -v, place = (dot) => dot.now ?? dot.at;
  const ordered = chart.dots.filter((dot) => dot.at && isSeen(dot)).sort((a, b) => place(a)[letter] - place(b)[letter] || a.value - b.value);
  return ordered[ordered.indexOf(mark) + way];
}

function onKey(chart, event) {
  const mark = event.target.closest?.(marks)?.mark, arrow = arrows[event.key];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    choose([]);
  } else if (mark && (event.key === 'Enter' || event.key === ' ')) {
    chooseMark(mark, event.shiftKey);
  } else if (mark?.kind === 'dot' && arrow && !event.shiftKey) {
    focusMark(chart, nextDot(chart, mark, arrow));
  } else if (chart.panels.length > 0 && arrow) {
    panBy(chart, chart.panels[0], arrow.map((way) => way * 0.1));
  } else if (chart.panels.length > 0 && ['+', '=', '-', '0', 'Home'].includes(event.key)) {
    if (event.key === '0' || event.key === 'Home') reset(chart);
    else zoomBy(chart, event.key === '-' ? 1.25 : 0.8);
  } else {
    return;
  }
  event.preventDefault();
}

function focusMark(chart, mark) {
  if (!mark) return;
  chart.svg.querySelector(`:is(${marks})[tabindex="0"]`)?.setAttribute('tabindex', '-1');
  put(mark.node, 'tabindex', '0');
  mark.node.focus();
}

function addZoom(chart) {
  const { svg, region } = chart;
  on(region, 'keydown', (event) => onKey(chart, event));
  if (chart.panels.length === 0) return;
  on(svg, 'wheel', (event) => onWheel(chart, event), { passive: false });
  on(svg, 'pointerdown', (event) => onDrag(chart, event));
  on(svg, 'dblclick', () => reset(chart));
}
