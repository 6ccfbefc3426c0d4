'use strict';
// Tables: sorted by a click on a heading, searched, filtered by a column of few words, and joined to the charts by the keys of their rows.

const few = 8;

class Table {
  constructor(node) {
    this.node = node;
    this.body = node.tBodies[0];
    for (const row of this.body.rows) row.dataset.key ??= row.cells[0].textContent;
    this.rows = [...this.body.rows].map((row, index) => ({ node: row, key: row.dataset.key, index }));
    this.heads = [...node.tHead.rows[0].cells].map((cell) => ({ cell, name: cell.textContent }));
    this.words = '';
    this.filters = new Map();
    this.sorted = null;
    this.addSorting();
    this.addTools();
    this.addRows();
  }

  addSorting() {
    if (this.rows.length < 2) return;
    this.heads.forEach((head, column) => {
      const node = html('button', { type: 'button', className: 'sort', textContent: head.name });
      on(node, 'click', () => this.sort(column));
      head.cell.replaceChildren(node);
      put(head.cell, 'aria-sort', 'none');
    });
  }

  valueOf(row, column) {
    const cell = row.node.cells[column], { value } = cell?.dataset ?? {};
    return value !== undefined ? Number(value) : cell?.textContent.trim() ?? '';
  }

  /** First the largest number or the first word, then the other way, then as it was. */
  sort(column) {
    const numbers = this.rows.some((row) => typeof this.valueOf(row, column) === 'number');
    const ways = numbers ? ['descending', 'ascending', 'none'] : ['ascending', 'descending', 'none'];
    const { cell, name } = this.heads[column], way = ways[(ways.indexOf(cell.getAttribute('aria-sort')) + 1) % 3];
    for (const head of this.heads) put(head.cell, 'aria-sort', head.cell === cell ? way : 'none');
    const keyed = this.rows.map((row) => ({ row, value: this.valueOf(row, column) }));
    const unknown = ({ value }) => (numbers ? typeof value !== 'number' : value === '');
    const collator = new Intl.Collator('en', { numeric: true });
    const compare = numbers ? (a, b) => a - b : (a, b) => collator.compare(a, b);
    keyed.sort((a, b) => {
      if (way === 'none') return a.row.index - b.row.index;
      if (unknown(a) || unknown(b)) return unknown(a) - unknown(b) || a.row.index - b.row.index;
      return (way === 'ascending' ? 1 : -1) * compare(a.value, b.value) || a.row.index - b.row.index;
    });
    this.rows = keyed.map(({ row }) => row);
    this.body.append(...this.rows.map(({ node }) => node));
    say(way === 'none' ? 'In the order of the answer' : `Sorted by ${name}, ${way}`);
  }

  addTools() {
    if (this.rows.length < 2) return;
    const bar = html('div', { className: 'tools' }), title = this.node.caption?.textContent ?? 'the table';
    if (this.rows.length > 7) bar.append(this.searchBox(title), ...this.filterBoxes());
    this.count = html('span', { className: 'soft' });
    bar.append(menu('CSV', button('Copy CSV', `Copy CSV of ${title}`, () => copyText(csvText(this), 'text/csv', 'csv')),
      button('Save CSV', `Save CSV of ${title}`, () => save(new Blob([csvText(this)], { type: 'text/csv' }), fileName('csv')))), this.count);
    (this.node.closest('.wide') ?? this.node).before(bar);
  }

  searchBox(title) {
    const box = html('input', { type: 'search', placeholder: 'Search', size: 16 });
    put(box, 'aria-label', `Search ${title}`);
    on(box, 'input', () => {
      this.words = box.value.toLowerCase().trim();
      this.show();
      say(this.seen());
    });
    return box;
  }

  filterBoxes() {
    const boxes = [];
    this.heads.forEach(({ name }, column) => {
      const values = new Set(this.rows.map((row) => this.valueOf(row, column)));
      if (column === 0 || values.size < 2 || values.size > few || values.size > this.rows.length / 2 || [...values].some((value) => typeof value === 'number' || value.length > 40)) return;
      const box = html('select', {}, new Option(`${name}: all`, ''), ...[...values].filter(Boolean).sort().map((value) => new Option(short(value), value)));
      put(box, 'aria-label', `Only rows whose ${name} is`);
      on(box, 'change', () => {
        if (box.value === '') this.filters.delete(column);
        else this.filters.set(column, box.value);
        this.show();
        say(this.seen());
      });
      boxes.push(box);
    });
    return boxes;
  }

  seen() {
    return `${this.rows.filter(({ node }) => !node.hidden).length} of ${this.rows.length} rows`;
  }

  matches(row) {
    row.text ??= `${row.node.textContent} ${row.key}`.toLowerCase();
    return this.words.split(/\s+/).every((word) => row.text.includes(word)) &&
      [...this.filters].every(([column, value]) => this.valueOf(row, column) === value);
  }

  /** Several that are chosen are shown alone; what a search leaves out steps back in the charts too. */
  show() {
    const alone = chosen.size > 1 && this.rows.some(({ key }) => chosen.has(key));
    for (const row of this.rows) {
      row.left = !this.matches(row);
      row.node.hidden = row.left || (alone && !chosen.has(row.key));
      flag(row.node, 'chosen', chosen.has(row.key));
      put(row.node, 'aria-current', chosen.has(row.key));
    }
    const narrowed = this.rows.some(({ node }) => node.hidden);
    if (this.count) this.count.textContent = narrowed ? this.seen() : '';
    leaveOut();
  }

  addRows() {
    this.rows.forEach(({ node }, i) => { if (isDrawn(node.dataset.key)) node.tabIndex = i === 0 ? 0 : -1; });
    const rowOf = (event) => this.rows.find(({ node }) => node === event.target.closest?.('tbody tr'));
    on(this.body, 'click', (event) => {
      const row = rowOf(event);
      if (row && isDrawn(row.key) && (event.shiftKey || String(getSelection()) === '')) chooseMark({ key: row.key }, event.shiftKey || event.ctrlKey);
    });
    on(this.body, 'mousedown', (event) => { if (event.shiftKey) event.preventDefault(); }); // no text is marked
    on(this.body, 'pointerover', (event) => point(event.target.closest('tr')?.dataset.key));
    on(this.body, 'pointerleave', () => point());
    on(this.body, 'focusin', (event) => point(event.target.closest('tr')?.dataset.key));
    on(this.body, 'keydown', (event) => this.onKey(event, rowOf(event)));
  }

  onKey(event, row) {
    if (!row || event.target !== row.node) return;
    if (event.key === 'Escape') return choose([]);
    if (event.key === 'Enter' || event.key === ' ') {
      chooseMark({ key: row.key }, event.shiftKey);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const shown = this.rows.filter(({ node }) => !node.hidden && node.tabIndex >= -1);
      const next = shown[shown.indexOf(row) + (event.key === 'ArrowDown' ? 1 : -1)];
      if (next) {
        row.node.tabIndex = -1;
        next.node.tabIndex = 0;
        next.node.focus();
      }
    } else {
      return;
    }
    event.preventDefault();
  }
}

const isDrawn = (key) => key !== undefined && charts.some((chart) => chart.keys.has(key));

/** Dots whose every row a search or filter leaves out step back. */
function leaveOut() {
  const kept = new Set(), left = new Set();
  for (const { rows } of tables) for (const row of rows) (row.left ? left : kept).add(row.key);
  for (const chart of charts) {
    for (const dot of chart.dots) flag(dot.node, 'left', left.has(dot.key) && !kept.has(dot.key));
  }
}
