import { expect, it } from 'vitest';
import { describeCalm, listReadNotes } from '../../../src/report/sections/reads.js';

it.each([
  [[{ complete: true }, { complete: true }], 0, 0, 'nothing to change: both sides are equal'],
  [[{ complete: true }], 2, 0, 'nothing to change'],
  [[{ complete: true }], 0, 1, 'nothing to change in the service'],
  [[{ complete: true }, { complete: false }], 0, 1, 'nothing to change in what could be read'],
  [[{ complete: false }], 2, 0, 'nothing to change in what could be read'],
  [[null], 0, 0, 'nothing to change in what could be read'],
  [[], 0, 0, 'nothing to change'],
])('for reads %j, %i held and %i sources written back to, says: %s', (sources, held, told, said) => {
  expect(describeCalm({ sources, mirror: null }, held, told)).toBe(said);
});

it('does not claim equality for parts that the policy leaves unchanged', () => {
  const of = (policy: 'upsert-only' | 'create-only') =>
    describeCalm({ sources: [{ complete: true }], mirror: null, policy }, 0, 0);
  expect(of('create-only')).toBe('nothing to create: `policy: create-only` leaves existing objects unchanged');
  expect(of('upsert-only')).toBe('nothing to create or change: `policy: upsert-only` removes nothing');
});

it.each([
  ['entra', '/scim/v2/entra', 'it is never complete', 'Source entra is incomplete: it is never complete, so'],
  ['hr', '/drop/employees.csv', 'It was cut.', 'Source hr employees.csv is incomplete: It was cut, so'],
])('says once where a read of %s at %s was incomplete, and why', (source, at, because, said) => {
  const [note] = listReadNotes({ sources: [{ source, at, because, complete: false }], mirror: null });
  expect(note).toContain(said);
});

it('leaves out unread sources whose error is printed already', () => {
  const evidence = { sources: [{ source: 'hr', rows: null, because: 'gone', complete: false }], mirror: null };
  expect(listReadNotes(evidence)).toHaveLength(1);
  expect(listReadNotes(evidence, 'read')).toEqual([]);
});

it('reports rows of leavers that have no effect', () => {
  const note = (rows: number, places: readonly string[]) =>
    listReadNotes({ sources: [], mirror: null, passed: { rows, places } })[0];
  expect(note(1, ['hr a.csv:2'])).toMatch(/^One row reports a leaver .* \(hr a\.csv:2\)\.$/);
  expect(note(5, ['hr a.csv:2', 'hr a.csv:3'])).toMatch(/^5 rows .* \(hr a\.csv:2, hr a\.csv:3, and 3 more\)\.$/);
});
