import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import { forgetMirror } from './cvs.js';
import { type Gate, openShortener, openVeil } from './gate.js';
import { openStory, type Story } from './kit.js';
import { CATEGORIES, COUNTRIES, deliverOrg, OFFICES, ORG, TAGS } from './org.js';
import { expectQuiet } from './quiet.js';
import { openWhole, type WholeStory } from './whole-company.js';

/** A record of every kind, in the service and linked. */
async function openSettled(afterId: 'exclude' | 'keyset'): Promise<WholeStory> {
  const story = await openWhole({ afterId });
  story.configure({ tags: { create_missing: true } });
  const ids = ['E1', 'E2', 'E3', 'E4'];
  story.have({
    people: ids.map((id) => person(id, { unit: 'north', rank: 'pilot' })),
    companies: ['C1', 'C2', 'C3'].map((id) => ({ id, name: `Company ${id}` })),
    deals: ['P1', 'P2', 'P3', 'P4'].map((id, at) => ({ id, customer: `C${(at % 3) + 1}`, name: `Deal ${id}` })),
    certificates: ids.map((id) => ({ id: `K${id}`, person: id, name: 'Cloud' })),
    staffing: ids.map((id, at) => ({ id: `s${id}`, project: `P${at + 1}`, person: id })),
    bids: ['B1', 'B2'].map((id) => ({ id, name: `Bid ${id}` })),
  });
  for (let run = 0; run < 3; run++) await story.sync({ full: run === 2 });
  await expectQuiet(story);
  return story;
}

/** Ids of all objects in the account. */
async function listIds({ sandbox }: WholeStory): Promise<readonly string[]> {
  const answer = await fetch(`${sandbox.url}/__sandbox/dump`, { headers: { 'x-control-key': sandbox.controlKey } });
  const ids = (await answer.text()).matchAll(/"_?id":"([^"]+)"/g);
  return [...new Set([...ids].flatMap(([, id]) => id ?? []))];
}

const REMOVES = /^(POST|DELETE) /;

/** Performs a run with shortened lists. @returns all its writes */
async function runShort(story: Story, isLeftOut: (id: string) => boolean, full: boolean): Promise<readonly string[]> {
  const shortener = await openShortener(story.sandbox.url, isLeftOut);
  story.configure({ service: { base_url: shortener.url } });
  story.takeWrites();
  await story.sync({ full });
  const writes = story.takeWrites();
  story.configure({ service: { base_url: story.sandbox.url } });
  return writes;
}

const SITUATIONS = ['kept', 'lost'].flatMap((mirror) =>
  [true, false].map((full) => [mirror, full ? 'full' : 'normal'] as const),
);

describe.each(oneIn(1, ['exclude', 'keyset'] as const, 1))('after_id %s', (afterId) => {
  test.each(oneIn(4, SITUATIONS, 2))(
    'every list is empty, the mirror is %s, a %s run: nothing is made or taken away',
    async (mirror, how) => {
      const story = await openSettled(afterId);
      if (mirror === 'lost') forgetMirror(story);
      const writes = await runShort(story, () => true, how === 'full');
      expect(writes.filter((write) => REMOVES.test(write))).toEqual([]);
      await story.sync({ full: true });
      expect(story.takeWrites()).toEqual([]);
      await expectQuiet(story);
    },
  );

  sweep.each(SITUATIONS)(
    'creates and removes nothing when any part is left out, with the mirror %s, in a %s run',
    async (mirror, how) => {
      const story = await openSettled(afterId);
      const ids = await listIds(story);
      expect(ids.length).toBeGreaterThan(20);
      for (let part = 0; part < 3; part++) {
        if (mirror === 'lost') forgetMirror(story);
        const left = new Set(ids.filter((_, at) => (at * 7 + part) % 3 === 0));
        const writes = await runShort(story, (id) => left.has(id), how === 'full');
        expect(writes.filter((write) => REMOVES.test(write))).toEqual([]);
        await story.sync({ full: true });
        expect(story.takeWrites()).toEqual([]);
      }
      await expectQuiet(story);
    },
  );
});

/** Forwards to the service, but lists only the first two people while `isCut`. */
async function openCut({ sandbox }: Story, isCut: () => boolean): Promise<Gate> {
  return openVeil(sandbox.url, (body) => {
    if (!/^\[.*"external_unique_id":"E/s.test(body) || !isCut()) return body;
    const rows = JSON.parse(body) as readonly { readonly external_unique_id?: string }[];
    return JSON.stringify(rows.filter(({ external_unique_id: id }) => !/^E[3-9]$/.test(id ?? '')));
  });
}

describe('a list that ends early at first contact', () => {
  async function openAccount(): Promise<Story> {
    const ids = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'];
    const known = (id: string) => ({
      email: `${id.toLowerCase()}@example.com`,
      name: `Person ${id}`,
      external_unique_id: id,
    });
    const story = await openStory({ users: ids.map((id) => ({ country: 'no', office: 'Oslo', ...known(id) })) });
    story.deliver(ids.map((id) => person(id)));
    return story;
  }

  test('creates nobody whom the list leaves out, and says why', async () => {
    const story = await openAccount();
    story.configure({ service: { base_url: (await openCut(story, () => true)).url } });
    const ran = await story.sync();
    expect([ran.code, ran.json.held.length]).toEqual([4, 3]);
    expect(ran.json.held[0]).toMatchObject({
      code: 'SYNC_OBJECT_UNSEEN',
      reason: expect.stringContaining('No user is created in this run'),
    });
    expect(story.takeWrites()).toEqual([]);
    const reads = story.takeReads();
    expect(reads.filter((read) => read.includes('/users/find'))).toHaveLength(3);
    expect(reads.filter((read) => read.includes('/users/search'))).toHaveLength(2);
    story.configure({ service: { base_url: story.sandbox.url } });
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [] } });
    expect(story.takeWrites()).toEqual([]);
  });

  sweep('reads the list once more, and believes it once it is complete', async () => {
    const story = await openAccount();
    let lists = 0;
    story.configure({ service: { base_url: (await openCut(story, () => ++lists === 1)).url } });
    expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
    expect(story.takeWrites()).toEqual([]);
  });
});

/** Countries, offices, categories and tags of a feed, which appear in lists only. */
async function openOrganised(): Promise<Story> {
  const story = await openStory();
  story.configure({ ...ORG, countries: COUNTRIES, offices: OFFICES, tag_categories: CATEGORIES, tags: TAGS });
  deliverOrg(story, 'countries', [{ code: 'dk', language: 'da' }]);
  deliverOrg(story, 'offices', [{ id: 'O1', country: 'dk', name: 'Aarhus' }]);
  deliverOrg(story, 'categories', [{ id: 'grade', name: 'Grade' }]);
  deliverOrg(story, 'tags', [{ id: 'g1', category: 'grade', name: 'Senior' }]);
  story.deliver([person('E1')]);
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  return story;
}

sweep.each(['kept', 'lost'])(
  'waits until two runs miss what appears in lists only, with the mirror %s',
  async (mirror) => {
    const story = await openOrganised();
    if (mirror === 'lost') forgetMirror(story);
    expect(await runShort(story, () => true, false)).toEqual([]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
    await expectQuiet(story);
  },
);

sweep("does not take a used file for another tenant's when the mirror is lost and no list shows people", async () => {
  const story = await openStory();
  const rows = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].map((id) => person(id));
  story.deliver(rows);
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  forgetMirror(story);
  const shortener = await openShortener(story.sandbox.url, () => true);
  story.configure({ service: { base_url: shortener.url } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [], guards: [] } });
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds with its cause what no list shows when the mirror is lost, and does not create it again', async () => {
  const story = await openOrganised();
  forgetMirror(story);
  const shortener = await openShortener(story.sandbox.url, () => true);
  story.configure({ service: { base_url: shortener.url } });
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.held.map(({ code }) => code)).toContain('SYNC_OBJECT_UNSEEN');
});
