import { expect, it } from 'vitest';
import { APPROVE } from '../../../../src/operations/approve.js';
import { sweep } from '../../../depth.js';
import { person, type Yaml } from '../../../scenarios/company.js';
import { openFleet } from '../../fleet.js';
import { Browser, openPages } from './pages.js';

const GRANTS = (['approver', 'operator', 'other'] as const).map((name) => ({
  role: name === 'approver' ? ('approver' as const) : ('operator' as const),
  who: [`${name}@example.com`],
  groups: [],
  tenants: null,
  pseudonyms: false,
}));

/** A daemon whose first run has created two accounts, with its pages. */
async function open(patch: { readonly [key: string]: Yaml } = {}) {
  const fleet = await openFleet('2026-11-23T07:59:30.000Z');
  const acme = await fleet.addTenant('acme', patch);
  acme.deliver([person('E1'), person('E2')]);
  const daemon = fleet.openDaemon();
  await daemon.start();
  await daemon.idle();
  const pages = await openPages({ daemon, settings: { grants: GRANTS } });
  const browser = new Browser(pages.url);
  const headers = (who: string) => ({
    authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`,
    accept: 'text/html',
  });
  const get = (path: string, who = 'operator') => browser.get(path, headers(who));
  const post = (path: string, fields: Record<string, string>, who = 'operator') =>
    browser.postAs(path, fields, headers(who));
  /** The page to which the request leads once it has ended. */
  const follow = async (asked: { readonly location: string | null }): Promise<string> => {
    await daemon.idle();
    return (await get(asked.location ?? '')).location ?? '';
  };
  const runOf = async (): Promise<string> => {
    const { text } = await get('/tenants/acme/runs');
    return /\/tenants\/acme\/runs\/(r\w+-\w+)/.exec(text)?.[1] ?? '';
  };
  const planUndo = async (run: string, only = ''): Promise<string> =>
    follow(await post(`/tenants/acme/runs/${run}/undo`, { only }));
  const active = () => (acme.sandbox.state().users as { deactivated: boolean }[]).filter((one) => !one.deactivated);
  return { fleet, acme, daemon, get, post, follow, runOf, planUndo, active };
}

it('shows the plan of an undo, writes nothing before it is confirmed, and leads to the result', async () => {
  const { fleet, acme, daemon, get, post, follow, runOf, planUndo, active } = await open();
  await fleet.walk(daemon, '2026-11-23T08:00:00Z');
  expect(acme.takeWrites()).toBe(2);
  const run = await runOf();
  expect((await get(`/tenants/acme/runs/${run}`)).text).toContain('Undo this run');
  expect((await get(`/tenants/acme/runs/${run}`, 'approver')).text).not.toContain('Undo this run');
  expect((await post(`/tenants/acme/runs/${run}/undo`, {}, 'approver')).status).toBe(403);

  const plan = await planUndo(run, 'E1');
  expect(plan).toMatch(/^\/tenants\/acme\/plans\/p/);
  expect((await get(plan)).text).toMatch(/This plan undoes what .*an earlier run.* did.*It makes 1 change,/s);
  expect([acme.takeWrites(), active().length]).toEqual([0, 2]);
  // A link to the newest plan leads to a plan from the sources.
  const newest = await get('/tenants/acme/plans/newest', 'approver');
  expect([newest.status, newest.text.includes('This plan undoes')]).toEqual([200, false]);
  const { plan: id } = JSON.parse((await get('/api/tenants/acme/plans/newest')).text) as { readonly plan: string };
  expect(plan).not.toContain(id);
  // The inbox leads back to the plan.
  expect((await get('/inbox')).text).toMatch(new RegExp(`href="${plan}">.*An undo of 1 change`));
  const failed = await post(`${plan}/undo`, { reason: 'wrong file' });
  expect([failed.status, failed.text]).toEqual([400, expect.stringContaining('You wrote: <bdi>wrong file</bdi>')]);
  expect((await post(`${plan}/undo`, { looked: 'yes' })).status).toBe(400);
  const done = await follow(await post(`${plan}/undo`, { reason: 'wrong file', looked: 'yes' }));
  expect(done).toMatch(/^\/tenants\/acme\/runs\/r/);
  expect([acme.takeWrites(), active().length]).toEqual([1, 1]);
  expect((await get('/inbox')).text).not.toContain('An undo of');
  // The entry names the person and the reason, and the filter by decider finds it.
  const told = (await get('/tenants/acme/audit?by=operator@example.com&kind=changes')).text;
  expect(told).toMatch(/deactivated, because .*operator@example\.com.* undid run .*wrong file/);
  expect((await get('/tenants/acme/runs')).text).toContain(`undo of <a href="/tenants/acme/runs/${run}">`);
});

sweep('finds the person of an undo by name, and begins with one from their story', async () => {
  const { fleet, daemon, get, post, runOf, planUndo } = await open();
  await fleet.walk(daemon, '2026-11-23T08:00:00Z');
  const run = await runOf();
  const story = (await get('/tenants/acme/people/user/E1')).text;
  const link = `/tenants/acme/runs/${run}?undo=E1#undo-run`;
  expect(story).toContain(`href="${link}">undo</a>`);
  expect((await get('/tenants/acme/people/user/E1', 'approver')).text).not.toContain('>undo</a>');
  expect((await get(link.replace(/#.*/, ''))).text).toMatch(/<details class="removal" open>.*value="E1"/s);
  expect(await planUndo(run, 'e1@example.com')).toMatch(/plans\/p/);
  const several = await post(`/tenants/acme/runs/${run}/undo`, { only: 'Person' });
  expect([several.status, several.text]).toEqual([
    400,
    expect.stringMatching(/2 people match “Person”: Person E1 \(E1\), Person E2 \(E2\)\. /),
  ]);
});

it('needs two people if the run needed two', async () => {
  const patch = { approvals: { four_eyes: true }, guards: { users: { create: { max: 0 }, deactivate: { max: 9 } } } };
  const { fleet, acme, daemon, get, post, follow, runOf, planUndo, active } = await open(patch);
  await fleet.walk(daemon, '2026-11-23T08:00:00Z');
  const config = daemon.configOf('acme');
  if (config === null) throw new Error('it has no configuration');
  for (const by of ['kim@example.com', 'jane@example.com'])
    await APPROVE.perform(
      { config, clock: fleet.clock, by, via: 'person' },
      { guard: 'users.create', reason: 'new office' },
    );
  await fleet.walk(daemon, '2026-11-23T08:15:00Z');
  expect(acme.takeWrites()).toBe(2);

  const plan = await planUndo(await runOf());
  const word = { reason: 'wrong file', looked: 'yes' };
  expect((await post(`${plan}/undo`, word)).location).toBe(plan);
  expect((await get(plan, 'other')).text).toContain('operator@example.com</bdi> has confirmed it: ');
  expect((await post(`${plan}/undo`, word)).status).toBe(409);
  expect([acme.takeWrites(), active().length]).toEqual([0, 2]);
  await follow(await post(`${plan}/undo`, { ...word, reason: 'yes, wrong' }, 'other'));
  expect(active()).toHaveLength(0);
});
