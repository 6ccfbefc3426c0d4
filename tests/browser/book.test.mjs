// The book: its search finds sections by their headings and words, offline.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { accessible, counts, eventually, fits, opened, says, scratch, source } from './lib.mjs';

const lacking = spawnSync('lowdown', ['-V']).error && 'no lowdown: apt install lowdown';
const path = join(scratch, 'book.html');
before(() => {
  if (!lacking) execFileSync('sh', [join(source, 'packaging/book/build.sh'), join(source, 'docs'), path, '1.2.3']);
});

test('a search lists sections, headings first, and a click leads there', { skip: lacking }, async () => {
  const { page, problems, close } = await opened(path);
  const search = page.getByRole('searchbox', { name: 'Search' }), found = page.locator('#found li');
  await search.fill('claims README');
  await says(found.first().locator('a'), 'Claims in a README');
  await page.locator('#pages').waitFor({ state: 'hidden' });
  await found.first().locator('a').click();
  await eventually(async () => assert.equal(await page.evaluate(() => location.hash), '#gate--claims-in-a-readme'));
  await page.locator('#gate--claims-in-a-readme').waitFor();
  await accessible(page);
  await search.fill('ridge');
  await eventually(async () => assert.ok(await found.count() > 5));
  await search.fill('nosuchword');
  await says(found, 'nothing found');
  await search.fill('');
  await counts(found, 0);
  await page.locator('#pages').waitFor();
  assert.deepEqual(problems, []);
  await close();
});

test('it fits a phone', { skip: lacking }, async () => {
  const { page, close } = await opened(path, { width: 400, height: 800 });
  await fits(page);
  await close();
});
