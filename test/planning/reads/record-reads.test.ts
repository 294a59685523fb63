import { describe, expect, it } from 'vitest';
import type { GuardTrip } from '../../../src/model/plan.js';
import type { DerivedRun } from '../../../src/planning/derived-run.js';
import { CONFIG_FACT, MAPPING_FACT, RUN_FACT, rowsFact } from '../../../src/planning/guard-facts.js';
import { recordReads } from '../../../src/planning/reads/record-reads.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { loadSample } from '../../config/sample.js';
import { evidenceOf, openTestStores } from '../../samples.js';
import { readOf, stagedOf } from '../world.js';

const config = loadSample();

function record(run: string, derived: Partial<DerivedRun> = {}, stores: Stores = openTestStores()): Stores {
  stores.history.startRun({ id: run, command: 'sync', startedAt: '2026-11-20T08:00:00.000Z', configDigest: 'c' });
  const idp = readOf('idp', { evidence: evidenceOf({ source: 'idp', rows: 7 }) });
  const cut = readOf('erp', { evidence: evidenceOf({ source: 'erp', rows: 3, complete: false }) });
  const staged = [{ ...stagedOf('users', readOf('hr'), readOf('crm', { evidence: null }), cut), enriching: [idp] }];
  const normal = { staged, guards: [], only: null, undoes: null, stopped: [] };
  recordReads({ stores, config, deciding: { users: 'x' } }, run, { ...normal, ...derived } as unknown as DerivedRun);
  return stores;
}

const factsOf = ({ history }: Stores) => [rowsFact('hr'), CONFIG_FACT, MAPPING_FACT, RUN_FACT].map(history.fact);
const TRIP = { guard: 'users.create' } as GuardTrip;

describe('the reads that a run remembers', () => {
  it('include each delivery, and the numbers that later guards compare with', () => {
    const stores = record('r1');
    expect(['hr', 'idp', 'erp', 'crm'].map((source) => stores.history.wasReadWhole('r1', source))).toEqual([
      ...[true, true, false, false],
    ]);
    expect(factsOf(stores)).toEqual(['100', config.digest, '{"users":"x"}', 'r1']);
    expect([rowsFact('idp'), rowsFact('erp')].map(stores.history.fact)).toEqual(['7', null]);
  });

  it.each<readonly [why: string, derived: Partial<DerivedRun>]>([
    ['a guard holds something', { guards: [TRIP] }],
    ['one object was asked for', { only: 'user:E1' }],
    ['a run was undone', { undoes: { run: 'r0', reason: '' } }],
    ['something was left alone', { stopped: [{ entity: 'users', error: {} as never }] }],
  ])('set no new normal if %s, but are remembered, and the number of rows can grow', (_why, derived) => {
    const stores = record('r1', derived);
    expect(factsOf(stores)).toEqual(['100', null, null, null]);
    expect(stores.history.wasReadWhole('r1', 'hr')).toBe(true);
    for (const [rows, kept] of [
      [130, '130'],
      [90, '130'],
    ] as const) {
      const staged = [stagedOf('users', readOf('hr', { evidence: evidenceOf({ rows }) }))];
      expect(factsOf(record(`r${rows}`, { ...derived, staged }, stores))[0]).toBe(kept);
    }
  });

  it('name the first run under a configuration, until that is edited', () => {
    const stores = record('r1');
    record('r2', {}, stores);
    expect(stores.history.fact(RUN_FACT)).toBe('r1');
    stores.history.setFact(CONFIG_FACT, 'another');
    record('r3', {}, stores);
    expect(factsOf(stores).slice(1)).toEqual([config.digest, '{"users":"x"}', 'r3']);
  });

  it('add the deciding mapping if an earlier version did not record it', () => {
    const stores = openTestStores();
    stores.history.setFact(CONFIG_FACT, config.digest);
    record('r1', {}, stores);
    expect(factsOf(stores).slice(1)).toEqual([config.digest, '{"users":"x"}', 'r1']);
  });
});
