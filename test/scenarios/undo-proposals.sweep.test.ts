import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import {
  ADD_CV,
  ADD_REFERENCE,
  BID,
  BID_OWNER,
  contents,
  deliverBids,
  OPPORTUNITIES,
  openBidding,
  proposals,
  UPDATE_BID,
} from './bids.js';
import { person } from './company.js';
import { forgetMirror, idsOf } from './cvs.js';
import { openStory, type Story } from './kit.js';

const OFFER = '/api/v1/offers/:proposal_id';
const OUT = {
  collaborator: 'DELETE /api/v2/offers/:proposal_id/collaborators/:collaborator_type/:collaborator_id',
  cv: `DELETE ${OFFER}/cvs/:tailored_cv_id`,
  reference: `DELETE ${OFFER}/references/:tailored_reference_id`,
};
const FIRST = { ...BID, team: [], people: ['E1'], projects: [] };
const MORE = { ...BID, stage: 'won', team: ['E2'], people: ['E1', 'e2@example.com', 'E3'], projects: ['P1', 'P2'] };

/** A proposal with one CV in it, and a run that adds a collaborator, two CVs and two projects. */
async function openFilled(): Promise<{ readonly story: Story; readonly run: string }> {
  const story = await openBidding();
  deliverBids(story, [FIRST]);
  expect((await story.sync()).code).toBe(0);
  deliverBids(story, [MORE]);
  const { run } = (await story.sync()).json;
  story.takeWrites();
  story.takeReads();
  return { story, run };
}

interface Copy {
  readonly id: string;
  readonly user_id: string;
}

/** The path of the copy of a person's CV in the proposal. */
async function copyOf(story: Story, who: string): Promise<string> {
  const [bid] = await proposals(story);
  const { id } = await idsOf(story, who);
  const copies = (await story.others('GET', `/api/v1/offers/${bid?.id}/cvs`)) as readonly Copy[];
  return `/api/v3/cvs/${id}/${copies.find((copy) => copy.user_id === id)?.id}`;
}

async function expectQuiet(story: Story): Promise<readonly string[]> {
  story.takeWrites();
  const ran = await story.sync({ full: true });
  expect(ran).toMatchObject({ code: 0, json: { counts: {}, failed: [] } });
  expect(story.takeWrites()).toEqual([]);
  return ran.json.held.map(({ key, code, reason }) => `${key} ${code} ${reason.split(':')[0]}`);
}

test('removes what a run put into a proposal, with one call each, and does not put it in again', async () => {
  const { story, run } = await openFilled();
  const plan = await story.planUndo(run);
  expect(plan.json.cost).toMatchObject({ writes: 6, by_endpoint: { 'PUT /api/v1/offers/{proposal_id}': 1 } });
  story.takeReads();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 0, json: { done: 1, failed: [], held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_BID, OUT.collaborator, OUT.cv, OUT.cv, OUT.reference, OUT.reference]);
  expect(story.takeReads().filter((call) => call.includes('offers'))).toEqual([
    `GET ${OFFER}`,
    'GET /api/v2/offers/:proposal_id/collaborators',
    `GET ${OFFER}/cvs`,
    `GET ${OFFER}/references`,
  ]);
  expect(await contents(story, 'Dam bid')).toMatchObject({
    status: 'editing',
    collaborators: [],
    cvs: ['e1@example.com'],
    references: [],
  });
  expect(await expectQuiet(story)).toEqual([
    'B1 SYNC_UNDONE_PINNED status, collaborators.e2, cvs.e2@example.com, cvs.e3, references.p1, references.p2',
  ]);
  // An undo of the undo brings everything back, and nothing is pinned any more.
  expect(await story.undo(undone.json.run)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(await contents(story, 'Dam bid')).toMatchObject({
    status: 'won',
    collaborators: ['e2@example.com'],
    cvs: ['e1@example.com', 'e2@example.com', 'e3@example.com'],
    references: ['P1', 'P2'],
  });
  expect(await expectQuiet(story)).toEqual([]);
  expect((await story.verify()).json.ok).toBe(true);
});

sweep('lists removed contents as undone after the mirror is lost, and adds them again once unpinned', async () => {
  const { story } = await openFilled();
  deliverBids(story, [{ ...MORE, team: ['E2', 'E3'] }]);
  const { run } = (await story.sync()).json;
  await story.undo(run);
  story.takeWrites();
  for (const before of [() => undefined, forgetMirror, () => undefined]) {
    before(story);
    for (const full of [false, true]) {
      const { code, json } = await story.sync({ full });
      expect(code).toBe(0);
      expect(json.held).toMatchObject([
        { key: 'B1', code: 'SYNC_UNDONE_PINNED', reason: expect.stringContaining('collaborators.e3') },
      ]);
    }
  }
  expect(story.takeWrites()).toEqual([]);
  await story.undo(undefined, { unpin: 'proposal:B1' });
  await story.sync();
  expect((await contents(story, BID.name)).collaborators).toEqual(['e2@example.com', 'e3@example.com']);
});

sweep('keeps a copy that others edited, and one that they added, and removes the rest', async () => {
  const { story, run } = await openFilled();
  const [bid] = await proposals(story);
  const path = await copyOf(story, 'E2');
  await story.others('POST', `${path}/courses`, { course: { name: { int: 'Dams' } } });
  // Removed by hand, and added again.
  const third = await copyOf(story, 'E3');
  await story.others('DELETE', `/api/v1/offers/${bid?.id}/cvs/${third.split('/').at(-1)}`);
  const { default_cv_id } = await idsOf(story, 'E3');
  await story.others('POST', `/api/v1/offers/${bid?.id}/cvs`, { cv: { cv_id: default_cv_id } });
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 1, failed: [] } });
  expect(undone.json.held.map(({ code, reason }) => `${code} ${reason}`)).toEqual([
    'SYNC_UNDO_MOVED Dam bid: cvs e2@example.com: others have edited the copy since; it stays.',
    'SYNC_UNDO_IMPOSSIBLE Dam bid: cvs E3: the copy that the run added is gone, and others have added another one; it stays.',
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_BID, OUT.collaborator, OUT.reference, OUT.reference]);
  expect((await contents(story, 'Dam bid')).cvs).toEqual(['e1@example.com', 'e2@example.com', 'e3@example.com']);
  // The remaining copy is not pinned: it exists, and the source asks for it.
  expect(await expectQuiet(story)).toEqual([
    'B1 SYNC_UNDONE_PINNED status, collaborators.e2, references.p1, references.p2',
  ]);
});

sweep('needs no call for what is already removed, and removes people who have left too', async () => {
  const { story, run } = await openFilled();
  const [bid] = await proposals(story);
  const third = await copyOf(story, 'E3');
  await story.others('DELETE', `/api/v1/offers/${bid?.id}/cvs/${third.split('/').at(-1)}`);
  await story.editUser('E2', { deactivated: true });
  story.deliver([person('E1'), person('E2', { status: 'left' }), person('E3')]);
  story.takeWrites();
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_BID, OUT.collaborator, OUT.cv, OUT.reference, OUT.reference]);
  expect(await contents(story, 'Dam bid')).toMatchObject({ cvs: ['e1@example.com'], collaborators: [] });
});

sweep('keeps and reports a copy whose creation was never answered, since it is unknown which one it is', async () => {
  const story = await openBidding();
  deliverBids(story, [FIRST]);
  await story.sync();
  deliverBids(story, [{ ...FIRST, people: ['E1', 'E2'] }]);
  story.configure({ service: { timeout: '250ms' } });
  story.sandbox.faults.add({ kind: 'reset_after', method: 'POST', path: '^/api/v1/offers/[^/]+/cvs' });
  const { run } = (await story.sync()).json;
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 4, json: { done: 0, held: [{ key: 'B1', code: 'SYNC_UNDO_IMPOSSIBLE' }] } });
  expect(undone.json.held[0]?.reason).toContain('it is not known which copy the run added');
  expect(story.takeWrites()).toEqual([]);
});

const LOSSES = ['reset_before', 'reset_after'] as const;

sweep.each(LOSSES)('removes everything once after %s of the answer to each removal', async (kind) => {
  const { story, run } = await openFilled();
  story.configure({ service: { timeout: '250ms', rate_limit: { concurrency: 1 } } });
  story.sandbox.faults.add(
    ...['collaborators/user', 'cvs', 'references'].map((what) => ({
      kind,
      method: 'DELETE',
      path: `^/api/v[12]/offers/[^/]+/${what}/`,
    })),
  );
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 1, failed: [] } });
  expect(story.sandbox.faults.list()).toEqual([]);
  expect(await contents(story, 'Dam bid')).toMatchObject({
    collaborators: [],
    cvs: ['e1@example.com'],
    references: [],
  });
});

sweep('archives a proposal that a run created with its contents, and keeps it archived', async () => {
  const story = await openBidding();
  const { run } = (await story.sync()).json;
  story.takeWrites();
  const undone = await story.undo(run, { only: 'proposal:Dam bid' });
  expect(undone).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_BID]);
  expect(await contents(story, 'Dam bid')).toMatchObject({ archived: true, cvs: ['e1@example.com', 'e2@example.com'] });
  deliverBids(story, [{ ...BID, people: ['E1', 'E2', 'E3'], projects: ['P1', 'P2'] }]);
  await story.sync();
  expect(story.takeWrites()).toEqual([ADD_CV, ADD_REFERENCE]);
});

sweep('removes a person put in under an external id of the same run, though nobody has that id now', async () => {
  const story = await openStory({
    users: ['e1', 'e2', 'e3'].map((name) => ({
      ...{ country: 'no', office: 'Oslo', email: `${name}@example.com`, name: `Person ${name.toUpperCase()}` },
    })),
  });
  await story.others('POST', '/api/v2/offers', { offer: { name: 'Dam bid' } });
  story.configure(OPPORTUNITIES);
  story.deliver([person('E1'), person('E2'), person('E3')]);
  const { owner: _, ...bid } = { ...BID, stage: 'won', people: ['E1', 'E3'], projects: [] };
  deliverBids(story, [bid]);
  const { run } = (await story.sync()).json;
  expect(story.users().map((user) => user.external_unique_id)).toEqual(['E1', 'E2', 'E3']);
  story.takeWrites();
  expect(await story.undo(run, { only: 'user:E3' })).toMatchObject({ code: 0, json: { done: 1 } });
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 0, json: { done: 3, failed: [], held: [] } });
  expect(story.users().map((user) => user.external_unique_id)).toEqual([null, null, null]);
  expect(await contents(story, 'Dam bid')).toMatchObject({ status: 'initial', collaborators: [], cvs: [] });
  expect(await expectQuiet(story)).toEqual([
    'B1 SYNC_UNDONE_PINNED status, collaborators.e2, cvs.e1, cvs.e3',
    'E1 SYNC_UNDONE_PINNED external_unique_id',
    'E2 SYNC_UNDONE_PINNED external_unique_id',
    'E3 SYNC_UNDONE_PINNED external_unique_id',
  ]);
});

sweep('restores the owner of a proposal, and the later one by an undo of that undo', async () => {
  const story = await openBidding();
  deliverBids(story, [FIRST]);
  await story.sync();
  deliverBids(story, [{ ...FIRST, owner: 'E3' }]);
  const { run } = (await story.sync()).json;
  expect(await contents(story, 'Dam bid')).toMatchObject({ owner_name: 'Person E3' });
  story.takeWrites();
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(story.takeWrites()).toEqual([BID_OWNER]);
  expect(await contents(story, 'Dam bid')).toMatchObject({ owner_name: 'Person E1' });
  for (let runs = 0; runs < 2; runs++) expect(await expectQuiet(story)).toEqual(['B1 SYNC_UNDONE_PINNED owner']);
  expect(await story.undo(undone.json.run)).toMatchObject({ code: 0, json: { done: 1, held: [] } });
  expect(await contents(story, 'Dam bid')).toMatchObject({ owner_name: 'Person E3' });
  expect(await expectQuiet(story)).toEqual([]);
});
