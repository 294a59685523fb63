import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story } from './kit.js';

/** The same machine under another host name. */
const renamed = (url: string): string => url.replace('127.0.0.1', 'localhost');
const people = Array.from({ length: 12 }, (_, index) => person(`E${10 + index}`));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.deliver(people);
  story.deliverCompanies([{ id: 'C1', name: 'Acme' }]);
  story.deliverDeals([]);
  expect((await story.sync()).json.failed).toEqual([]);
  return story;
}

const move = async (story: Story, to: string) => {
  const { code, stdout } = await story.type('state', 'move', '--to', to, '--json');
  return { code, json: JSON.parse(stdout) };
};

test('moves an account to another host name, with links and audit', async () => {
  const story = await openCompany();
  const to = renamed(story.sandbox.url);
  story.configure({ service: { base_url: to } });
  const { error } = await story.sync();
  expect(error).toMatchObject({ code: 'SYNC_STATE_OTHER_ACCOUNT' });
  expect(error?.remedy).toContain(`\`talent-sync state move --to ${to}\``);
  const audited = (await story.verify()).json.entries;
  story.takeWrites();
  expect(await move(story, `${to}/`)).toEqual({
    code: 0,
    json: { from: '127.0.0.1', to: 'localhost', moved: true, compared: { users: 12, customers: 1, found: 13 } },
  });
  expect((await story.verify()).json).toMatchObject({ ok: true, entries: audited + 1 });
  expect((await story.type('audit', 'list')).stdout).toContain('from 127.0.0.1 to localhost');
  expect((await story.sync()).json).toMatchObject({ counts: {}, held: [], done: 0 });
  expect(story.takeWrites()).toEqual([]);
  expect(await move(story, to)).toMatchObject({ code: 0, json: { moved: false } });
  // The old address is a different one now, whichever is configured.
  story.configure({ service: { base_url: story.sandbox.url } });
  expect((await story.sync()).error).toMatchObject({ code: 'SYNC_STATE_OTHER_ACCOUNT' });
  expect(await move(story, story.sandbox.url)).toMatchObject({ code: 0, json: { moved: true } });
  expect((await story.sync()).json.counts).toEqual({});
});

sweep('rejects another account at the new address, and changes nothing', async () => {
  const story = await openCompany();
  const other = await openStory();
  const to = renamed(other.sandbox.url);
  const refused = await move(story, to);
  expect(refused).toMatchObject({ code: 1, json: { error: { code: 'SYNC_STATE_OTHER_ACCOUNT', place: '--to' } } });
  expect(refused.json.error.message).toContain(
    '12 linked people and 1 linked customer were looked up there by their ids',
  );
  expect(refused.json.error.message).toContain('0 of them have the same external id, address or name there');
  expect((await story.sync()).json).toMatchObject({ counts: {}, done: 0 });
  expect(await move(story, 'not an address')).toMatchObject({ code: 1, json: { error: { code: 'SYNC_CLI_USAGE' } } });
});

sweep('compares nothing while nothing is linked', async () => {
  const story = await openStory();
  story.deliver([]);
  await story.sync();
  const to = renamed(story.sandbox.url);
  expect(await move(story, to)).toMatchObject({
    code: 0,
    json: { moved: true, compared: { users: 0, customers: 0, found: 0 } },
  });
  story.configure({ service: { base_url: to } });
  story.deliver(people);
  expect((await story.sync()).json.counts).toEqual({ users: { create: 12 } });
});

sweep.each([
  { when: 'right after the run that created people', between: async () => undefined },
  { when: 'after a further plan', between: (story: Story) => story.plan() },
  { when: 'at the next full read', between: async (story: Story) => story.clock.advance(25 * 3_600_000) },
])('notices another account at the same host in plan and check, $when', async ({ between }) => {
  const story = await openCompany();
  const own = story.sandbox.url;
  await between(story);
  // The other account has one of the people, under another id.
  const other = await openStory({
    users: [{ email: 'e10@example.com', name: 'Person E10', country: 'no', office: 'Oslo', external_unique_id: 'E10' }],
  });
  story.configure({ service: { base_url: other.sandbox.url } });
  const error = { code: 'SYNC_STATE_OTHER_ACCOUNT', place: 'service.base_url' };
  for (const command of ['plan', 'sync'] as const) {
    const ran = await story[command]();
    expect(ran, command).toMatchObject({ code: 1, error });
    expect(ran.error?.message).toMatch(
      /is another account: 12 linked people and 1 linked customer .* 0 of them have the same external id, address or name there/,
    );
    expect(ran.error?.remedy).toContain('a sandbox was started again without `--state`');
  }
  const { code, json } = await story.check();
  expect(code).toBe(1);
  expect(json.checks.at(-1)).toMatchObject({ name: 'reading sources and account', ok: false, error });
  expect(other.users()).toHaveLength(1);
  story.configure({ service: { base_url: own } });
  expect((await story.sync()).json).toMatchObject({ counts: {}, held: [], failed: [] });
});

sweep.each([
  { deleted: ['E12'], code: 0 },
  { deleted: ['E12', 'E11'], code: 1 },
])(
  'in an account with three people, $deleted deleted by hand ends a plan with code $code',
  async ({ deleted, code }) => {
    const story = await openStory();
    story.deliver([person('E10'), person('E11')]);
    await story.sync();
    // The next read must show E12, who was created last.
    story.deliver([person('E10'), person('E11'), person('E12')]);
    await story.sync();
    for (const key of deleted) {
      const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${key}`);
      await story.others('DELETE', `/api/v1/users/${(found as { readonly id: string }).id}`);
    }
    const plan = await story.plan();
    expect(plan).toMatchObject({ code, ...(code === 1 && { error: { code: 'SYNC_STATE_OTHER_ACCOUNT' } }) });
  },
);

sweep('does not take a person deleted by hand for a sign of another account, and looks people up once', async () => {
  const story = await openCompany();
  const found = await story.others('GET', '/api/v1/users/find?external_unique_id=E21');
  await story.others('DELETE', `/api/v1/users/${(found as { readonly id: string }).id}`);
  for (const key of ['E20', 'E19']) await story.editUser(key, { telephone: '+47 1' });
  expect((await story.plan()).code).not.toBe(1);
  expect((await story.check()).code).toBe(0);
  story.takeReads();
  await story.plan();
  // The run looks up only the person whom the plan creates again.
  expect(story.takeReads().filter((call) => call === 'GET /api/v1/users/:user_id')).toHaveLength(1);
});
