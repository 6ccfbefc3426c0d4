'use strict';
// Copies: a chart as SVG or PNG, a table as CSV; to the clipboard, or as a file.

/** The picture as it is shown now, on its own. */
function svgText(chart) {
  const copy = chart.svg.cloneNode(true), nodes = copy.querySelectorAll(marks);
  chart.svg.querySelectorAll(marks).forEach(({ mark }, i) => nodes[i].prepend(element('title', {}, mark.title.join('\n'))));
  for (const node of copy.querySelectorAll('.out, .off, .crowded, .lasso, clipPath:empty')) node.remove();
  for (const node of copy.querySelectorAll('[aria-pressed]')) node.removeAttribute('aria-pressed');
  copy.classList.remove('lone', 'blended');
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Twice as many pixels as the picture has units: sharp on paper too. */
async function pngBlob(chart) {
  const { width, height } = chart.svg.viewBox.baseVal, picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(chart))}`;
  await picture.decode();
  const canvas = html('canvas', { width: 2 * width, height: 2 * height });
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, 'image/png'); });
}

/** A cell that begins as a formula would is text to a spreadsheet with a quote before it. */
function csvCell(words) {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(words) ? `'${words}` : words;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows that are shown, numbers in SI units. */
function csvText(table) {
  const line = (cells) => `${cells.map(csvCell).join(',')}\n`;
  const rows = table.rows.filter(({ node }) => !node.hidden);
  return line(table.heads.map(({ name }) => name)) + rows.map(({ node }) => line([...node.cells].map((cell) => cell.dataset.value ?? cell.textContent))).join('');
}

function save(blob, name) {
  const link = html('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say(`Saved as ${name}`);
}

const fileName = (ending) => `${document.title.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'roofline'}.${ending}`;

async function copyText(text, type, ending) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${ending.toUpperCase()} is in the clipboard`);
  } catch {
    save(new Blob([text], { type }), fileName(ending));
  }
}

async function copyPng(chart) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngBlob(chart) })]);
    say('PNG is in the clipboard');
  } catch {
    save(await pngBlob(chart), fileName('png'));
  }
}

function copyMenu(chart) {
  const svg = 'image/svg+xml';
  return menu('Copy',
    button('Copy SVG', 'Copy SVG of the chart', () => copyText(svgText(chart), svg, 'svg')),
    button('Copy PNG', 'Copy PNG of the chart', () => copyPng(chart)),
    button('Save SVG', 'Save SVG of the chart', () => save(new Blob([svgText(chart)], { type: svg }), fileName('svg'))),
    button('Save PNG', 'Save PNG of the chart', async () => save(await pngBlob(chart), fileName('png'))));
}
