import { describe, expect, it } from 'vitest';
import { USUAL } from '../../../src/model/comparison.js';
import type { Values } from '../../../src/model/json.js';
import { findDeparture, formatEvidence, weigh } from '../../../src/reconcile/match/judge-relink.js';
import type { LeaverVerdict, ReconcilePorts } from '../../../src/reconcile/ports.js';
import { desiredOf, observedOf } from '../../samples.js';
import { createFakePorts, settingsOf } from '../fake-ports.js';

const SINCE = '2026-11-01T00:00:00.000Z';

describe('the linked record of an object in the sources', () => {
  const left: LeaverVerdict = { due: true, text: 'hr says so', since: SINCE };
  const find = (
    state: ReturnType<ReconcilePorts['sources']['stagedState']>,
    verdict: LeaverVerdict = left,
    { outOfScope = 'keep', closed }: { readonly outOfScope?: 'keep' | 'deactivate'; readonly closed?: string } = {},
  ) => {
    const ports = createFakePorts({ explicit: verdict, absent: verdict, out: verdict });
    const sources = { ...ports.sources, stagedState: () => state };
    const values = closed === undefined ? {} : { deactivated_at: closed };
    const object = observedOf('u1', values, { active: closed === undefined });
    const { since, text, sinceEdit } = findDeparture('E1', object, settingsOf({ outOfScope }), { ...ports, sources });
    return { since: since === null ? null : new Date(since).toISOString(), text, sinceEdit };
  };
  const here = { since: null, sinceEdit: false };

  it('is here if its row exists in any state', () => {
    expect(find('desired')).toEqual({ ...here, text: 'the source still has a row of E1' });
    expect(find('early')).toEqual({ ...here, text: 'the source still has a row of E1' });
    expect(find('held')).toEqual({ ...here, text: 'the source still has a row of E1, which cannot be used' });
    expect(find('out')).toEqual({ ...here, text: 'the source still has a row of E1, out of scope' });
  });

  it('has left or is gone from a complete read, since the time that the sources give', () => {
    const since = { since: SINCE, sinceEdit: false };
    expect(find('leaver')).toEqual({ ...since, text: 'E1 has left' });
    expect(find('out', left, { outOfScope: 'deactivate' })).toEqual({ ...since, text: 'E1 has left' });
    expect(find(null)).toEqual({ ...since, text: 'E1 is gone from a complete read' });
    expect(find(null, { ...left, sinceEdit: true })).toMatchObject({ sinceEdit: true });
  });

  it('has left at the earlier time at which its account was closed', () => {
    const closed = '2026-10-01T00:00:00.000Z';
    expect(find('leaver', left, { closed })).toMatchObject({ since: closed });
    expect(find('leaver', left, { closed: '2026-11-09T00:00:00.000Z' })).toMatchObject({ since: SINCE });
  });

  it('is still here without proof', () => {
    expect(find(null, { due: false, text: 'not read completely' })).toEqual({
      ...here,
      text: 'E1: not read completely',
    });
  });
});

describe('the evidence for and against the same person', () => {
  const judge = (values: Values, there: Values, others: Readonly<Record<string, Values>> = {}) => {
    const one = observedOf('u1', there);
    const rest = Object.entries(others).map(([id, of]) => observedOf(id, of, { label: `L${id}` }));
    const ports = createFakePorts({ observed: [one, ...rest] });
    const match = [['external_unique_id'], ['email'], ['upn', 'external_unique_id'], ['name']].map((fields) => ({
      fields,
      compare: USUAL,
    }));
    const { agree, ...evidence } = weigh(desiredOf('E2', values), one, settingsOf({ match }), ports);
    return { agree, evidence: formatEvidence(evidence) };
  };
  const rows: readonly (readonly [string, Values, Values, Readonly<Record<string, Values>>, string])[] = [
    ['nothing', {}, {}, {}, ''],
    ['the same address', { email: 'a@x.test' }, { email: 'A@x.test' }, {}, 'for it: same e-mail'],
    [
      'an address of another person',
      { email: 'a@x.test' },
      {},
      { u2: { email: 'a@x.test' } },
      'against it: its e-mail is that of Lu2',
    ],
    ['the same name', { name: 'Jane Doe' }, { name: 'jane doe' }, {}, 'for it: same name'],
    [
      'another name',
      { name: 'Jane' },
      { name: 'Joe' },
      {},
      'against it: another name (Jane in the source, Joe in the service)',
    ],
    ['the same year', { born_year: 1980 }, { born_year: 1980 }, {}, 'for it: same year of birth'],
    [
      'another year',
      { born_year: 1980 },
      { born_year: 1990 },
      {},
      'against it: born in 1980 in the source, 1990 in the service',
    ],
    ['only one year', { born_year: 1980 }, {}, {}, ''],
    ['only the other year', {}, { born_year: 1980 }, {}, ''],
    ['the key as external id, which has changed', { external_unique_id: 'E2' }, { external_unique_id: 'E2' }, {}, ''],
    [
      'the key together with another field',
      { external_unique_id: 'E2', upn: 'jd@x' },
      { external_unique_id: 'E2', upn: 'JD@x' },
      {},
      'for it: same upn + external_unique_id',
    ],
    [
      'several differences',
      { name: 'Jane', born_year: 1980 },
      { name: 'Joe', born_year: 1990 },
      {},
      'against it: another name (Jane in the source, Joe in the service), born in 1980 in the source, 1990 in the service',
    ],
    [
      'an external id that is not the key',
      { external_unique_id: 'X' },
      { external_unique_id: 'X' },
      {},
      'for it: same external id',
    ],
    [
      'some of both',
      { name: 'Jane', born_year: 1980, email: 'a@x.test' },
      { name: 'Jane', born_year: 1990, email: 'a@x.test' },
      {},
      'for it: same e-mail, same name; against it: born in 1980 in the source, 1990 in the service',
    ],
  ];
  it.each(rows)('covers %s', (_, here, there, others, evidence) => {
    expect(judge(here, there, others).evidence).toBe(evidence);
  });

  it('agrees by entries of `match` other than key and name', () => {
    expect(judge({ email: 'a@x.test', name: 'J' }, { email: 'a@x.test', name: 'J' }).agree).toEqual(['e-mail']);
    expect(judge({ name: 'J' }, { name: 'J' }).agree).toEqual([]);
  });
});
