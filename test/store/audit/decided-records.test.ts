import { expect, test } from 'vitest';
import { appendEvent } from '../../../src/store/audit/audit-log.js';
import { recordsDecided, recordsOf } from '../../../src/store/audit/decided-records.js';
import { findPerson } from '../../../src/store/audit/erasure/find-person.js';
import { EVERY_LINE, type LogFilter } from '../../../src/store/audit/log-filter.js';
import { readLog } from '../../../src/store/audit/read-log.js';
import { verifyChain } from '../../../src/store/audit/verify-chain.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { openTestStores } from '../../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const GIVEN = { kind: 'approval given', at: AT, by: 'kim', plan: 'p1', guards: [], expires: AT, reason: '' } as const;
const planned = (id: string, label: string) => ({ id, entity: 'users', key: `E-${id}`, action: 'deactivate', label });

/** An entry of an older version, and one that names its records. */
function openLog(): Stores {
  const stores = openTestStores();
  appendEvent(stores.audit, { ...GIVEN, approval: 'a0', changes: ['1'] });
  const all = [planned('1', 'Berit Berg <berit@example.com>'), planned('2', 'Kim Lee'), planned('3', 'Jo Ek')];
  appendEvent(stores.audit, { ...GIVEN, approval: 'a1', changes: ['1', '2'], ...recordsOf(all, ['1', '2']) });
  return stores;
}

test.each<[string, Partial<LogFilter>, readonly string[]]>([
  ['a key', { who: { entity: null, words: 'e-1' } }, ['a1']],
  ['a key of one kind', { who: { entity: 'users', words: 'e-2' } }, ['a1']],
  ['a key of another kind', { who: { entity: 'customers', words: 'e-1' } }, []],
  ['an address', { who: { entity: null, words: 'berit@example.com' } }, ['a1']],
  ['a part of the name', { who: { entity: null, words: 'berg', isName: true } }, ['a1']],
  ['a part of the name, with pseudonyms', { who: { entity: null, words: 'berg', isName: true }, isVeiled: true }, []],
  ['a person of the same plan', { who: { entity: null, words: 'e-3' } }, []],
  ['the kind of the objects', { entity: 'users' }, ['a1']],
])('finds a decision by %s', (_name, filter, approvals) => {
  const { audit } = openLog();
  const lines = [...readLog(audit, { ...EVERY_LINE, ...filter })];
  expect(lines.flatMap((line) => ('approval' in line ? [line.approval] : []))).toEqual(approvals);
  expect(verifyChain(audit).ok).toBe(true);
});

test('lets an erasure find a person who is named only by decisions', () => {
  const stores = openLog();
  expect(findPerson(stores, 'e-2').person.texts).toEqual(['Kim Lee']);
});

test('names the records of an earlier decision when it ends', () => {
  const { audit } = openLog();
  expect(recordsDecided(audit, 'a1', ['2']).records?.map(({ key }) => key)).toEqual(['E-2']);
  expect(recordsDecided(audit, 'a0', ['1'])).toEqual({});
});

test('names at most 500 records, so that an entry stays small', () => {
  const all = Array.from({ length: 600 }, (_one, i) => planned(String(i), 'Kim'));
  const named = recordsOf(
    all,
    all.map(({ id }) => id),
  );
  expect(named.records).toHaveLength(500);
});
