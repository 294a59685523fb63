import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import { forgetMirror } from './cvs.js';
import { openRecorder } from './gate.js';
import { killAtWrite } from './program.js';
import { expectQuiet } from './quiet.js';
import { openWhole, type WholeStory } from './whole-company.js';

const ids = ['E1', 'E2', 'E3'];
const people = ids.map((id) => person(id, { unit: 'north', rank: 'pilot' }));

async function openSettled(): Promise<WholeStory> {
  const story = await openWhole({ tagsOnCvs: true });
  story.have({
    people,
    companies: ['C1', 'C2'].map((id) => ({ id, name: `Company ${id}` })),
    deals: ['P1', 'P2'].map((id, at) => ({ id, customer: `C${at + 1}`, name: `Deal ${id}` })),
    certificates: ids.map((id) => ({ id: `K${id}`, person: id, name: 'Cloud' })),
    staffing: ['E1', 'E2'].map((id, at) => ({ id: `s${id}`, project: `P${at + 1}`, person: id })),
    bids: [{ id: 'B1', name: 'Bid B1', people: ['E1'], projects: ['P1'] }],
  });
  for (let run = 0; run < 3; run++) await story.sync({ full: run === 2 });
  return story;
}

/** Lists the reads that one run repeats, with their counts. */
async function listRepeated(story: WholeStory, run: () => Promise<unknown>): Promise<readonly string[]> {
  const counts = new Map<string, number>();
  const recorder = await openRecorder(story.sandbox.url, (read) => counts.set(read, (counts.get(read) ?? 0) + 1));
  story.configure({ service: { base_url: recorder.url } });
  await run();
  story.configure({ service: { base_url: story.sandbox.url } });
  expect(counts.size).toBeGreaterThan(0);
  return [...counts].filter(([, count]) => count > 1).map(([name, count]) => `${count} × ${name}`);
}

describe('no read is sent twice in a run', () => {
  sweep('reads each thing once after the mirror is lost', async () => {
    const story = await openSettled();
    forgetMirror(story);
    expect(await listRepeated(story, () => story.sync())).toEqual([]);
  });

  sweep('reads each thing once in the first load', async () => {
    const story = await openWhole({ tagsOnCvs: true });
    story.have({
      people,
      companies: [{ id: 'C1', name: 'Fjord' }],
      deals: [{ id: 'P1', customer: 'C1', name: 'Dam' }],
    });
    expect(await listRepeated(story, () => story.sync())).toEqual([]);
    expect(await listRepeated(story, () => story.sync())).toEqual([]);
  });

  test.each(
    oneIn(1, [
      ['normal', false],
      ['full', true],
    ]),
  )(
    'reads each thing once in a quiet run, and after changes of every kind and a leaver, in a %s run',
    async (_, full) => {
      const story = await openSettled();
      expect(await listRepeated(story, () => story.sync({ full }))).toEqual([]);
      story.have({
        people: [
          person('E1', { unit: 'south', rank: 'diver', title: 'Lead' }),
          person('E2', { status: 'left' }),
          person('E4'),
        ],
        deals: [
          { id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] },
          { id: 'P3', customer: 'C2', name: 'Bridge' },
        ],
        certificates: [{ id: 'KE1', person: 'E1', name: 'Clouds' }],
        staffing: [{ id: 'sE1', project: 'P1', person: 'E1', role: 'Lead' }],
        bids: [{ id: 'B1', name: 'Bid B1', people: ['E1', 'E3'], projects: ['P1'] }],
      });
      expect(await listRepeated(story, () => story.sync({ full }))).toEqual([]);
    },
  );

  const KILLS = (['before', 'after'] as const).flatMap((moment) => [1, 2, 3, 4, 5].map((at) => [moment, at] as const));
  sweep.each(KILLS)(
    'reads each thing once after a kill, %s the call was carried out, at write %i',
    async (moment, at) => {
      const story = await openSettled();
      story.configure({
        service: { rate_limit: { concurrency: 1 } },
        tags: { create_missing: true },
      });
      story.have({
        people: [person('E1', { unit: 'west', rank: 'pilot', title: 'Lead' }), ...people.slice(1)],
        companies: ['C1', 'C2', 'C3'].map((id) => ({ id, name: `Company ${id}` })),
        deals: ['P1', 'P2', 'P3'].map((id, of) => ({ id, customer: `C${of + 1}`, name: `Deal ${id}` })),
        certificates: [
          ...ids.map((id) => ({ id: `K${id}`, person: id, name: 'Cloud' })),
          { id: 'K9', person: 'E3', name: 'Safety' },
        ],
      });
      await killAtWrite(story, at, moment);
      expect(await listRepeated(story, () => story.sync())).toEqual([]);
      await story.sync();
      await expectQuiet(story);
    },
  );
});
