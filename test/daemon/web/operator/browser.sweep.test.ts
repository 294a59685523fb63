import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.js';
import { readFacts } from '../../../../src/daemon/tenants/tenant-facts.js';
import { openStores } from '../../../../src/store/open-stores.js';
import { oneIn, sweep } from '../../../depth.js';
import { ROOT } from '../../../module-graph.js';
import { type Browser, openBrowser, type Page } from '../../../report/browser.js';
import { person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { findTool } from '../../../tools.js';
import { STATUS, tenant } from './facts.js';
import { openPages } from './pages.js';

/* The pages without a log-in, in a real browser: used by keyboard, and checked by the rules of WCAG. */

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

let browser: Promise<Browser> | undefined;
afterAll(async () => (await browser)?.close());

async function newPage(): Promise<Page> {
  findTool('chromium');
  browser ??= openBrowser();
  return (await browser).newPage();
}

const SCRIPT = '<img src=x onerror=alert(1)>';

interface Opened {
  readonly story: Story;
  readonly url: string;
  /** The id of a conflict about a telephone number. */
  readonly conflict: string;
}

/** A conflict, an unusable row, a person who starts later, and a name that contains a script. */
async function open(): Promise<Opened> {
  const story = await openStory();
  story.configure({
    conflicts: 'hold',
    sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
    users: { joiner: { start: 'record.?rank', lead: '3d' }, fields: { telephone: 'record.?phone' } },
  });
  story.deliver([person('E1', { phone: '1' }), person('E4')]);
  await story.sync();
  await story.editUser('E1', { telephone: '2' });
  story.deliver([
    person('E1', { phone: '3' }),
    person('E2', { first: 'Ada', rank: '2099-05-01' }),
    person('E3', { email: `${SCRIPT}@example.com` }),
    person('E4', { last: SCRIPT }),
  ]);
  await story.sync();
  const file = join(story.folder, 'talent-sync.yaml');
  const config = loadConfig(file, story.env);
  const list = () => {
    const stores = openStores(config.state);
    const facts = readFacts(config, stores, new Date().toISOString(), null);
    stores.close();
    return [{ ...tenant('acme'), config, text: readFileSync(file, 'utf8'), status: { ...STATUS, facts } }];
  };
  const tenants = list();
  const conflict = tenants[0]?.status.facts.waiting.find(({ kind }) => kind === 'conflict')?.id ?? '';
  const pages = await openPages({ isLocal: true, tenants });
  return { story, url: pages.url, conflict };
}

/** Returns violations of WCAG 2.2 AA on the page, and reports a page wider than the screen. */
async function judge(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${AXE}; 0`);
  return page.evaluate<readonly string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
    ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the screen: ' + document.documentElement.scrollWidth] : []),
  ])`);
}

describe('the pages in a browser', () => {
  it('keep the rules of WCAG at three widths, in both colour schemes, and execute nothing from the data', async () => {
    const { url, conflict } = await open();
    const page = await newPage();
    const paths = ['/', '/inbox', '/inbox?calm=yes', '/tenants/acme', `/tenants/acme/waiting/${conflict}`];
    const more = ['people', 'people?q=e', 'people/explain?q=E4', 'audit', 'audit/check', 'configuration'];
    const found: string[] = [];
    for (const path of oneIn(2, [...paths, ...more.map((name) => `/tenants/acme/${name}`)], 6)) {
      await page.open(`${url}${path}`);
      for (const [width, value] of [
        [390, 'dark'],
        [900, 'dark'],
        [1_400, 'light'],
      ] as const) {
        await page.send('Emulation.setDeviceMetricsOverride', {
          width,
          height: 900,
          deviceScaleFactor: 1,
          mobile: false,
        });
        await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
        found.push(...(await judge(page)).map((one) => `${path} at ${width}: ${one}`));
      }
      expect(await page.evaluate("document.querySelectorAll('img').length")).toBe(0);
    }
    expect(found).toEqual([]);
    expect(page.errors).toEqual([]);
  }, 120_000);

  sweep('let a person answer a conflict from the inbox by keyboard', async () => {
    const { story, url } = await open();
    const page = await newPage();
    await page.open(`${url}/inbox`);
    await pressTo(page, 'Conflict of');
    await follow(page);
    expect(await page.evaluate('document.querySelector("table.sides").innerText')).toContain('"3"');
    await pressTo(page, 'Reason');
    await page.type('she told us');
    await pressTo(page, 'Keep the service’s value');
    await follow(page);
    expect(page.errors).toEqual([]);
    const { stdout } = await story.type('audit', 'list', '--json');
    const { entries } = JSON.parse(stdout) as { readonly entries: readonly unknown[] };
    expect(entries.at(-1)).toMatchObject({
      kind: 'conflict resolved',
      by: 'someone at this computer',
      winner: 'service',
    });
  });

  sweep('let a person find someone, see her first day, and verify the audit by keyboard', async () => {
    const { url } = await open();
    const page = await newPage();
    await page.open(`${url}/tenants/acme/people`);
    await pressTo(page, 'Key, e-mail');
    await page.type('ada');
    await follow(page);
    await pressTo(page, 'E2');
    await follow(page);
    expect(await page.evaluate('document.querySelector("main").innerText')).toContain(
      'starts later (first day 2099-05-01)',
    );
    await pressTo(page, 'Audit');
    await follow(page);
    await pressTo(page, 'Export CSV');
    await follow(page);
    expect(page.requests.at(-1)).toMatch(/\/audit\/export\?.*format=csv$/);
    await pressTo(page, 'Check the chain');
    await follow(page);
    expect(await page.evaluate('document.querySelector("h1").innerText')).toBe('The audit log is intact');
  });
});

/** Presses Tab until an element of this name has the focus. */
async function pressTo(page: Page, name: string): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await page.press('Tab');
    const at = await page.evaluate<string>(
      "(document.activeElement.labels?.[0] ?? document.activeElement).innerText ?? ''",
    );
    if (at.includes(name)) return;
  }
  throw new Error(`Nothing that the keyboard reaches is called "${name}".`);
}

/** Presses Enter and waits for the next page. */
async function follow(page: Page): Promise<void> {
  const before = page.requests.length;
  await page.press('Enter');
  for (let i = 0; i < 200; i += 1) {
    const isThere =
      page.requests.length > before &&
      (await page.evaluate<string>('document.readyState').catch(() => '')) === 'complete';
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
