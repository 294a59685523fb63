import { join } from 'node:path';
import type { Role } from '../../../../src/config/access/roles.js';
import { loadConfig } from '../../../../src/config/load.js';
import type { TenantStatus } from '../../../../src/daemon/tenants/tenant.js';
import { closeAfterTest } from '../../../closing.js';
import { type Browser, openBrowser, type Page } from '../../../report/browser.js';
import { person, type Yaml } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { findTool } from '../../../tools.js';
import { tenant } from './facts.js';
import { type OpenedPages, openPages } from './pages.js';

/** The role of each person for `acme`. The key is the role's name; `approver2` is a second person. */
const PEOPLE: readonly (readonly [who: string, role: Role, pseudonyms: boolean])[] = [
  ['viewer', 'viewer', true],
  ['approver', 'approver', false],
  ['approver2', 'approver', false],
  ['operator', 'operator', false],
];

export const GRANTS = PEOPLE.map(([who, role, pseudonyms]) => ({
  ...{ role, who: [`${who}@example.com`], groups: [], tenants: ['acme'] },
  pseudonyms,
}));

const IDLE: TenantStatus = {
  ...{ phase: 'idle', because: null, nextMs: null, awayInARow: 0, facts: null, channels: [] },
  limiter: { waitedMs: 0, limited: 0, requestsPerSecond: null, inFlight: 0, queued: 0 },
};

export interface HeldLeavers {
  readonly story: Story;
  readonly pages: OpenedPages;
  /** Returns the newest run. */
  run(): Promise<string>;
  readonly grants: typeof GRANTS;
  /** Sets the status that the daemon reports for the tenant. */
  setStatus(status: Partial<TenantStatus>): void;
  headers(who: string): { readonly authorization: string; readonly accept: string };
}

/** The account has 60 people. Then 49 of them leave, and a guard holds them. */
export async function openHeldLeavers(configuration: { readonly [key: string]: Yaml } = {}): Promise<HeldLeavers> {
  const story = await openStory();
  story.configure(configuration);
  const people = Array.from({ length: 60 }, (_one, i) =>
    person(`E${i + 1}`, {
      first: i === 0 ? 'Åse' : 'Person',
      office: i % 2 === 0 ? 'Oslo' : 'Bergen',
      title: 'Adviser',
    }),
  );
  story.deliver(people);
  await story.type('sync');
  story.deliver(people.map((one, i) => (i < 2 ? { ...one, status: 'left' } : one)));
  await story.type('sync');
  story.clock.advance(24 * 3_600_000);
  story.deliver(people.slice(2).map((one, i) => (i < 49 ? { ...one, status: 'left' } : one)));
  await story.type('sync');
  const config = () => loadConfig(join(story.folder, 'talent-sync.yaml'), story.env);
  let status: TenantStatus | null = null;
  const pages = await openPages({
    settings: { grants: GRANTS },
    tenants: [
      {
        ...tenant('acme'),
        config: config(),
        get status() {
          return status;
        },
      },
      tenant('globex'),
    ],
  });
  pages.clock.set(new Date(story.clock.now()).toISOString());
  return {
    story,
    pages,
    grants: GRANTS,
    setStatus(more) {
      status = { ...IDLE, ...more };
    },
    run: async () => (await story.runs()).json.runs[0]?.id ?? '',
    headers: (who) => ({ authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`, accept: 'text/html' }),
  };
}

/** A window of a real browser with a person logged in. */
export interface Window extends Page {
  /** Scrolls to the element of the selector and clicks it. */
  click(selector: string): Promise<void>;
  /** Waits until the expression is true on the page. */
  until(expression: string): Promise<void>;
  textOf(selector: string): Promise<string>;
}

export async function openChromium(): Promise<Browser> {
  findTool('chromium');
  const browser = await openBrowser();
  closeAfterTest(browser);
  return browser;
}

export async function openWindow(browser: Browser, pages: OpenedPages, who: string, path: string): Promise<Window> {
  const page = await browser.newPage('apart');
  const window: Window = {
    ...page,
    async click(selector) {
      const at = await page.evaluate<readonly [number, number]>(
        `(() => { const one = document.querySelector(${JSON.stringify(selector)}); one.scrollIntoView({ block: 'center' });
          const { x, y, width, height } = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; })()`,
      );
      const [x, y] = at;
      for (const type of ['mousePressed', 'mouseReleased'])
        await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    async until(expression) {
      for (let i = 0; i < 200; i++) {
        const isSo = await page
          .evaluate<boolean>(`document.readyState === 'complete' && Boolean(${expression})`)
          .catch(() => false);
        if (isSo) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`It never was so: ${expression}\n${await page.evaluate('document.body.innerText')}`);
    },
    textOf: (selector) => page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`),
  };
  await page.open(`${pages.url}/login?to=${encodeURIComponent(path)}`);
  await page.evaluate(`document.querySelector('[name=token]').focus()`);
  await page.type(pages.giveToken(`${who}@example.com`));
  await page.press('Enter');
  await window.until(`location.pathname === ${JSON.stringify(path)}`);
  return window;
}
