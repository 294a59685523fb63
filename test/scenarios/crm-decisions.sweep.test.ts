import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { UPDATE_BID } from './bids.js';
import { HOUR, type Yaml } from './company.js';
import { type BothStory, decide, editProject, openBoth, projectOf, proposalOf } from './crm-both.js';
import { type Crm, type Feed, openFeed } from './crm-vendors.js';
import { summarise } from './kit.js';

interface Deal extends BothStory<Feed> {
  readonly id: string;
}

/** One deal at the given stage, after the run that creates its proposal. */
async function openDeal(
  stage: keyof Crm['words'] = 'bid',
  patch: { readonly [key: string]: Yaml } = {},
): Promise<Deal> {
  const both = await openBoth(openFeed);
  both.story.configure(patch);
  const id = both.crm.addDeal({ name: 'Dam', stage: both.crm.words[stage], owner_email: 'e1@example.com' });
  await both.story.sync();
  both.crm.takeTold();
  both.story.takeWrites();
  return { ...both, id };
}

/** Performs a run an hour after the edits, and returns what it sent to the service and the CRM. */
async function sync({ story, crm }: BothStory) {
  story.clock.advance(HOUR);
  story.takeWrites();
  const { code, json } = await story.sync({ full: true });
  const { held, conflicts } = json;
  return { code, held: summarise([...held, ...conflicts]), writes: story.takeWrites(), told: crm.takeTold() };
}

const QUIET = { code: 0, held: [], writes: [], told: [] };

async function statusOf({ story }: Deal): Promise<string | undefined> {
  return (await proposalOf(story, 'Dam'))?.status;
}

test('overwrites neither of two CRM words that both mean won', async () => {
  const deal = await openDeal('partlyWon');
  expect(await statusOf(deal)).toBe('won');
  expect(await sync(deal)).toEqual(QUIET);
  expect(deal.crm.deal(deal.id).stage).toBe('won in part');
  // A change from one word to the other changes nothing in the proposal.
  deal.crm.edit(deal.id, { stage: deal.crm.words.won });
  expect(await sync(deal)).toEqual(QUIET);
  deal.crm.edit(deal.id, { stage: deal.crm.words.partlyWon });
  expect(await sync(deal)).toEqual(QUIET);
  // A colleague decides lost and then won before a run saw the echo: the CRM gets the word of the mapping.
  await decide(deal.story, 'Dam', 'lost');
  expect(await sync(deal)).toEqual({ ...QUIET, told: [1] });
  await decide(deal.story, 'Dam', 'won');
  expect(await sync(deal)).toEqual({ ...QUIET, told: [1] });
  expect(deal.crm.deal(deal.id).stage).toBe('won');
  // After our word the CRM may still choose the other one.
  deal.crm.edit(deal.id, { stage: deal.crm.words.partlyWon });
  for (let run = 0; run < 3; run++) expect(await sync(deal)).toEqual(QUIET);
  expect(deal.crm.deal(deal.id).stage).toBe('won in part');
});

sweep('keeps a status without a CRM word in the service until the CRM changes', async () => {
  const deal = await openDeal();
  await decide(deal.story, 'Dam', 'submitted');
  for (let run = 0; run < 2; run++) expect(await sync(deal)).toEqual(QUIET);
  expect([await statusOf(deal), deal.crm.deal(deal.id).stage]).toEqual(['submitted', 'bid']);
  deal.crm.edit(deal.id, { stage: deal.crm.words.lost });
  expect(await sync(deal)).toEqual({ ...QUIET, writes: [UPDATE_BID] });
  expect(await statusOf(deal)).toBe('lost');
});

sweep('opens the proposal of a deal that is opened again', async () => {
  const deal = await openDeal();
  await decide(deal.story, 'Dam', 'won');
  expect(await sync(deal)).toEqual({ ...QUIET, told: [1] });
  expect(await sync(deal)).toEqual(QUIET);
  deal.crm.edit(deal.id, { stage: deal.crm.words.bid });
  expect(await sync(deal)).toEqual({ ...QUIET, writes: [UPDATE_BID] });
  expect(await statusOf(deal)).toBe('editing');
  expect(await sync(deal)).toEqual(QUIET);
});

sweep('does not take a value for an echo after the CRM has set another in between', async () => {
  const deal = await openDeal();
  await decide(deal.story, 'Dam', 'won');
  expect(await sync(deal)).toEqual({ ...QUIET, told: [1] });
  deal.crm.edit(deal.id, { stage: deal.crm.words.lost });
  expect(await sync(deal)).toEqual({ ...QUIET, writes: [UPDATE_BID] });
  deal.crm.edit(deal.id, { stage: deal.crm.words.won });
  expect(await sync(deal)).toEqual({ ...QUIET, writes: [UPDATE_BID] });
  expect([await statusOf(deal), deal.crm.deal(deal.id).stage]).toEqual(['won', 'won']);
  expect(await sync(deal)).toEqual(QUIET);
});

const [TOLD, SET] = [
  { ...QUIET, told: [1] },
  { ...QUIET, writes: [UPDATE_BID] },
];
const HELD = { ...QUIET, code: 3, held: ['D1 SYNC_CONFLICT'] };

test.each(
  oneIn(2, [
    ['service', 'owner', TOLD, ['won', 'won']],
    ['service', 'source', SET, ['lost', 'lost']],
    ['service', 'hold', HELD, ['won', 'lost']],
    ['source', 'owner', SET, ['lost', 'lost']],
    ['source', 'service', TOLD, ['won', 'won']],
    ['source', 'hold', HELD, ['won', 'lost']],
    ['newest', 'hold', TOLD, ['won', 'won']],
  ]),
)('decides won here and lost there by authority %s, conflicts %s', async (authority, conflicts, expected, ends) => {
  const deal = await openDeal('bid', { conflicts, proposals: { fields: { status: { authority } } } });
  await decide(deal.story, 'Dam', 'won');
  deal.crm.edit(deal.id, { stage: deal.crm.words.lost });
  expect(await sync(deal)).toEqual(expected);
  expect([await statusOf(deal), deal.crm.deal(deal.id).stage]).toEqual(ends);
  expect(await sync(deal)).toEqual(expected === HELD ? HELD : QUIET);
});

sweep('writes a decision back after the CRM was down, and takes a later one of the CRM as newer', async () => {
  const deal = await openDeal();
  await decide(deal.story, 'Dam', 'won');
  deal.crm.fail(500);
  const down = await sync(deal);
  expect([down.code, down.writes, down.told]).toEqual([1, [], []]);
  deal.crm.fail(null);
  expect(await sync(deal)).toEqual(TOLD);

  await decide(deal.story, 'Dam', 'lost');
  deal.crm.failWrites(500);
  expect((await sync(deal)).code).toBe(4);
  deal.story.clock.advance(HOUR);
  deal.crm.edit(deal.id, { stage: deal.crm.words.partlyWon });
  deal.crm.fail(null);
  expect(await sync(deal)).toEqual(SET);
  expect(await statusOf(deal)).toBe('won');
});

sweep('keeps the proposal of a deal that goes back before the stage, and sends nothing to a deleted deal', async () => {
  const deal = await openDeal();
  deal.crm.edit(deal.id, { stage: 'early' });
  expect(await sync(deal)).toEqual(QUIET);
  await decide(deal.story, 'Dam', 'won');
  expect(await sync(deal)).toEqual(QUIET);
  deal.crm.remove(deal.id);
  await editProject(deal.story, deal.id, 'live', []);
  expect(await sync(deal)).toMatchObject({ writes: [], told: [] });
  expect(await statusOf(deal)).toBe('won');
});

test('keeps people of a project in the CRM when the mirror is lost, and adds newly assigned ones', async () => {
  const deal = await openDeal();
  deal.staff([
    { person: 'E1', project: deal.id },
    { person: 'E2', project: deal.id },
  ]);
  await sync(deal);
  expect(await sync(deal)).toEqual(TOLD);
  expect(deal.crm.deal(deal.id).people).toBe('e1@example.com;e2@example.com');
  for (const ending of ['', '-wal', '-shm'])
    rmSync(join(deal.story.folder, 'var', `mirror.db${ending}`), { force: true });
  for (let run = 0; run < 2; run++) expect(await sync(deal)).toEqual(QUIET);
  deal.staff(['E1', 'E2', 'E3'].map((person) => ({ person, project: deal.id })));
  expect((await sync(deal)).told).toEqual([]);
  expect(await sync(deal)).toEqual(TOLD);
  expect(deal.crm.deal(deal.id).people).toBe('e1@example.com;e2@example.com;e3@example.com');
});

sweep('pins an undone value: the CRM gets nothing until one of the two sides changes', async () => {
  const deal = await openDeal('won');
  deal.crm.edit(deal.id, { stage: deal.crm.words.lost });
  deal.story.clock.advance(HOUR);
  const { json } = await deal.story.sync({ full: true });
  expect(await statusOf(deal)).toBe('lost');
  expect((await deal.story.undo(json.run, { reason: 'ticket 7' })).code).toBe(0);
  expect([await statusOf(deal), deal.crm.takeTold()]).toEqual(['won', []]);
  for (let run = 0; run < 2; run++) expect(await sync(deal)).toEqual({ ...QUIET, held: ['D1 SYNC_UNDONE_PINNED'] });
  expect([await statusOf(deal), deal.crm.deal(deal.id).stage]).toEqual(['won', 'lost']);
  deal.crm.edit(deal.id, { stage: deal.crm.words.partlyWon });
  for (let run = 0; run < 2; run++) expect(await sync(deal)).toEqual(QUIET);
  expect([await statusOf(deal), deal.crm.deal(deal.id).stage]).toEqual(['won', 'won in part']);
});

sweep('writes the owner of a proposal back by e-mail', async () => {
  const deal = await openDeal('bid', { proposals: { write_back: { 'crm.deals': { remark: 'proposal.owner' } } } });
  expect(deal.crm.deal(deal.id).remark).toBe('e1@example.com');
  expect(await sync(deal)).toEqual(QUIET);
});

sweep('does not write back a link while its proposal waits for approval', async () => {
  const both = await openBoth(openFeed);
  const { story, crm } = both;
  story.configure({ guards: { proposals: { create: { max: 0 } } } });
  const id = crm.addDeal({ name: 'Dam', stage: crm.words.bid, owner_email: 'e1@example.com' });
  const ran = await story.sync();
  expect([ran.code, ran.json.to_sources]).toEqual([3, { 'crm.deals': 1 }]);
  expect(crm.takeTold()).toEqual([1]);
  const { id: project } = await projectOf(story, id);
  expect(crm.deal(id)).toMatchObject({ talent_id: project });
  expect(crm.deal(id).talent_link).toBeUndefined();
  await story.approve({ guard: 'proposals.create', reason: 'ticket 1' });
  expect((await sync(both)).told).toEqual([1]);
  expect(crm.deal(id).talent_link).toContain('/redirect/to/proposal?id=');
});
