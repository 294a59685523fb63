import { describe, expect, test } from 'vitest';
import { oneIn, sweep, tries } from '../depth.js';
import { UPDATE_BID } from './bids.js';
import { HOUR } from './company.js';
import { type BothStory, decide, editProject, openBoth, ownCells, projectOf, proposalOf } from './crm-both.js';
import { CRMS, openHubspot, openSalesforce } from './crm-vendors.js';

const OWNER = 'e1@example.com';

/** Performs this many runs, in which neither side gets anything. */
async function expectQuiet({ story, crm }: BothStory, runs: number): Promise<void> {
  story.takeWrites();
  crm.takeTold();
  for (let run = 1; run <= runs; run++) {
    story.clock.advance(HOUR);
    const { code, json } = await story.sync({ full: run === runs });
    expect([code, json.counts, json.to_sources]).toEqual([0, {}, undefined]);
  }
  expect([story.takeWrites(), crm.takeTold()]).toEqual([[], []]);
}

/**
 * One run, an hour after the edits: returns the writes to the service and the records sent to the CRM.
 * It reads the complete account, like a nightly run: no feed reports projects and proposals.
 */
async function syncLater({ story, crm }: BothStory): Promise<readonly unknown[]> {
  story.clock.advance(HOUR);
  story.takeWrites();
  crm.takeTold();
  expect((await story.sync({ full: true })).code).toBe(0);
  return [story.takeWrites(), crm.takeTold()];
}

describe.each(oneIn(2, CRMS))('%s', (_, open) => {
  test('writes ids, links, stage, people and tags to the deals once, then writes nothing', async () => {
    const both = await openBoth(open);
    const { story, crm, staff } = both;
    const dam = crm.addDeal({ name: 'Dam', stage: crm.words.bid, owner_email: OWNER });
    const tunnel = crm.addDeal({ name: 'Tunnel', stage: 'early', owner_email: OWNER });
    staff([
      { person: 'E1', project: dam },
      { person: 'E2', project: dam },
    ]);
    const calls = Math.ceil(2 / crm.perCall);
    const { cost, ...plan } = (await story.plan()).json;
    expect(plan).toMatchObject({
      counts: { projects: { create: 2 }, proposals: { create: 1 } },
      to_sources: { 'crm.deals': { records: 2, cells: 5 } },
    });
    expect(Object.values(cost.sources?.['crm.deals'] ?? {})).toEqual([calls]);
    const first = await story.sync();
    expect(first).toMatchObject({ code: 0, json: { failed: [], to_sources: { 'crm.deals': 2 } } });
    expect(crm.takeTold()).toHaveLength(calls);
    const [project, other, bid] = [
      await projectOf(story, dam),
      await projectOf(story, tunnel),
      await proposalOf(story, 'Dam'),
    ];
    expect(bid).toMatchObject({ status: 'editing', owner_name: 'Person E1' });
    expect(await proposalOf(story, 'Tunnel')).toBeNull();
    const link = `${story.sandbox.url}/redirect/to/proposal?id=${bid?.id}`;
    const nothing = { people: null, sector: null, talent_link: null, talent_stage: 'draft' };
    expect(ownCells(crm.deal(dam))).toEqual({ ...nothing, talent_id: project.id, talent_link: link });
    expect(ownCells(crm.deal(tunnel))).toEqual({ ...nothing, talent_id: other.id });

    // The people of a project are known only after this run has assigned them.
    expect(await syncLater(both)).toEqual([[], [1]]);
    expect(crm.deal(dam).people).toBe('e1@example.com;e2@example.com');
    await expectQuiet(both, 2);

    await editProject(story, dam, 'ready_for_review', ['energy', 'water']);
    expect(await syncLater(both)).toEqual([[], [1]]);
    expect(crm.deal(dam)).toMatchObject({ talent_stage: 'ready_for_review', sector: 'energy;water' });
    await expectQuiet(both, tries(10));
    expect(crm.deal(dam).name).toBe('Dam');
  });

  sweep(
    "writes a new project's first stage back in the run that creates it, even if the row leaves it empty",
    async () => {
      const both = await openBoth(open);
      const { story, crm } = both;
      story.configure({ projects: { fields: { workflow_stage: 'record.?remark' } } });
      const dam = crm.addDeal({ name: 'Dam', stage: 'early', remark: 'live' });
      const tunnel = crm.addDeal({ name: 'Tunnel', stage: 'early' });
      expect((await story.sync()).code).toBe(0);
      expect([dam, tunnel].map((id) => crm.deal(id).talent_stage)).toEqual(['live', 'draft']);
      await expectQuiet(both, 2);
    },
  );

  sweep('writes a win in the service to the CRM and a loss in the CRM to the service, each once', async () => {
    const both = await openBoth(open);
    const { story, crm } = both;
    const dam = crm.addDeal({ name: 'Dam', stage: 'early', owner_email: OWNER });
    await story.sync();
    expect(await proposalOf(story, 'Dam')).toBeNull();
    crm.edit(dam, { stage: crm.words.bid });
    expect((await syncLater(both))[1]).toEqual([1]);
    expect(await proposalOf(story, 'Dam')).toMatchObject({ status: 'editing', owner_name: 'Person E1' });

    await decide(story, 'Dam', 'won');
    expect(await syncLater(both)).toEqual([[], [1]]);
    expect(crm.deal(dam).stage).toBe(crm.words.won);
    await expectQuiet(both, 2);

    crm.edit(dam, { stage: crm.words.lost });
    expect(await syncLater(both)).toEqual([[UPDATE_BID], []]);
    expect(await proposalOf(story, 'Dam')).toMatchObject({ status: 'lost' });
    await expectQuiet(both, 2);

    // Both changed: the run sees the service's change now, so it is the newer one.
    crm.edit(dam, { stage: crm.words.bid });
    await decide(story, 'Dam', 'won');
    expect(await syncLater(both)).toEqual([[], [1]]);
    expect(crm.deal(dam).stage).toBe(crm.words.won);
    await expectQuiet(both, 2);
  });
});

sweep.each([
  ['HubSpot', openHubspot, [100, 2]],
  ['Salesforce', openSalesforce, [200, 2]],
] as const)('sends more deals than one call takes to %s in two calls', async (_, open, calls) => {
  const count = calls[0] + calls[1];
  const { story, crm } = await openBoth(open);
  const ids = Array.from({ length: count }, (_, place) => crm.addDeal({ name: `Deal ${place}`, stage: 'early' }));
  const { json } = await story.sync();
  expect(json).toMatchObject({ counts: { projects: { create: count } }, to_sources: { 'crm.deals': count } });
  expect(crm.takeTold()).toEqual(calls);
  expect(new Set(ids.map((id) => crm.deal(id).talent_id)).size).toBe(count);
});
