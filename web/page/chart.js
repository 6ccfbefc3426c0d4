'use strict';
// A chart with axes: what is in it, and how it is drawn again where its axes have changed. As drawn, it is left as it was.

const svgName = 'http://www.w3.org/2000/svg';
const marks = '.dot, .roof, .bar, .lane';

const put = (node, name, value) => node.setAttribute(name, value);
const flag = (node, name, is) => node.classList.toggle(name, is);
const on = (node, name, listener, options) => node.addEventListener(name, listener, options);

function element(name, attributes, text) {
  const node = document.createElementNS(svgName, name);
  for (const [key, value] of Object.entries(attributes)) put(node, key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

const number = (node, name) => Number(node.getAttribute(name));

function rectangleOf(node) {
  const [left, top, width, height] = node.dataset.plot.split(' ').map(Number);
  return { left, top, right: left + width, bottom: top + height, width, height };
}

/** The panels of a chart one above the other: a roofline is one. */
function panelsOf(svg) {
  const found = [...svg.querySelectorAll('.panel[data-plot]')];
  return (found.length > 0 ? found : [svg]).map((node) => {
    const y = axisOf(node, 'y');
    return { node, plot: rectangleOf(node), home: { x: axisOf(svg, 'x'), y }, x: axisOf(svg, 'x'), y };
  }).filter((panel) => panel.home.x !== null && panel.home.y !== null);
}

/** Where a point of the picture as drawn is now. */
function moved(panel, x, y) {
  const { plot, home } = panel;
  const part = (x - plot.left) / plot.width, height = (plot.bottom - y) / plot.height;
  return [
    plot.left + plot.width * along(panel.x, valueAt(home.x, part)),
    plot.bottom - plot.height * along(panel.y, valueAt(home.y, height)),
  ];
}

const inside = ({ left, right, top, bottom }, [x, y], slack = 0.5) =>
  x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack;

/** What of the line from a to b is within the plot; null: nothing. */
function clipped({ left, right, top, bottom }, a, b) {
  let from = 0, to = 1;
  const d = [b[0] - a[0], b[1] - a[1]];
  for (const [p, q] of [[-d[0], a[0] - left], [d[0], right - a[0]], [-d[1], a[1] - top], [d[1], bottom - a[1]]]) {
    if (p === 0 && q < -0.5) return null;
    if (p < 0) from = Math.max(from, q / p);
    if (p > 0) to = Math.min(to, q / p);
  }
  const at = (part) => [a[0] + part * d[0], a[1] + part * d[1]];
  return from <= to ? [at(from), at(to)] : null;
}

const turned = (node) => /^translate\(([-\d.]+)[ ,]([-\d.]+)\) rotate/.exec(node.getAttribute('transform') ?? '');

/** The point that an element as drawn is at; null for one that has none. */
function pointOf(node) {
  const translated = turned(node);
  if (translated) return [Number(translated[1]), Number(translated[2])];
  if (node.tagName === 'text') return [number(node, 'x'), number(node, 'y')];
  const circle = node.querySelector('circle');
  if (circle) return [number(circle, 'cx'), number(circle, 'cy')];
  const box = node.getBBox();
  return box.width + box.height > 0 ? [box.x + box.width / 2, box.y + box.height / 2] : null;
}

class Chart {
  constructor(svg, region) {
    this.svg = svg;
    this.region = region;
    this.panels = svg.dataset.plot ? panelsOf(svg) : [];
    this.marks = new Map();
    this.dots = [];
    for (const node of svg.querySelectorAll(marks)) this.addMark(node);
    this.across = this.findAcross();
    this.movers = this.panels.length > 0 ? this.findMovers() : [];
    this.hidden = new Set();
    this.share = 0;
    this.blend = null;
    this.waiting = 0;
  }

  addMark(node) {
    const data = node.dataset, mark = { node, data, key: data.key, kind: node.classList[0] };
    if (data.mark) this.marks.set(data.mark, mark);
    data.name ??= mark.key ?? '';
    if (mark.kind === 'dot') {
      mark.at = pointOf(node);
      mark.panel = this.panels.find((panel) => mark.at && inside(panel.plot, mark.at, 8)) ?? this.panels[0];
      mark.value = Number(data.y ?? data.measured ?? data.predicted);
      mark.says = data.predicted !== undefined ? 'predicted' : 'measured';
      this.dots.push(mark);
    }
    node.mark = mark;
    return mark;
  }

  /** Functions that put each element where the axes say, each with the attributes to restore. */
  findMovers() {
    const found = [];
    const add = (node, move) => found.push({ node, move, was: node.cloneNode(false) });
    for (const dot of this.dots) if (dot.at && dot.panel) add(dot.node, () => this.moveDot(dot));
    for (const node of this.svg.querySelectorAll('line, polyline, text, g[data-of] > g, polygon')) {
      if (node.closest('.dot, .ticks, .panel, .legend, .bar, .lane') || node.parentNode.hasAttribute('transform')) continue;
      const move = this.moverOf(node);
      if (move) add(node, move);
    }
    return found;
  }

  moverOf(node) {
    const group = node.closest('[data-of]'), owner = group && this.marks.get(group.dataset.of);
    if (group?.dataset.to) return node.tagName === 'line' ? () => this.moveLink(group, node) : () => this.moveHead(group, node);
    if (group && !owner) return () => node.classList.add('out');
    if (node.closest('.ridge')) return this.sideways(node);
    if (owner?.kind === 'dot' && !node.classList.contains('drop')) return owner.at && (() => this.follow(owner, node));
    if (owner?.kind === 'roof' && node.classList.contains('lead')) return () => node.classList.add('out');
    if (owner?.kind === 'roof') return this.labelOfRoof(owner, node);
    if (node.tagName === 'line') return this.lineMover(node);
    if (node.tagName === 'polyline') return this.curveMover(node);
    return node.tagName === 'text' ? this.textMover(node) : null;
  }

  panelAt(point, slack) {
    return this.panels.find(({ plot }) => inside(plot, point, slack));
  }

  place(dot) {
    const to = moved(dot.panel, ...dot.at);
    if (this.blend === null || !dot.before) return to;
    const from = moved(dot.panel, ...dot.before.at);
    return from.map((value, i) => value + this.blend * (to[i] - value));
  }

  moveDot(dot) {
    dot.now = this.place(dot);
    const out = !inside(dot.panel.plot, dot.now, 1);
    if (out !== dot.out) flag(dot.node, 'out', out);
    dot.out = out;
    if (!dot.out) put(dot.node, 'transform', `translate(${(dot.now[0] - dot.at[0]).toFixed(1)} ${(dot.now[1] - dot.at[1]).toFixed(1)})`);
  }

  /** What stands beside a dot stays beside it. */
  follow(dot, node) {
    flag(node, 'out', dot.out);
    if (dot.out) return;
    const was = turned(node), x = dot.now[0] - dot.at[0], y = dot.now[1] - dot.at[1];
    if (!was) put(node, 'transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  sideways(node) {
    const line = node.tagName === 'line', panel = this.panels[0], x = number(node, line ? 'x1' : 'x'), y = line ? number(node, 'y1') : 0;
    return () => {
      const [at, top] = moved(panel, x, y), { left, right, bottom } = panel.plot;
      flag(node, 'out', at < left || at > right || (line && top > bottom));
      for (const name of line ? ['x1', 'x2'] : ['x']) put(node, name, at.toFixed(1));
      if (line) put(node, 'y1', Math.max(top, panel.plot.top).toFixed(1));
    };
  }

  setLine(node, panel, a, b) {
    const seen = clipped(panel.plot, a, b);
    flag(node, 'out', seen === null);
    if (seen === null) return null;
    for (const [i, end] of seen.entries()) {
      put(node, `x${i + 1}`, end[0].toFixed(1));
      put(node, `y${i + 1}`, end[1].toFixed(1));
    }
    return seen;
  }

  /** A line across a whole plot stays one: it shows a value of the other axis alone. */
  lineMover(node) {
    const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map((name) => number(node, name));
    const panel = this.panelAt([(x1 + x2) / 2, (y1 + y2) / 2], 1);
    if (!panel) return null;
    const { plot } = panel, wide = Math.abs(x2 - x1) >= plot.width - 2, high = Math.abs(y2 - y1) >= plot.height - 2;
    const roof = node.closest('.roof')?.mark;
    return () => {
      let a = moved(panel, x1, y1), b = moved(panel, x2, y2);
      if (y1 === y2 && wide) [a, b] = [[plot.left, a[1]], [plot.right, b[1]]];
      if (x1 === x2 && high) [a, b] = [[a[0], plot.top], [b[0], plot.bottom]];
      if (roof && x2 >= plot.right - 1) b = y1 === y2 ? [plot.right, b[1]] : b;
      if (roof && (x1 <= plot.left + 1 || y1 >= plot.bottom - 1) && y1 !== y2) a = beyond(a, b, plot.left);
      const seen = this.setLine(node, panel, a, b);
      if (roof) roof.seen = seen;
    };
  }

  curveMover(node) {
    const points = node.getAttribute('points').trim().split(/\s+/).map((pair) => pair.split(',').map(Number));
    const panel = this.panelAt(points[0], 2);
    if (!panel) return null;
    return () => {
      put(node, 'clip-path', `url(#${this.clipOf(panel)})`);
      put(node, 'points', points.map(([x, y]) => moved(panel, x, y).map((v) => Math.max(-1e5, Math.min(1e5, v)).toFixed(1)).join()).join(' '));
    };
  }

  clipOf(panel) {
    if (!panel.clip) {
      panel.clip = `clip-${++Chart.clips}`;
      const { left, top, width, height } = panel.plot, clip = element('clipPath', { id: panel.clip });
      clip.append(element('rect', { x: left, y: top, width, height }));
      this.svg.append(clip);
    }
    return panel.clip;
  }

  /** What a line across the plot is called stays where it is along that line. */
  textMover(node) {
    const at = pointOf(node), panel = this.panelAt(at);
    if (!panel) return null;
    const { plot } = panel, line = this.across.find(({ x1, y1, level }) => Math.abs(level ? y1 - at[1] : x1 - at[0]) < 18 && inside(plot, [level ? plot.left : x1, level ? y1 : plot.top], 1));
    return () => {
      const now = moved(panel, ...at);
      if (line) now[line.level ? 0 : 1] = at[line.level ? 0 : 1];
      flag(node, 'out', !inside(plot, now));
      put(node, 'x', now[0].toFixed(1));
      put(node, 'y', now[1].toFixed(1));
    };
  }

  /** Lines across a whole panel, level or upright. */
  findAcross() {
    const found = [];
    for (const node of this.svg.querySelectorAll('line.k')) {
      const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map((name) => number(node, name));
      if (x1 === x2 || y1 === y2) found.push({ x1, y1, level: y1 === y2 });
    }
    return found;
  }

  /** The name of a ceiling stays on what is seen of it, along it and as far from it as it was. */
  labelOfRoof(roof, node) {
    const line = roof.node.querySelector('line'), at = pointOf(node);
    if (!line || !at) return null;
    const text = node.tagName === 'text' ? node : node.querySelector('text');
    const [x1, y1, x2, y2] = ['x1', 'y1', 'x2', 'y2'].map((name) => number(line, name)), length = Math.hypot(x2 - x1, y2 - y1);
    const part = ((at[0] - x1) * (x2 - x1) + (at[1] - y1) * (y2 - y1)) / length ** 2;
    const above = ((at[0] - x1) * (y2 - y1) - (at[1] - y1) * (x2 - x1)) / length, own = node === text;
    const half = text.getComputedTextLength() / 2 + 10;
    return () => {
      const [a, b] = roof.seen ?? [[0, 0], [0, 0]], seen = Math.hypot(b[0] - a[0], b[1] - a[1]);
      flag(node, 'out', seen < 2 * half);
      if (seen < 2 * half) return;
      const [c, s] = [(b[0] - a[0]) / seen, (b[1] - a[1]) / seen], to = Math.min(seen - half, Math.max(half, part * seen));
      const x = a[0] + to * c + above * s, y = a[1] + to * s - above * c, wide = half * c + 6 * Math.abs(s), high = half * Math.abs(s) + 8 * c;
      node.box = { left: x - wide, right: x + wide, top: y - high, bottom: y + high };
      if (own && Math.abs(s) < 0.01) {
        put(node, 'x', x.toFixed(1));
        put(node, 'y', y.toFixed(1));
      } else if (!own) {
        put(node, 'transform', `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${(Math.atan2(s, c) * 180 / Math.PI).toFixed(1)})`);
      }
    };
  }

  /** The ends of the line between two dots, apart from both. */
  ends(group) {
    const [from, to] = [group.dataset.of, group.dataset.to].map((id) => this.marks.get(id));
    if (!from?.now || !to?.now || from.out || to.out || this.blend !== null) return null;
    const d = [to.now[0] - from.now[0], to.now[1] - from.now[1]], length = Math.hypot(...d);
    if (length < 21) return null;
    const at = (dot, way) => [dot.now[0] + way * d[0] / length, dot.now[1] + way * d[1] / length];
    return { from: at(from, 7.5), tip: at(to, -7.5), neck: at(to, -15.5), c: d[0] / length, s: d[1] / length };
  }

  moveLink(group, line) {
    const ends = this.ends(group);
    flag(line, 'out', ends === null);
    if (ends) this.setLine(line, this.panels[0], ends.from, line.classList.contains('same') ? ends.tip : ends.neck);
  }

  moveHead(group, head) {
    const ends = this.ends(group);
    flag(head, 'out', ends === null);
    if (!ends) return;
    const { tip, neck, c, s } = ends, corners = [tip, [neck[0] - 3.5 * s, neck[1] + 3.5 * c], [neck[0] + 3.5 * s, neck[1] - 3.5 * c]];
    put(head, 'points', corners.map((corner) => corner.map((v) => v.toFixed(1)).join(' ')).join(' '));
  }

  get changed() {
    return this.blend !== null || this.panels.some(({ x, y, home }) => x !== home.x || y !== home.y);
  }

  drawAgain() {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.changed) return this.restore();
    for (const { move } of this.movers) move();
    for (const panel of this.panels) this.drawTicks(panel);
    this.thinLabels();
  }

  restore() {
    for (const { node, was } of this.movers) {
      for (const { name } of [...node.attributes]) if (name !== 'class' && !was.hasAttribute(name)) node.removeAttribute(name);
      for (const { name, value } of was.attributes) if (!['class', 'aria-label', 'aria-pressed', 'role', 'tabindex'].includes(name)) put(node, name, value);
      node.classList.remove('out', 'crowded');
    }
    for (const dot of this.dots) dot.out = dot.now = undefined;
    for (const panel of this.panels) {
      if (panel.ticks) for (const [group, was] of panel.ticks) group.replaceChildren(...was);
      panel.ticks = undefined;
    }
  }

  drawTicks(panel) {
    const last = panel === this.panels.at(-1), { plot, node } = panel, groups = [...node.querySelectorAll('.ticks')];
    const hosts = groups.length > 0 ? groups : [node];
    panel.ticks ??= hosts.map((host) => [host, [...host.childNodes]]);
    const lines = { x: [], y: [] };
    const narrow = this.svg.viewBox.baseVal.width < 600, { unit } = panel.y;
    for (const { value, label } of ticksOf(panel.x, Math.floor(plot.width / 90))) {
      const x = (plot.left + plot.width * along(panel.x, value)).toFixed(1);
      lines.x.push(element('line', { class: label ? 'g' : 'm', x1: x, x2: x, y1: plot.bottom, y2: plot.top }));
      if (label && last) lines.x.push(element('text', { class: 'c', x, y: plot.bottom + 18 }, quantity(value, never(panel.x.unit) ? '' : panel.x.unit, true)));
    }
    for (const { value, label } of ticksOf(panel.y, Math.max(2, Math.floor(plot.height / 40)))) {
      const y = plot.bottom - plot.height * along(panel.y, value);
      lines.y.push(element('line', { class: label ? 'g' : 'm', x1: plot.left, x2: plot.right, y1: y.toFixed(1), y2: y.toFixed(1) }));
      if (label) lines.y.push(element('text', { class: 'e', x: plot.left - 8, y: (y + 4).toFixed(1) }, quantity(value, unit, true).slice(0, narrow && unit.length > 3 ? -unit.length : undefined)));
    }
    if (groups.length > 0) {
      for (const group of groups) group.replaceChildren(...lines[group.dataset.axis]);
    } else {
      const kept = panel.ticks[0][1].filter((child) => child.nodeType === 1 && !child.matches('line.g, line.m, text'));
      node.replaceChildren(...lines.x, ...lines.y, ...kept);
    }
  }

  /** Labels that would lie on others or outside are left out; pointing at the mark shows them. */
  thinLabels() {
    const boxes = [], { plot } = this.panels[0], gone = new Set();
    for (const { node } of this.labels ??= this.movers.filter(({ node: { tagName, parentNode } }) => /^(text|g)$/.test(tagName) && parentNode.dataset.of)
      .sort((a, b) => b.node.parentNode.dataset.of.localeCompare(a.node.parentNode.dataset.of, 'en', { numeric: true }))) {
      const owner = this.marks.get(node.parentNode.dataset.of);
      node.classList.remove('crowded');
      if (node.classList.contains('out') || !owner) continue;
      if (owner.kind === 'dot') node.box = this.boxOf(node, owner);
      const { box } = node;
      const crowded = box.left < plot.left || box.right > plot.right || box.top < plot.top || box.bottom > plot.bottom ||
        boxes.some((b) => b.left < box.right && box.left < b.right && b.top < box.bottom && box.top < b.bottom);
      flag(node, 'crowded', crowded);
      if (crowded) gone.add(owner);
      else boxes.push(box);
    }
    for (const { node } of this.movers) if (node.matches('.lead')) flag(node, 'crowded', gone.has(this.marks.get(node.parentNode.dataset.of)));
  }

  boxOf(node, dot) {
    node.half ??= node.getComputedTextLength() / 2;
    const x = number(node, 'x') + dot.now[0] - dot.at[0], y = number(node, 'y') + dot.now[1] - dot.at[1];
    return { left: x - node.half, right: x + node.half, top: y - 12, bottom: y + 3 };
  }
}
Chart.clips = 0;

/** The ramp from a to b made longer to the left, as far as the plot's side. */
function beyond(a, b, left) {
  return a[0] <= left ? a : [left, a[1] - (a[0] - left) * (b[1] - a[1]) / (b[0] - a[0] || 1)];
}
