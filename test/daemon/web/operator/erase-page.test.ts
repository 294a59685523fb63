import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.js';
import { sweep } from '../../../depth.js';
import { person, type Yaml } from '../../../scenarios/company.js';
import { openStory } from '../../../scenarios/kit.js';
import { tenant } from './facts.js';
import { Browser, openPages } from './pages.js';

const GRANTS = (['privacy', 'other', 'veiled', 'operator'] as const).map((name) => ({
  role: name === 'operator' ? ('operator' as const) : ('privacy' as const),
  who: [`${name}@example.com`],
  groups: [],
  tenants: null,
  pseudonyms: name === 'veiled',
}));

async function open(patch: { readonly [key: string]: Yaml } = {}, isLocal = false) {
  const story = await openStory();
  story.configure(patch);
  story.deliver([person('E1', { first: 'Åse', last: 'Quimby' }), person('E2')]);
  await story.sync();
  const config = loadConfig(join(story.folder, 'talent-sync.yaml'), story.env);
  const start = new Date(story.clock.now()).toISOString();
  const pages = await openPages({
    settings: { grants: GRANTS },
    tenants: [{ ...tenant('acme'), config }],
    start,
    isLocal,
  });
  const browser = new Browser(pages.url);
  const headers = (who: string) => ({
    authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`,
    accept: 'text/html',
  });
  const path = '/tenants/acme/people/user/E1';
  return {
    story,
    path,
    browser,
    get: (at: string, who = 'privacy') => browser.get(at, headers(who)),
    erase: (fields: Record<string, string>, who = 'privacy') =>
      browser.postAs(`${path}/erase`, { name: 'Åse Quimby', reason: 'request 4711', ...fields }, headers(who)),
  };
}

it('lists everything first, requires the name and a case number, and erases', async () => {
  const { story, path, get, erase } = await open();
  expect((await get(path)).text).toContain('Erase this person');
  for (const [who, said] of [
    ['operator', 'Erasing a person needs the role privacy.'],
    ['veiled', 'You see people under pseudonyms'],
  ] as const) {
    const { text } = await get(path, who);
    expect(text).toContain(said);
    expect(text).not.toContain('Erase this person');
  }
  for (const who of ['operator', 'veiled']) expect((await get(`${path}/erase`, who)).status).toBe(403);
  const { text } = await get(`${path}/erase`);
  expect(text).toContain('<title>Erase Åse Quimby');
  expect(text).toMatch(/1 audit entry about the person.*link with its last agreed values/s);
  story.takeWrites();

  for (const [fields, said] of [
    [{ name: 'Person E2' }, 'This is not the name of the person'],
    [{ reason: 'for Åse Quimby' }, 'names the person'],
    [{ reason: '' }, 'Give a reason'],
  ] as const)
    expect((await erase(fields)).text).toContain(said);
  expect((await get(path)).text).toContain('Quimby');

  const erased = await erase({ name: 'åse quimby' });
  expect([erased.status, erased.text]).toEqual([200, expect.stringMatching(/<title>Erased.*1 audit entry about/s)]);
  expect([(await get(path)).status, story.takeWrites()]).toEqual([404, []]);
  expect((await get('/tenants/acme/audit')).text).toMatch(/privacy@example\.com.*erased a person.*request 4711/s);
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('needs two people if approvals do', async () => {
  const { path, get, erase } = await open({ approvals: { four_eyes: true } });
  expect((await erase({})).text).toContain('<title>Requested, not erased yet');
  expect((await get(`${path}/erase`, 'other')).text).toContain('has requested the erasure');
  expect((await erase({})).status).toBe(409);
  expect((await get(path)).text).toContain('Quimby');
  expect((await erase({}, 'other')).text).toContain('<title>Erased');
  expect((await get(path)).status).toBe(404);
});

it('lets the person at this machine erase someone without a log-in', async () => {
  const { path, browser } = await open({}, true);
  expect((await browser.get(path)).text).toContain('Erase this person');
  const fields = { name: 'Åse Quimby', reason: 'request 4711' };
  expect((await browser.post(`${path}/erase`, fields, `${path}/erase`)).text).toContain('<title>Erased');
  expect((await browser.get('/tenants/acme/audit')).text).toContain('<bdi>someone at this computer</bdi>');
});
