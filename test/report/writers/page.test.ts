import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlannedChange } from '../../../src/model/plan.js';
import { renderHtml } from '../../../src/report/writers/html.js';
import { IS_THOROUGH, sweep } from '../../depth.js';
import { makeFolder } from '../../samples.js';
import { findTool } from '../../tools.js';
import { type Browser, openBrowser, type Page } from '../browser.js';
import { BOTH, EVIL, hold, leaver, mover, plannedOf, planReport, TRIP, textOfReport } from '../sample-report.js';

/* The page as a file in a real browser. */

/** Only sweeps count the results of filters. */
const COUNT = IS_THOROUGH ? 10_000 : 1_000;
const FIELD_GUARD = 'users.fields.title';
const CHANGES: readonly PlannedChange[] = [
  ...Array.from({ length: COUNT - 4 }, (_, i) =>
    mover(`E${i}`, `Person ${i} <p${i}@example.com>`, {
      entity: i % 2 === 0 ? 'users' : 'customers',
      withheld: [2, 4, 6].includes(i) ? { by: 'guard', name: FIELD_GUARD } : null,
    }),
  ),
  leaver('L1', `${EVIL} <evil@example.com>`),
  leaver('L2', 'ليلى حداد <layla@example.com>'),
  plannedOf('N1', { label: 'José Ångström', fields: ['name'], before: { name: null }, after: { name: EVIL } }),
  plannedOf('N2', { label: 'Zoë', approval: 'a1 by kim: ticket 4711' }),
];

let browser: Promise<Browser> | undefined;
let html = '';
beforeAll(async () => {
  const holds = [hold('7', 'SYNC_ROW_FIELDS', `the row says ${EVIL}`)];
  const trip = { ...TRIP, detail: EVIL };
  html = await textOfReport(
    renderHtml(await planReport(CHANGES, { holds, guards: [trip, { ...TRIP, guard: FIELD_GUARD, held: 3 }] })),
  );
});
afterAll(async () => (await browser)?.close());

async function openPage(): Promise<Page> {
  findTool('chromium');
  browser ??= openBrowser();
  return (await browser).newPage();
}

async function openReport(
  hash = '',
): Promise<Page & { labels(): Promise<readonly string[]>; status(): Promise<string> }> {
  const file = join(makeFolder(), 'report.html');
  writeFileSync(file, html);
  const page = await openPage();
  await page.open(`${pathToFileURL(file).href}${hash}`);
  return {
    ...page,
    labels: () => page.evaluate("[...document.querySelectorAll('tr.change .who > bdi')].map((one) => one.textContent)"),
    status: async () =>
      (await page.evaluate<string>("document.getElementById('status').textContent")).replaceAll('\u202f', ''),
  };
}

function choose(name: string, value: string): string {
  return `(() => { const field = document.getElementById('tools').elements['${name}']; field.value = ${JSON.stringify(value)};
    field.dispatchEvent(new Event('input', { bubbles: true })); })()`;
}

describe('the page in a browser', () => {
  it('opens from a file, loads nothing else, and has no errors', async () => {
    const page = await openReport();
    expect(await page.status()).toBe(`${COUNT} changes, 1 to 50 shown`);
    expect(page.requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(page.requests).toHaveLength(1);
    expect(page.errors).toEqual([]);
  });

  it('shows a name that contains a script as text', async () => {
    const page = await openReport('#q=evil');
    expect(await page.labels()).toEqual([EVIL]);
    await page.evaluate("document.querySelector('.toggle').click()");
    expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0);
    expect(await page.evaluate('document.title')).toMatch(/^Plan p2026/);
    expect(await page.evaluate("document.querySelector('#held').innerText")).toContain(EVIL);
    expect(await page.evaluate("document.querySelector('#guards').innerText")).toContain(EVIL);
    expect(page.errors).toEqual([]);
  });

  it('blocks any injected script and style by its policy', async () => {
    const page = await openReport();
    await page.evaluate(
      'document.body.insertAdjacentHTML(\'beforeend\', \'<b style="color:red" onclick="document.title=1">x</b>\')',
    );
    await page.evaluate(
      "document.body.lastElementChild.click(); document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))",
    );
    expect(await page.evaluate('document.title')).toMatch(/^Plan/);
    expect(page.errors.length).toBeGreaterThan(0);
    expect(page.errors.every((error) => error.includes('Content Security Policy'))).toBe(true);
  });

  sweep('finds values for the sources by source, column, value and meaning', async () => {
    const file = join(makeFolder(), 'both.html');
    writeFileSync(file, await textOfReport(renderHtml(await planReport(CHANGES.slice(0, 10), BOTH))));
    const page = await openPage();
    const labelsAt = async (hash: string): Promise<readonly string[]> => {
      await page.open(`${pathToFileURL(file).href}?${encodeURIComponent(hash)}#${hash}`);
      return page.evaluate(
        "[...document.querySelectorAll('tr.change .key > bdi:first-child')].map((one) => one.textContent)",
      );
    };
    expect(await labelsAt('entity=to%20hr')).toEqual(['E2', 'E4']);
    expect(await labelsAt('entity=to%20hr&state=waits')).toEqual(['E4']);
    expect(await labelsAt('field=to%20crm.deals.talent_id')).toEqual(['D9']);
    expect(await labelsAt('action=tell')).toHaveLength(3);
    expect(await labelsAt('q=%2B47%202%20reference')).toEqual([]);
    expect(await labelsAt('q=%2B47%202%20project')).toEqual(['D9']);
    await page.evaluate("document.querySelector('.toggle').click()");
    expect(await page.evaluate("document.querySelector('tr.detail').innerText")).toContain('known after apply');
    expect(page.errors).toEqual([]);
  });

  sweep('shows removals first', async () => {
    const page = await openReport();
    expect((await page.labels()).slice(0, 2)).toEqual([EVIL, 'ليلى حداد']);
  });

  sweep('filters by entity, action, state, field and words, and counts the results', async () => {
    const page = await openReport();
    await page.evaluate(choose('entity', 'customers'));
    expect(await page.status()).toBe('4998 of 10000 changes, 1 to 50 shown');
    await page.evaluate(choose('q', 'p77'));
    expect(await page.status()).toBe('56 of 10000 changes, 1 to 50 shown');
    await page.evaluate("document.querySelector('[type=reset]').click()");
    await page.evaluate(choose('state', 'approved'));
    expect(await page.labels()).toEqual(['Zoë']);
    await page.evaluate(choose('state', ''));
    await page.evaluate(choose('field', 'users.deactivated'));
    expect(await page.labels()).toHaveLength(2);
    await page.evaluate(choose('field', ''));
    await page.evaluate(choose('q', 'jose angstrom'));
    expect(await page.labels()).toEqual(['José Ångström']);
    await page.evaluate(choose('q', 'nobody at all'));
    expect(await page.status()).toBe('No change matches. Clear the filter to see all.');
    expect(page.errors).toEqual([]);
  });

  sweep('can be shared by its address: a filter, or a change', async () => {
    const filtered = await openReport('#entity=users&action=create&sort=label-desc');
    expect(await filtered.labels()).toEqual(['Zoë', 'José Ångström']);
    await filtered.evaluate("location.hash = '#change-id-users-E9000'");
    await expect.poll(() => filtered.evaluate('document.activeElement.dataset.id')).toBe('id-users-E9000');
    const one = await openReport('#change-id-users-E9000');
    expect(await one.evaluate('document.activeElement.dataset.id')).toBe('id-users-E9000');
    const detail = await one.evaluate<string>("document.getElementById('detail-id-users-E9000').innerText");
    expect(detail).toContain('title.en');
    expect(detail).toContain('Senior | `Consultant`');
    expect(await one.evaluate("document.querySelector('tr.detail ins').textContent")).toBe('Senior | `Consultant`');
  });

  sweep('shows the changes behind a number of the summary', async () => {
    const page = await openReport();
    await page.evaluate('document.querySelector(\'a[href="#entity=users&action=deactivate"]\').click()');
    await expect.poll(() => page.status()).toBe('2 of 10000 changes, 1 to 2 shown');
  });

  sweep('links a guard to its waiting changes, whatever it counts', async () => {
    const page = await openReport();
    const follow = (guard: string): Promise<unknown> =>
      page.evaluate(`document.querySelector('#guards a[href="#q=${guard}&state=waits"]').click()`);
    await follow(FIELD_GUARD);
    await expect.poll(() => page.labels()).toEqual(['Person 2', 'Person 4', 'Person 6']);
    await follow('users.deactivate');
    await expect.poll(() => page.status()).toBe('2 of 10000 changes, 1 to 2 shown');
  });

  sweep('works by keyboard: search, sort, open, continue', async () => {
    const page = await openReport();
    await page.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('q');
    await page.type('p1234@');
    expect(await page.labels()).toEqual(['Person 1234']);
    await page.evaluate(choose('q', 'p99'));
    await page.evaluate("document.querySelector('[data-sort=label]').focus()");
    await page.press('Enter');
    expect((await page.labels()).slice(0, 2)).toEqual(['Person 99', 'Person 990']);
    expect(await page.evaluate("document.activeElement.closest('th').getAttribute('aria-sort')")).toBe('ascending');
    await page.press('Enter');
    expect((await page.labels())[0]).toBe('Person 9995');
    await page.evaluate("document.querySelector('.toggle').focus()");
    await page.press('Enter');
    expect(await page.evaluate("document.querySelector('.toggle').getAttribute('aria-expanded')")).toBe('true');
    expect(
      await page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-controls')).className"),
    ).toBe('detail');
    await page.press('ArrowDown');
    await page.press('Enter');
    expect(await page.evaluate("document.querySelectorAll('tr.detail').length")).toBe(2);
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    expect(page.errors).toEqual([]);
  });

  sweep('moves by arrow keys from the search to the results, and across pages', async () => {
    const page = await openReport('#q=p12');
    await page.press('/');
    await page.press('ArrowDown');
    const at = () => page.evaluate<number>("[...document.querySelectorAll('.toggle')].indexOf(document.activeElement)");
    expect(await at()).toBe(0);
    await page.evaluate("[...document.querySelectorAll('.toggle')].at(-1).focus()");
    await page.press('ArrowDown');
    expect(await page.evaluate("document.getElementById('page').textContent")).toBe('Page 2 of 3');
    expect(await at()).toBe(0);
    await page.press('ArrowUp');
    expect(await page.evaluate("document.getElementById('page').textContent")).toBe('Page 1 of 3');
    expect(await at()).toBe(49);
    // The button of the last page is disabled, so the focus moves to its neighbour.
    await page.evaluate("document.getElementById('next').focus(); document.getElementById('next').click()");
    await page.evaluate("document.getElementById('next').click()");
    expect(await page.evaluate('document.activeElement.id')).toBe('previous');
  });

  sweep('shows every line of a long page, those below the screen a moment later', async () => {
    const page = await openReport();
    await page.evaluate("document.getElementById('size').value = '500'");
    await page.evaluate(choose('q', 'p1'));
    await expect.poll(async () => (await page.labels()).length, { timeout: 20_000 }).toBe(500);
    await page.evaluate(choose('q', 'p12'));
    await expect.poll(async () => (await page.labels()).length, { timeout: 20_000 }).toBe(111);
    expect(page.errors).toEqual([]);
  });

  sweep('turns pages, and prints all results of the filter', async () => {
    const page = await openReport('#q=p12');
    expect(await page.status()).toBe('111 of 10000 changes, 1 to 50 shown');
    await page.evaluate("document.getElementById('next').click()");
    expect(await page.evaluate("document.getElementById('page').textContent")).toBe('Page 2 of 3');
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.labels()).toHaveLength(111);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.labels()).toHaveLength(50);
  });

  sweep('gives every picture a name and a description, and every control a label', async () => {
    const page = await openReport();
    const pictures = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('svg')].map((one) => one.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent).join(': '))",
    );
    expect(pictures.length).toBeGreaterThan(3);
    expect(pictures.filter((text) => !/^.{5,}: .{5,}$/.test(text))).toEqual([]);
    const bare = await page.evaluate(
      "[...document.querySelectorAll('input, select')].filter((one) => one.labels.length === 0 || one.labels[0].textContent.trim() === '').length",
    );
    expect(bare).toBe(0);
    const ids = await page.evaluate<readonly string[]>("[...document.querySelectorAll('[id]')].map((one) => one.id)");
    expect(new Set(ids).size).toBe(ids.length);
  });

  sweep('is dark if the reader prefers that, and no wider than a telephone', async () => {
    const page = await openReport();
    const ground = 'getComputedStyle(document.body).backgroundColor';
    const light = await page.evaluate(ground);
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
    expect(await page.evaluate(ground)).not.toBe(light);
    await page.send('Emulation.setEmulatedMedia', {
      media: 'print',
      features: [{ name: 'prefers-color-scheme', value: 'dark' }],
    });
    expect(await page.evaluate(ground)).toBe(light);
    await page.send('Emulation.setEmulatedMedia', { media: '' });
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 400,
      height: 800,
      deviceScaleFactor: 1,
      mobile: false,
    });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });
});
