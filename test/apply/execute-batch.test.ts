import { describe, expect, test } from 'vitest';
import { executeBatch } from '../../src/apply/execute-batch.js';
import type { PlannedChange } from '../../src/model/plan.js';
import { readEntries } from '../../src/store/audit/audit-log.js';
import { linkTo, observedOf } from '../samples.js';
import { type Fate, type LookFate, openScripted, plannedOf, SETTLE_MS } from './scripted-service.js';

const IDS = ['t1', 't2', 't3'];
const CHANGES = IDS.map((id): PlannedChange => {
  const tag = { id: `id-${id}`, entity: 'tags', key: id, target: id, batch: 'g1' } as const;
  return { ...plannedOf('delete'), ...tag };
});

/** Deletes three tags of one category by one call. */
async function run(script: readonly Fate[], look: LookFate | null) {
  const service = openScripted(script, look);
  for (const id of IDS) {
    service.tags.add(id);
    linkTo(service.stores, 'tags', id, observedOf(id, { category_id: 'g1' }));
  }
  const ends: string[] = [];
  const said = new Map<string, string | undefined>();
  await executeBatch(CHANGES, service.execution, ({ key }, { result, error }) => {
    ends.push(`${key} ${result}`);
    said.set(key, error?.message);
  });
  await service.stores.commits.now(() => undefined);
  return { ...service, ends, said };
}

interface Row {
  readonly script: readonly Fate[];
  readonly look?: LookFate;
  readonly writes: readonly string[];
  readonly ends: readonly string[];
}

const ALL = 'delete t1 t2 t3';
const TABLE: Readonly<Record<string, Row>> = {
  'one answer for all': {
    script: ['done'],
    writes: [ALL],
    ends: ['t1 done', 't2 done', 't3 done'],
  },
  'one wrong record: halves the batch until it is alone, and completes the others': {
    script: ['refused', 'refused', 'done', 'refused', 'done'],
    writes: [ALL, 'delete t1 t2', 'delete t1', 'delete t2', 'delete t3'],
    ends: ['t1 done', 't2 refused', 't3 done'],
  },
  'one missing permission: halves the batch too': {
    script: ['forbidden', 'done', 'forbidden'],
    writes: [ALL, 'delete t1 t2', 'delete t3'],
    ends: ['t1 done', 't2 done', 't3 refused'],
  },
  'a rejected key: retries nothing, because no record is at fault': {
    script: ['key refused'],
    writes: [ALL],
    ends: ['t1 refused', 't2 refused', 't3 refused'],
  },
  'a lost answer, with a look that shows everything': {
    script: ['done, answer lost'],
    writes: [ALL],
    ends: ['t1 done', 't2 done', 't3 done'],
  },
  'a lost answer, with a look that shows a part': {
    script: ['done in part, answer lost'],
    writes: [ALL],
    ends: ['t1 done', 't2 lost', 't3 lost'],
  },
  'lost before its work: sends it once more': {
    script: ['not done, answer lost', 'done'],
    writes: [ALL, ALL],
    ends: ['t1 done', 't2 done', 't3 done'],
  },
  'lost twice': {
    script: ['not done, answer lost', 'not done, answer lost'],
    writes: [ALL, ALL],
    ends: ['t1 lost', 't2 lost', 't3 lost'],
  },
  'a lost answer that nobody can check': {
    script: ['done, answer lost'],
    look: 'fails',
    writes: [ALL],
    ends: ['t1 lost', 't2 lost', 't3 lost'],
  },
};

describe('changes that share a call', () => {
  test.each(Object.entries(TABLE))('%s', async (_, { script, look = null, ...expected }) => {
    const { stores, writes, ends, openAtSending, waited } = await run(script, look);
    expect({ writes, ends }).toEqual(expected);
    const entries = [...readEntries(stores.audit)].map(({ key, result }) => `${key} ${result}`);
    expect(entries).toEqual(ends);
    // Each change has an intent on disk when the call is sent, and none stays open.
    expect(openAtSending).toEqual(writes.map((call) => call.split(' ').length - 1));
    expect(stores.journal.open()).toEqual([]);
    expect(waited).toEqual(script.filter((fate) => fate.endsWith('answer lost')).map(() => SETTLE_MS));
    // Deleted tags are no longer in the mirror and have no link; the others have both.
    const gone = ends.filter((end) => end.endsWith('done')).map((end) => end.slice(0, 2));
    for (const id of IDS) {
      const isThere = !gone.includes(id);
      expect([stores.mirror.get('tags', id) !== null, stores.links.find('tags', id) !== null]).toEqual([
        isThere,
        isThere,
      ]);
    }
  });

  test('reports a lost answer for changes that a look does not show', async () => {
    const { said } = await run(['done in part, answer lost'], null);
    const lost = 'The answer to the shared call was lost, and the service does not show this change.';
    expect([...said]).toEqual([
      ['t1', undefined],
      ['t2', lost],
      ['t3', lost],
    ]);
  });
});
