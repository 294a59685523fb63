import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { type Account, type Idp, openIdp } from './idp.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** HR decides who exists. Title and phone come from the identity provider; a phone missing there is cleared. */
async function openEnriched(idp: Idp): Promise<Story> {
  const story = await openStory();
  story.configure({
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } }, page_size: 2 } },
    users: {
      enrich: { idp: { join: 'idp.externalId == hr.id' } },
      fields: {
        title: { en: 'idp.?title' },
        telephone: { value: 'idp.?phone', when_empty: 'clear' },
      },
    },
  });
  return story;
}

const accounts: readonly Account[] = [
  { id: 'a1', externalId: 'E1', title: 'Engineer', phone: '+47 1' },
  { id: 'a2', externalId: 'E2', title: 'Lead', phone: '+47 2' },
  { id: 'a9', externalId: 'E9', title: 'Nobody of HR' },
];

sweep('takes fields from a joined source, but no people that only this source has', async () => {
  const story = await openEnriched(await openIdp(accounts));
  story.deliver([person('E1'), person('E2'), person('E3')]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER, CREATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Engineer' }, telephone: '+47 1' });
  expect(story.user('E3')).toMatchObject({ title: {}, telephone: null });
  expect(story.users()).toHaveLength(3);
  expect((await story.plan()).json.counts).toEqual({});
});

sweep('clears fields after a complete read without a person, and keeps them after an incomplete one', async () => {
  const idp = await openIdp(accounts);
  const story = await openEnriched(idp);
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();

  idp.mode = 'cut';
  idp.accounts = accounts.slice(1);
  const incomplete = await story.sync();
  expect(incomplete).toMatchObject({ code: 4, json: { counts: {}, incomplete: [{ source: 'idp' }] } });
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Engineer' }, telephone: '+47 1' });

  idp.mode = 'whole';
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Engineer' } });
  expect(story.user('E1').telephone ?? '').toBe('');
});

sweep.each([
  ['down', 'SYNC_SOURCE_DOWN'],
  ['denied', 'SYNC_SOURCE_DENIED'],
] as const)(
  'syncs people and keeps the fields of an identity provider that is %s, and ends with 1',
  async (mode, code) => {
    const idp = await openIdp(accounts);
    const story = await openEnriched(idp);
    story.deliver([person('E1'), person('E2')]);
    await story.sync();
    story.takeWrites();
    idp.mode = mode;
    story.deliver([person('E1', { last: 'Married' }), person('E2'), person('E3')]);
    const ran = await story.sync();
    expect(ran.code).toBe(1);
    expect(ran.json.errors).toMatchObject([
      { source: 'idp', error: { code, place: expect.stringContaining(idp.url) } },
    ]);
    expect(JSON.stringify(ran)).not.toContain('idp-token');
    for (const typed of ['plan', 'sync']) {
      const { stdout } = await story.type(typed);
      expect(stdout).toContain(`idp not read, its values stay as last agreed: error ${code}`);
    }
    expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
    expect(story.user('E1')).toMatchObject({
      name: 'Person Married',
      title: { en: 'Engineer' },
      telephone: '+47 1',
    });

    idp.mode = 'whole';
    idp.accounts = [...accounts, { id: 'a3', externalId: 'E3', title: 'New' }];
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E3').title).toEqual({ en: 'New' });
  },
);

test('holds people when their leaver rule rests on an unread source, instead of guessing', async () => {
  const idp = await openIdp([
    { id: 'a1', externalId: 'E1' },
    { id: 'a2', externalId: 'E2' },
  ]);
  const story = await openEnriched(idp);
  story.configure({ users: { leaver: { when: '!idp.?active.orValue(true)' } } });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  idp.mode = 'down';
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MAP_EXPRESSION', 'E2 SYNC_MAP_EXPRESSION']);
  expect(story.takeWrites()).toEqual([]);
  idp.mode = 'whole';
  idp.accounts = [
    { id: 'a1', externalId: 'E1', active: false },
    { id: 'a2', externalId: 'E2' },
  ];
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1').deactivated).toBe(true);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('counts an absence once per interval if the identity provider decides who exists', async () => {
  const idp = await openIdp(accounts.slice(0, 2));
  const story = await openStory();
  story.configure({
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: {
      existence: 'idp',
      leaver: { when: '!record.?active.orValue(true)', after_missing_reads: 2, missing_interval: '12h' },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.?userName',
        name: 'record.?externalId',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
      },
    },
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.users()).toHaveLength(2);
  idp.accounts = accounts.slice(1, 2);
  for (let soon = 0; soon < 3; soon++) {
    await story.sync();
    story.clock.advance(HOUR);
  }
  expect(story.user('a1').deactivated).toBe(false);
  story.clock.advance(12 * HOUR);
  idp.mode = 'cut';
  await story.sync();
  expect(story.user('a1').deactivated).toBe(false);
  idp.mode = 'whole';
  await story.sync();
  expect(story.user('a1').deactivated).toBe(true);
});
