'use strict';
// The page with scripts on: it has all that it has without, and what follows.

/** Words that a browser shows itself over a mark would lie over the card. */
function takeTitles(chart) {
  for (const node of chart.svg.querySelectorAll(marks)) {
    const title = node.querySelector('title');
    node.mark.title = title?.textContent.split('\n') ?? [node.mark.data.name ?? ''];
    title?.remove();
    if (node.hasAttribute('tabindex')) {
      put(node, 'aria-label', node.mark.title.join('; ').slice(0, 400));
      put(node, 'role', 'button');
      put(node, 'aria-pressed', false);
      put(node, 'tabindex', node === chart.svg.querySelector(`:is(${marks})[tabindex]`) ? '0' : '-1');
    }
  }
}

/** Which scheme the page and its pictures take: the reader's, or the other. */
function schemeButton() {
  const rules = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (rule.media?.mediaText.includes('prefers-color-scheme: dark')) rules.push(rule.media);
  }
  let dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const node = button('', '', () => {
    dark = !dark;
    for (const media of rules) media.mediaText = dark ? 'screen' : 'not all';
    document.documentElement.style.colorScheme = dark ? 'dark' : 'light';
    name();
  });
  const name = () => {
    node.textContent = dark ? 'Light' : 'Dark';
    node.title = `${dark ? 'Light' : 'Dark'} colours`;
    put(node, 'aria-label', node.title);
  };
  node.className = 'scheme';
  name();
  return node;
}

/** Of thousands of dots the narrow picture of a pair has no more than the place: the rest is that of the wide one before it. */
function takeData({ previousElementSibling: wide }, svg) {
  const others = wide.querySelectorAll('.dot');
  svg.querySelectorAll('.dot').forEach((node, i) => { Object.assign(node.dataset, others[i]?.dataset); });
}

/** Makes a chart of each picture that is shown: of a pair, for wide windows and narrow ones, the other is made when the window becomes so. */
function addCharts() {
  for (const region of document.querySelectorAll('.chart:not(.made)')) {
    if (getComputedStyle(region).display === 'none') continue;
    const svg = region.querySelector('svg');
    if (region.matches('.narrow')) takeData(region, svg);
    const chart = new Chart(svg, region);
    region.classList.add('made');
    chart.keys = new Set([...svg.querySelectorAll(marks)].map(({ mark }) => mark.key));
    charts.push(chart);
    takeTitles(chart);
    addTools(chart);
    addZoom(chart);
    addCards(chart);
    showChosen(chart);
  }
  leaveOut();
}

function start() {
  const main = document.querySelector('main');
  live = html('div', { className: 'live' });
  put(live, 'role', 'status');
  put(live, 'aria-live', 'polite');
  card = html('div', { className: 'card', hidden: true });
  put(card, 'aria-hidden', true);
  addCharts();
  on(matchMedia('(max-width:49.99rem)'), 'change', addCharts);
  for (const node of main.querySelectorAll('table')) if (node.tHead && node.tBodies[0]) tables.push(new Table(node));
  main.append(live);
  document.body.append(card);
  main.prepend(schemeButton());
}

start();
