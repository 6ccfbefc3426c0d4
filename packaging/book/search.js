// Sections that have all words typed: those that have them in their heading first, then by how often.
(() => {
  const most = 30;
  const input = document.getElementById('search');
  const found = document.getElementById('found');
  const pages = document.getElementById('pages');
  let sections;

  const read = () => {
    const all = [];
    for (const article of document.querySelectorAll('article')) {
      let section;
      for (const part of article.children) {
        if (/^H[1-6]$/.test(part.tagName)) {
          section = { id: part.id, title: part.textContent, page: article.querySelector('h1')?.textContent ?? article.id, text: '' };
          all.push(section);
        } else if (section) {
          section.text += ' ' + part.textContent;
        }
      }
    }
    for (const section of all) {
      section.text = section.text.replace(/\s+/g, ' ');
      section.small = section.text.toLowerCase();
      section.heading = section.title.toLowerCase();
    }
    return all;
  };

  const points = (section, words) => {
    let sum = 0;
    for (const word of words) {
      const times = section.small.split(word).length - 1;
      const titled = section.heading.includes(word);
      if (!times && !titled) return 0;
      sum += Math.min(times, 10) + (titled ? 100 : 0);
    }
    return sum;
  };

  const entry = (section, words) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = '#' + section.id;
    link.textContent = section.title;
    const where = document.createElement('small');
    const at = Math.max(0, section.small.indexOf(words[0]) - 30);
    where.textContent = `${section.page}: …${section.text.slice(at, at + 90)}…`;
    item.append(link, where);
    return item;
  };

  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    pages.hidden = words.length > 0;
    sections ??= read();
    const hits = words.length === 0 ? [] : sections.map((section) => ({ section, points: points(section, words) })).filter((hit) => hit.points > 0);
    hits.sort((a, b) => b.points - a.points);
    found.replaceChildren(...hits.slice(0, most).map((hit) => entry(hit.section, words)));
    if (words.length > 0 && hits.length === 0) {
      found.append(Object.assign(document.createElement('li'), { textContent: 'nothing found' }));
    }
  };
  input.addEventListener('input', search);
})();
