import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDoor } from '../campaign/door.js';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import {
  ADD_COLLABORATOR,
  ADD_CV,
  ADD_REFERENCE,
  BID,
  BID_OWNER,
  CREATE_BID,
  contents,
  deliverBids,
  OPPORTUNITIES,
  openBidding,
  type Proposal,
  proposals,
  UPDATE_BID,
} from './bids.js';
import { person } from './company.js';
import { forgetMirror } from './cvs.js';
import { openShortener } from './gate.js';
import { openStory, type Story, summarise } from './kit.js';

/** Counts the reads of proposals in this run. */
function takeReads(story: Story, run: () => Promise<unknown>): Promise<number> {
  const before = story.sandbox.calls().length;
  return run().then(
    () =>
      story.sandbox
        .calls()
        .slice(before)
        .filter(({ method, route }) => method === 'GET' && route.includes('offers')).length,
  );
}

async function expectSettled(story: Story): Promise<void> {
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
}

test('creates a proposal in one call, and puts each part in by one more, in the run that creates the people', async () => {
  const story = await openBidding();
  const plan = await story.plan();
  expect(plan.json.counts.proposals).toEqual({ create: 1 });
  expect(plan.json.cost.by_endpoint).toMatchObject({
    'POST /api/v2/offers/': 1,
    'POST /api/v2/offers/{proposal_id}/collaborators': 1,
    'POST /api/v1/offers/{proposal_id}/cvs': 2,
    'POST /api/v1/offers/{proposal_id}/references': 1,
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().filter((call) => call.includes('offers'))).toEqual([
    CREATE_BID,
    ADD_COLLABORATOR,
    ADD_CV,
    ADD_CV,
    ADD_REFERENCE,
  ]);
  expect(await contents(story, 'Dam bid')).toMatchObject({
    status: 'editing',
    owner_name: 'Person E1',
    collaborators: ['e2@example.com'],
    cvs: ['e1@example.com', 'e2@example.com'],
    references: ['P1'],
  });
  await expectSettled(story);
  expect(await takeReads(story, () => story.sync())).toBe(0);
});

sweep('sends name, status and archive in one call, the owner in one, and puts in only what is missing', async () => {
  const story = await openBidding();
  await story.sync();
  story.takeWrites();
  deliverBids(story, [{ ...BID, name: 'Dam bid 2', stage: 'won', closed: true }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_BID]);
  deliverBids(story, [
    {
      ...BID,
      name: 'Dam bid 2',
      stage: 'won',
      closed: true,
      owner: 'E3',
      people: ['E1', 'E3'],
      projects: ['P1', 'P2'],
    },
  ]);
  const plan = await story.plan();
  expect(plan.json.cost.writes).toBe(3);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([BID_OWNER, ADD_CV, ADD_REFERENCE]);
  expect(await contents(story, 'Dam bid 2')).toMatchObject({
    status: 'won',
    archived: true,
    owner_name: 'Person E3',
    cvs: ['e1@example.com', 'e2@example.com', 'e3@example.com'],
    references: ['P1', 'P2'],
  });
  await expectSettled(story);
});

sweep('finds an existing proposal by name, doubles nothing that others put in, and removes none of it', async () => {
  const story = await openBidding();
  deliverBids(story, []);
  await story.sync();
  const { id } = (await story.others('POST', '/api/v2/offers/', { offer: { name: 'DAM  bid' } })) as Proposal;
  const cvOf = async (email: string): Promise<string> =>
    ((await story.others('GET', `/api/v1/users/find?email=${email}`)) as { default_cv_id: string }).default_cv_id;
  await story.others('POST', `/api/v1/offers/${id}/cvs`, { cv: { cv_id: await cvOf('e2@example.com') } });
  await story.others('POST', `/api/v1/offers/${id}/cvs`, { cv: { cv_id: await cvOf('e3@example.com') } });
  deliverBids(story, [BID]);
  story.takeWrites();
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_BID, BID_OWNER, ADD_COLLABORATOR, ADD_CV, ADD_REFERENCE]);
  expect(await contents(story, 'Dam bid')).toMatchObject({
    cvs: ['e1@example.com', 'e2@example.com', 'e3@example.com'],
  });
  await expectSettled(story);
  // Without its copy of the account the worker looks again, and finds that nothing is missing.
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });
  }
  await expectSettled(story);
});

sweep('holds unlinked proposals of one name with the candidates, and keeps a linked one with its record', async () => {
  const story = await openBidding();
  await story.sync();
  story.takeWrites();
  // The same name in another row is another opportunity.
  deliverBids(story, [BID, { id: 'B2', name: 'Dam bid' }, { id: 'B3', name: 'dam bid' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_BID, CREATE_BID]);
  expect(await proposals(story)).toHaveLength(3);
  await expectSettled(story);

  await story.others('POST', '/api/v2/offers/', { offer: { name: 'Bridge' } });
  await story.others('POST', '/api/v2/offers/', { offer: { name: 'bridge' } });
  deliverBids(story, [BID, { id: 'B4', name: 'Bridge' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['B4 SYNC_MATCH_AMBIGUOUS']);
  expect(ran.json.held[0]?.reason).toContain('2 objects match by name');
});

sweep('leaves out deactivated people, holds an unknown project, and adds both later', async () => {
  const story = await openBidding();
  story.deliver([person('E1'), person('E2'), person('E3', { status: 'left' })]);
  await story.sync();
  // The order differs: the same file again would be held as older content.
  story.deliver([person('E3'), person('E2'), person('E1')]);
  await story.sync();
  story.deliver([person('E3', { status: 'left' }), person('E2'), person('E1')]);
  deliverBids(story, [{ ...BID, people: ['E1', 'E3'], projects: ['P1', 'P9'] }]);
  story.takeWrites();
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['B1 SYNC_REFERENCE_UNKNOWN', 'B1 SYNC_REFERENCE_UNKNOWN']);
  expect(ran.json.held.map(({ reason }) => reason).join(' ')).toContain('is about to be deactivated');
  expect((await story.sync()).json.held.map(({ reason }) => reason).join(' ')).toContain(
    'is deactivated in the service',
  );

  story.deliver([person('E1'), person('E2'), person('E3')]);
  story.deliverDeals([
    { id: 'P1', customer: 'C1', name: 'Dam' },
    { id: 'P9', customer: 'C1', name: 'Nine' },
  ]);
  story.takeWrites();
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().filter((call) => call.includes('offers'))).toEqual([ADD_CV, ADD_REFERENCE]);
  expect(await contents(story, 'Dam bid')).toMatchObject({ references: ['P1', 'P9'] });
});

sweep('looks up a project by external id that no source of this configuration delivers', async () => {
  const story = await openStory({
    customers: [
      {
        external_unique_id: 'C1',
        customer_name: { en: 'Fjord Power' },
        projects: [{ external_unique_id: 'P1', project_name: { en: 'Dam' }, workflow_stage: 'live' }],
      },
    ],
  });
  story.configure(OPPORTUNITIES);
  story.deliver([person('E1'), person('E2')]);
  deliverBids(story, [BID]);
  expect((await story.sync()).code).toBe(0);
  expect(await contents(story, 'Dam bid')).toMatchObject({ references: ['P1'] });
});

sweep('reports a status that others set, or restores it with drift: correct, except under create-only', async () => {
  const story = await openBidding();
  await story.sync();
  const [bid] = await proposals(story);
  await story.others('PUT', `/api/v1/offers/${bid?.id}`, { offer: { status: 'lost' } });
  story.configure({ drift: 'report' });
  expect(summarise((await story.sync({ full: true })).json.held)).toEqual(['B1 SYNC_DRIFT_REPORTED']);
  story.configure({ drift: 'correct', policy: 'create-only' });
  await story.sync({ full: true });
  story.takeWrites();
  story.configure({ policy: 'upsert-only' });
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_BID]);
});

const LOSSES = [
  ['before', 'reset_before'],
  ['after', 'reset_after'],
] as const;

sweep.each(oneIn(1, LOSSES, 1))(
  'puts nothing in twice when the first answer to every call is lost %s it happened',
  async (_, kind) => {
    const story = await openBidding();
    await story.sync();
    deliverBids(story, [
      { ...BID, owner: 'E3', stage: 'won', team: ['E1', 'E2'] },
      { ...BID, id: 'B2', name: 'Tunnel bid', closed: true },
    ]);
    story.configure({ service: { timeout: '250ms', rate_limit: { concurrency: 1 } } });
    story.sandbox.faults.add(
      ...[
        ['POST', '^/api/v2/offers/(\\?|$)'],
        ['PUT', '^/api/v1/offers/'],
        ['PUT', '^/api/v2/offers/[^/]+/owner'],
        ['POST', '^/api/v2/offers/[^/]+/collaborators'],
        ['POST', '^/api/v1/offers/[^/]+/cvs'],
        ['POST', '^/api/v1/offers/[^/]+/references'],
      ].map(([method = '', path = '']) => ({ kind, method, path })),
    );
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, failed: [] } });
    expect(story.sandbox.faults.list()).toEqual([]);
    expect(await contents(story, 'Dam bid')).toMatchObject({ status: 'won', owner_name: 'Person E3' });
    expect(await contents(story, 'Tunnel bid')).toMatchObject({
      archived: true,
      collaborators: ['e2@example.com'],
      cvs: ['e1@example.com', 'e2@example.com'],
      references: ['P1'],
    });
    await expectSettled(story);
    expect((await story.verify()).json.ok).toBe(true);
  },
);

sweep('finds a proposal by name in explain and --only', async () => {
  const story = await openBidding();
  await story.sync();
  expect((await story.explain('proposal', 'dam bid')).json).toMatchObject({
    entity: 'proposals',
    key: 'B1',
    steps: { mirror: { values: { owner: 'Person E1', cvs: ['e1@example.com', 'e2@example.com'] } } },
  });
  expect(JSON.stringify((await story.explain('proposal', 'B1')).json)).not.toContain('access_token');
  deliverBids(story, [{ ...BID, stage: 'won' }]);
  expect((await story.plan({ only: 'proposal:Dam bid' })).json.counts).toEqual({ proposals: { update: 1 } });
});

sweep.each(['kept', 'lost'] as const)(
  'puts nothing in twice when all lists of contents are empty, with the mirror %s',
  async (mirror) => {
    const story = await openBidding();
    await story.sync();
    const { collaborators, cvs, references } = await contents(story, 'Dam bid');
    const shortener = await openShortener(story.sandbox.url, () => true, /\/offers\/[^/?]+\/\w+/);
    story.configure({ service: { base_url: shortener.url } });
    deliverBids(story, [{ ...BID, stage: 'won' }]);
    if (mirror === 'lost') forgetMirror(story);
    await story.sync({ full: true });
    story.configure({ service: { base_url: story.sandbox.url } });
    expect(await contents(story, 'Dam bid')).toMatchObject({ collaborators, cvs, references });
  },
);

sweep('puts nothing into a proposal twice when any list of a run is empty once', async () => {
  const story = await openBidding();
  await story.sync();
  const { collaborators, cvs, references } = await contents(story, 'Dam bid');
  const door = await openDoor(story.sandbox.url);
  story.configure({ service: { base_url: door.url } });
  for (let number = 1; ; number += IS_THOROUGH ? 1 : 3) {
    deliverBids(story, [{ ...BID, stage: number % 2 === 0 ? 'won' : 'lost' }]);
    door.arm({ kind: 'empty list', system: 'service', of: 'calls', at: 0, lasts: false }, number, () => undefined);
    await story.sync({ full: true });
    if (door.take().every(({ fault }) => fault === null)) break;
    expect(await contents(story, 'Dam bid'), `call ${number}`).toMatchObject({ collaborators, cvs, references });
  }
});

sweep.each([
  ['searches for one by name', 1],
  ['searches for each of two', 2],
  ['searches for three of five, then reads the list again', 5],
] as const)('doubles nothing after a first list that comes short: %s', async (_, count) => {
  const story = await openBidding();
  const names = ['Tunnel', 'Bridge', 'Dam', 'Quay', 'Mast'].slice(0, count);
  for (const name of names) await story.others('POST', '/api/v2/offers/', { offer: { name } });
  let lists = 0;
  const shortener = await openShortener(
    story.sandbox.url,
    () => {
      lists += 1;
      return lists <= count;
    },
    /all_offers/,
  );
  story.configure({ service: { base_url: shortener.url } });
  deliverBids(
    story,
    names.map((name) => ({ id: name, name })),
  );
  // The list, and a search for each name, up to three; if a search finds one, the list once more.
  expect(await takeReads(story, () => story.sync())).toBe(count > 3 ? 5 : 1 + count);
  expect(story.takeWrites().filter((call) => call === CREATE_BID)).toEqual([]);
  expect((await proposals(story)).map(({ name }) => name).sort()).toEqual([...names].sort());
  await expectSettled(story);
});
