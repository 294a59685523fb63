import { afterAll, describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { type Browser, openBrowser, type Page } from '../../report/browser.js';
import { findTool } from '../../tools.js';
import { ACCOUNT, findUser } from '../open-sandbox.js';
import { listPages, openPages, type Pages } from './open-pages.js';

/* The pages in a real browser, as a person uses them. */

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

async function openPage(): Promise<Page> {
  findTool('chromium');
  browser ??= openBrowser();
  return (await browser).newPage();
}

/** In brackets, so that a check applies to the text and not only to the fallback. */
const textOf = (selector: string): string => `(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`;

/** Waits until the expression is true on a loaded page. Updates after an event and the rest of a page take time. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  const isSo = `document.readyState === 'complete' && Boolean(${expression})`;
  await expect.poll(() => page.evaluate<boolean>(isSo), { timeout: 10_000 }).toBe(true);
}

const WIDTHS = [380, 800, 1400];
const SCHEMES = ['light', 'dark'];

async function show(page: Page, width: number, scheme: string): Promise<void> {
  await page.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false });
  await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
}

/** The lowest contrast between any text and its background (WCAG 2, 1.4.3). */
const LOWEST_CONTRAST = `(() => {
  const read = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = read(color).slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (read(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  let lowest = 21;
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!hasText || element.getClientRects().length === 0) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
    lowest = Math.min(lowest, (a + 0.05) / (b + 0.05));
  }
  return lowest;
})()`;

describe('each page', () => {
  sweep(
    'fits any width, is readable in light and dark, executes nothing from the data, and labels its fields',
    async () => {
      const pages = await openPages();
      for (let i = 0; i < 3; i++)
        await pages.send('GET', `/api/v1/users/find?email=evil@example.com&n=${'long'.repeat(40)}`);
      const page = await openPage();
      for (const [name, path] of await listPages(pages)) {
        await page.open(pages.sandbox.url + path);
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        for (const width of WIDTHS) {
          for (const scheme of SCHEMES) {
            await show(page, width, scheme);
            const wider = await page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            );
            expect({ name, width, wider }).toEqual({ name, width, wider: 0 });
          }
        }
        for (const scheme of SCHEMES) {
          await show(page, 1400, scheme);
          const contrast = await page.evaluate<number>(LOWEST_CONTRAST);
          expect({ name, scheme, contrast, isEnough: contrast >= 4.5 }).toMatchObject({ name, isEnough: true });
        }
        const nameless = await page.evaluate(
          `[...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter((one) =>
          (one.labels?.length ?? 0) === 0 && one.getAttribute('aria-label') === null).map((one) => one.outerHTML)`,
        );
        expect({ name, nameless }).toEqual({ name, nameless: [] });
        const ids = await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map(({ id }) => id)");
        expect({ name, twice: ids.filter((id, i) => ids.indexOf(id) !== i) }).toEqual({ name, twice: [] });
        expect(await page.evaluate('document.title')).toMatch(/ – acme, sandbox$/);
      }
      expect(page.errors).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(pages.sandbox.url) && !url.startsWith('data:'))).toEqual([]);
    },
  );

  test('blocks any injected script and style by its policy', async () => {
    const { sandbox } = await openPages({ fixture: ACCOUNT });
    const page = await openPage();
    await page.open(sandbox.url);
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<b style="color:red" onclick="document.title=1">x</b>');
       document.body.lastElementChild.click();
       document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }));`,
    );
    expect(await page.evaluate('document.title')).toMatch(/^The account/);
    expect(page.errors.length).toBeGreaterThan(0);
    expect(page.errors.every((error) => error.includes('Content Security Policy'))).toBe(true);
  });

  sweep('by keyboard, leads past the navigation by the first Tab, and to the search by /', async () => {
    const { sandbox } = await openPages({ fixture: ACCOUNT });
    const page = await openPage();
    await page.open(`${sandbox.url}/users`);
    await page.press('Tab');
    expect(await page.evaluate(textOf(':focus'))).toBe('Skip to the content');
    await page.press('Enter');
    await untilTrue(page, "document.activeElement.id === 'main'");
    await page.press('/');
    await page.type('bjørn');
    await page.press('Enter');
    await untilTrue(page, "location.search.includes('q=')");
    await untilTrue(page, "document.readyState === 'complete'");
    expect(await page.evaluate("[...document.querySelectorAll('tbody th')].map((one) => one.innerText)")).toEqual([
      'Bjørn Berg',
    ]);
    expect(page.errors).toEqual([]);
  });

  sweep('by keyboard, reaches every control by Tab, within view', async () => {
    const { sandbox, send } = await openPages({ fixture: ACCOUNT });
    const { id } = await findUser(send, 'E1');
    const page = await openPage();
    await page.open(`${sandbox.url}/users/${id}`);
    const count = await page.evaluate<number>(
      `[...document.querySelectorAll('a, button, input, select, textarea, summary')].filter((one) => one.checkVisibility()).length`,
    );
    const seen = new Set<string>();
    for (let i = 0; i < count + 20; i++) {
      await page.press('Tab');
      const [key, isInSight] = await page.evaluate<[string, boolean]>(
        `(() => { const one = document.activeElement; const all = [...document.querySelectorAll('*')]; const { top, bottom } = one.getBoundingClientRect();
          return [String(all.indexOf(one)), one === document.body || (bottom > 0 && top < innerHeight)]; })()`,
      );
      expect(isInSight).toBe(true);
      seen.add(key);
    }
    expect(seen.size).toBeGreaterThanOrEqual(count);
  });

  const rows = "[...document.querySelectorAll('[data-calls] tbody tr')].map((one) => one.innerText)";

  async function openLive(pages: Pages, path: string): Promise<Page> {
    const page = await openPage();
    await page.open(pages.sandbox.url + path);
    await untilTrue(page, "document.getElementById('watch').textContent.includes('live')");
    return page;
  }

  sweep('shows its calls in the overview, and updates the numbers', async () => {
    const pages = await openPages({ fixture: ACCOUNT });
    const { id } = await findUser(pages.send, 'E1');
    const page = await openLive(pages, '/');
    await pages.send('PUT', `/api/v1/users/${id}`, { user: { deactivated: true } });
    await untilTrue(page, `${rows}[0]?.includes('PUT')`);
    const [row = ''] = await page.evaluate<string[]>(rows);
    for (const said of ['Anna Åsen', '200', 'Admin']) expect(row).toContain(said);
    await untilTrue(page, `${textOf('[data-count=active]')} === '2'`);
    for (let i = 0; i < 30; i++) await pages.send('GET', '/api/v1/countries');
    await untilTrue(page, `${rows}.length === 15 && ${rows}.every((one) => one.includes('countries'))`);
    // The script makes the same row as the server.
    const shape =
      "[...document.querySelector('[data-calls] tbody tr').children].map((one) => [one.tagName, one.dataset.name ?? '', one.className])";
    const made = await page.evaluate(shape);
    await page.open(pages.sandbox.url);
    expect(await page.evaluate(shape)).toEqual(made);
    expect(page.errors).toEqual([]);
  });

  sweep('updates lists without a reload', async () => {
    const pages = await openPages({ fixture: ACCOUNT });
    const page = await openLive(pages, '/users');
    const { id } = await findUser(pages.send, 'E1');
    await pages.send('PUT', `/api/v1/users/${id}`, { user: { name: 'Anna Ny' } });
    await untilTrue(page, `${textOf('table')}.includes('Anna Ny')`);
    expect(page.errors).toEqual([]);
  });

  sweep('updates a record that nobody is editing; keeps an edited one, and says so', async () => {
    const pages = await openPages({ fixture: ACCOUNT });
    const { id } = await findUser(pages.send, 'E1');
    const page = await openLive(pages, `/users/${id}`);
    await pages.send('PUT', `/api/v1/users/${id}`, { user: { name: 'Anna Ny' } });
    await untilTrue(page, `${textOf('h1')} === 'Anna Ny'`);
    await page.evaluate("document.querySelector('[name=telephone]').focus()");
    await page.type('4711');
    await pages.send('PUT', `/api/v1/users/${id}`, { user: { name: 'Anna Neu' } });
    await untilTrue(page, `${textOf('#changed')}.includes('changed since you opened it')`);
    expect(await page.evaluate("document.querySelector('[name=telephone]').value")).toBe('4711');
    await page.press('Enter');
    await untilTrue(page, `${textOf('[role=alert]')}.includes('Someone else changed this')`);
    expect(await page.evaluate("document.querySelector('[name=telephone]').value")).toBe('4711');
    expect(await findUser(pages.send, 'E1')).toMatchObject({ name: 'Anna Neu', telephone: null });
  });

  sweep('closes the connection of a hidden page, and catches up when it is shown again', async () => {
    const pages = await openPages({ fixture: ACCOUNT });
    const page = await openLive(pages, '/calls');
    const hide = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await hide('hidden');
    await pages.send('GET', '/api/v1/countries?missed=1');
    await hide('visible');
    await untilTrue(page, `${rows}[0]?.includes('missed=1')`);
    expect(page.errors).toEqual([]);
  });
});

sweep('without scripts, everything works except automatic updates', async () => {
  const pages = await openPages({ fixture: ACCOUNT });
  const { id } = await findUser(pages.send, 'E1');
  const page = await openPage();
  await page.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.open(`${pages.sandbox.url}/users`);
  await page.open(`${pages.sandbox.url}/users/${id}`);
  await page.evaluate(`document.querySelector('[name="title.en"]').focus()`);
  await page.type('Chief');
  await page.press('Enter');
  await untilTrue(page, `${textOf('[role=status].notice')} === 'Saved.'`);
  expect(await findUser(pages.send, 'E1')).toMatchObject({ title: { int: 'Chief' } });
  await page.evaluate("document.querySelector('form.inline button').focus()");
  await page.press('Enter');
  await untilTrue(page, `${textOf('.lead')}.includes('deactivated')`);
  await page.evaluate(`(() => { const details = document.querySelector('.removal summary'); details.focus(); })()`);
  await page.press('Enter');
  await page.press('Tab');
  await page.press('Enter');
  await untilTrue(page, "location.pathname === '/users' && document.querySelector('[role=status].notice') !== null");
  expect((await pages.send('GET', `/api/v1/users/${id}`)).status).toBe(404);
});
