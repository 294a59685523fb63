import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/model/entity.js';
import type { Field } from '../../src/model/fields.js';
import type { Json, Values } from '../../src/model/json.js';
import { buildChange, createFingerprint } from '../../src/reconcile/build-change.js';
import { claimValues } from '../../src/reconcile/fields/claim-values.js';
import { isEmpty, isSameValue } from '../../src/reconcile/fields/compare.js';
import { correlate } from '../../src/reconcile/match/correlate.js';
import { createCostMeter, forecastSeconds } from '../../src/reconcile/order/cost.js';
import { changeOf, desiredOf, finderOf, matchBy, observedOf } from '../samples.js';

describe('compare', () => {
  it('finds nothing empty, in all its forms', () => {
    for (const value of [undefined, null, '', [], {}, { en: '' }, { en: null, no: { x: [] } }])
      expect(isEmpty(value)).toBe(true);
    for (const value of [0, false, ' ', [null], { en: 'x' }]) expect(isEmpty(value)).toBe(false);
  });

  const text: Field = { shape: 'text' };
  const rows: readonly (readonly [Field, Json | undefined, Json | undefined, boolean])[] = [
    [text, 'a', ' a ', true],
    [text, 'a', 'A', false],
    [text, 'e\u0301', '\u00e9', true],
    [text, '', null, true],
    [text, undefined, null, true],
    [text, null, 'a', false],
    [text, null, 'null', false],
    [text, '09', '9', false],
    [text, 1980, '1980', true],
    [text, ['a'], 'a', false],
    [{ shape: 'text', comparedAs: 'folded' }, 'Jane@X.test', 'jane@x.TEST ', true],
    [{ shape: 'text', comparedAs: 'number' }, '09', 9, true],
    [{ shape: 'text', comparedAs: 'number' }, '42.0', 42, true],
    [{ shape: 'text', comparedAs: 'number' }, 'x', 'y', false],
    [{ shape: 'text', comparedAs: 'number' }, ' ', 0, false],
    [{ shape: 'names' }, ['b', 'a'], ['a', 'b'], true],
    [{ shape: 'names' }, ['a', 'b'], ['a', 'c'], false],
    [{ shape: 'names' }, ['a'], 'a', true],
    [{ shape: 'names' }, [], null, true],
    [{ shape: 'names' }, ['null'], null, false],
    [{ shape: 'names', comparedAs: 'folded' }, ['A@x.test'], ['a@x.test'], true],
    [{ shape: 'office' }, { country: 'NO', name: ' Oslo' }, { name: 'oslo', country: 'no' }, true],
    [{ shape: 'office' }, { country: 'no', name: 'Oslo' }, { country: 'se', name: 'Oslo' }, false],
    [
      { shape: 'offices' },
      [
        { country: 'no', name: 'A' },
        { country: 'no', name: 'B' },
      ],
      [
        { country: 'no', name: 'b' },
        { country: 'no', name: 'a' },
      ],
      true,
    ],
    [
      { shape: 'offices' },
      [{ country: 'no', name: 'A' }],
      [
        { country: 'no', name: 'A' },
        { country: 'no', name: 'B' },
      ],
      false,
    ],
  ];
  for (const [field, a, b, same] of rows) {
    it(`${field.comparedAs ?? field.shape}: ${JSON.stringify(a)} and ${JSON.stringify(b)} → ${same}`, () => {
      expect([isSameValue(field, a, b), isSameValue(field, b, a)]).toEqual([same, same]);
    });
  }
});

describe('correlate', () => {
  const people = [
    observedOf('u1', { email: 'jane@x.test', external_unique_id: 'E1', name: 'Jane', born_year: 1980 }),
    observedOf('u2', { email: 'joe@x.test', name: 'Jane', born_year: 1990 }),
    observedOf('u3', { email: 'joan@x.test', name: 'Joan', born_year: 1990 }),
  ];
  const match = (values: Values, ...entries: readonly (readonly string[])[]) =>
    correlate(desiredOf('k', values), matchBy(...entries), finderOf(people));

  it('uses the first entry that finds anything', () => {
    expect(match({ external_unique_id: 'E1', email: 'joe@x.test' }, ['external_unique_id'], ['email'])).toEqual({
      kind: 'match',
      id: 'u1',
      by: 'external_unique_id',
    });
    expect(match({ external_unique_id: 'E9', email: ' JOE@x.test' }, ['external_unique_id'], ['email'])).toEqual({
      kind: 'match',
      id: 'u2',
      by: 'email',
    });
    expect(match({ name: 'Jane', email: 'joan@x.test' }, ['name'], ['email'])).toEqual({
      kind: 'ambiguous',
      by: 'name',
      candidates: ['u1', 'u2'],
    });
  });

  it('requires all fields of an entry to match', () => {
    expect(match({ name: 'Jane', born_year: 1990 }, ['name', 'born_year'])).toEqual({
      kind: 'match',
      id: 'u2',
      by: 'name + born_year',
    });
    expect(match({ name: 'Joan', born_year: 1980 }, ['name', 'born_year'])).toEqual({ kind: 'none', setApart: [] });
  });

  it('ignores an empty value, alone or with others', () => {
    expect(match({ external_unique_id: '', email: null }, ['external_unique_id'], ['email'])).toEqual({
      kind: 'none',
      setApart: [],
    });
    expect(match({ name: 'Joan', born_year: null }, ['name', 'born_year'])).toEqual({ kind: 'none', setApart: [] });
    expect(match({ name: 'Joan' }, [])).toEqual({ kind: 'none', setApart: [] });
  });

  it('never matches if an entry finds two, for any account', () => {
    const user = fc.record({ email: fc.constantFrom('a', 'b', ''), name: fc.constantFrom('x', 'y', '') });
    fc.assert(
      fc.property(
        fc.array(user, { maxLength: 6 }),
        user,
        fc.constantFrom([['email'], ['name']], [['email', 'name']], [['name'], ['email', 'name']]),
        (users, wanted, entries) => {
          const people = users.map((one, i) => observedOf(`u${i}`, one));
          const found = correlate(desiredOf('k', wanted), matchBy(...entries), finderOf(people));
          const hits = entries
            .filter((names) => names.every((name) => wanted[name as keyof typeof wanted] !== ''))
            .map((names) =>
              users.flatMap((one, i) =>
                names.every((name) => one[name as keyof typeof one] === wanted[name as keyof typeof wanted])
                  ? [`u${i}`]
                  : [],
              ),
            );
          const first = hits.find((ids) => ids.length > 0) ?? [];
          expect(found.kind).toBe(first.length === 0 ? 'none' : first.length === 1 ? 'match' : 'ambiguous');
          if (found.kind === 'match') expect([found.id]).toEqual(first);
        },
      ),
    );
  });
});

describe('claimValues', () => {
  it.each<readonly [entity: Entity, after: Values, whole: Values, claims: readonly string[]]>([
    ['users', { email: 'Jane@X.test', name: 'Jane', upn: 'jd' }, {}, ['users.email jane@x.test', 'users.upn jd']],
    ['users', { external_unique_id: 'E1', email: '' }, {}, ['users.external_unique_id e1']],
    ['users', { email: null }, {}, []],
    ['projects', { external_unique_id: 'P1', customer: 'C1' }, {}, ['projects.external_unique_id p1']],
    ['countries', { code: 'NO' }, {}, ['countries.code no']],
    ['offices', { name: 'Oslo' }, { country: 'no', name: 'Oslo' }, ['offices.natural no/oslo']],
  ])('claims for %s: %j', (entity, after, whole, claims) => {
    const found: string[] = [];
    claimValues({ entity, key: 'K', after }, whole, {
      claim: (what, id, key) => void found.push(`${what} ${id} ${key}`),
    });
    expect(found.toSorted()).toEqual(claims.map((claim) => `${claim} K`));
  });
});

describe('buildChange', () => {
  const { id: _none, ...base } = changeOf('users', 'E1', {
    action: 'update',
    target: 'u1',
    before: { name: 'a', email: 'x' },
    after: { name: 'b', email: 'y' },
    reason: { kind: 'changed', text: 'name changed in hr' },
  });
  const id = buildChange(base, 'config').id;

  it('keeps its id when wording, place, label, hashes, needs or the order of keys change', () => {
    const same = [
      { reason: { kind: 'changed', text: 'other words' } },
      { place: 'hr other.csv:99' },
      { label: 'Somebody else' },
      { observedHash: 'h', desiredHash: 'd' },
      { needs: ['users:E2'] },
      { after: { email: 'y', name: 'b' } },
      { key: 'renamed in the source' },
    ] as const;
    for (const more of same) expect(buildChange({ ...base, ...more }, 'config').id).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('gets another id when the change itself, its kind of reason or the configuration changes', () => {
    const others = [
      { entity: 'customers' },
      { action: 'reactivate' },
      { target: 'u2' },
      { target: null },
      { before: { name: 'z', email: 'x' } },
      { after: { name: 'c', email: 'y' } },
      { reason: { kind: 'drifted', text: 'name changed in hr' } },
    ] as const;
    const ids = [
      id,
      buildChange(base, 'other').id,
      ...others.map((more) => buildChange({ ...base, ...more }, 'config').id),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('takes its id from changed languages only, but from an office as a unit', () => {
    const of = (before: Values, after: Values) => buildChange({ ...base, before, after }, 'config').id;
    const text = of({ title: { en: 'a' } }, { title: { en: 'b' } });
    expect(of({ title: { en: 'a', no: 'x' } }, { title: { en: 'b', no: 'x' } })).toBe(text);
    expect(of({ title: { en: 'a', no: 'x' } }, { title: { en: 'b', no: 'y' } })).not.toBe(text);
    expect(of({ title: { en: 'a' } }, { title: { en: 'c' } })).not.toBe(text);
    expect(of({ title: { en: 'c' } }, { title: { en: 'b' } })).not.toBe(text);
    expect(of({ title: { en: 'a', no: 'x' } }, { title: { en: 'b' } })).not.toBe(text);
    const office = (country: string, name: string): Values => ({ office: { country, name } });
    expect(of(office('no', 'A'), office('no', 'B'))).not.toBe(of(office('se', 'A'), office('se', 'B')));
    const proposal = (before: Values, after: Values) =>
      buildChange({ ...base, entity: 'proposals', before, after }, 'config').id;
    expect(proposal({ cvs: ['a'] }, { cvs: ['b'] })).toBe(proposal({ cvs: ['c'] }, { cvs: ['b'] }));
    expect(proposal({ cvs: ['a'] }, { cvs: [] })).not.toBe(proposal({ cvs: ['c'] }, { cvs: [] }));
  });

  it('gives another fingerprint for another order or division of ids', () => {
    const of = (...ids: readonly string[]): string => {
      const fingerprint = createFingerprint();
      for (const one of ids) fingerprint.add(one);
      return fingerprint.digest();
    };
    expect(of('a', 'b')).toBe(of('a', 'b'));
    expect(new Set([of(), of('a', 'b'), of('b', 'a'), of('ab'), of('a')]).size).toBe(5);
  });
});

describe('cost', () => {
  it('adds up the calls of each change by endpoint, reads and writes separately', () => {
    const meter = createCostMeter(
      ({ entity }) => (entity === 'users' ? ['GET /u', 'PUT /u'] : ['POST /a']),
      (endpoint) => endpoint.startsWith('GET'),
      ({ entity }) => entity === 'offices',
    );
    for (const entity of ['users', 'users', 'offices'] as const) meter.add(changeOf(entity, 'k'));
    expect(meter.total({ requestsPerSecond: 2, perMinute: null, concurrency: 1, latencyMs: 0 })).toEqual({
      writes: 3,
      reads: 2,
      by_endpoint: { 'GET /u': 2, 'POST /a': 1, 'PUT /u': 2 },
      mails: 1,
      seconds: 2.5,
    });
  });

  it('shares the first call of a batch among up to 300 changes', () => {
    const meter = createCostMeter(
      () => ['POST /links', 'POST /role'],
      () => false,
      () => false,
    );
    const add = (count: number, batch?: string): void => {
      for (let i = 0; i < count; i++) meter.add(changeOf('staffing', 'k', batch === undefined ? {} : { batch }));
    };
    const calls = () =>
      meter.total({ requestsPerSecond: 1, perMinute: null, concurrency: 1, latencyMs: 0 }).by_endpoint;
    add(2);
    expect(calls()).toEqual({ 'POST /links': 2, 'POST /role': 2 });
    add(300, 'p1');
    add(1, 'p2');
    expect(calls()).toEqual({ 'POST /links': 4, 'POST /role': 303 });
    add(1, 'p1');
    expect(calls()).toEqual({ 'POST /links': 5, 'POST /role': 304 });
  });

  it('includes calls that no change makes alone, and counts those that only ask as reads', () => {
    const meter = createCostMeter(
      () => [],
      () => false,
      () => false,
    );
    meter.addCalls({ 'POST /import': 1 });
    meter.addReads({ 'POST /search': 2 });
    expect(meter.total({ requestsPerSecond: null, perMinute: 60, concurrency: 1, latencyMs: 0 })).toEqual({
      ...{ writes: 1, reads: 2, seconds: 3 },
      by_endpoint: { 'POST /import': 1, 'POST /search': 2 },
    });
  });

  it('uses the slowest limit', () => {
    const pace = { requestsPerSecond: 10, perMinute: 60, concurrency: 4, latencyMs: 100 };
    expect(forecastSeconds(120, pace)).toBe(120);
    expect(forecastSeconds(120, { ...pace, perMinute: null })).toBe(12);
    expect(forecastSeconds(120, { ...pace, perMinute: null, requestsPerSecond: null })).toBe(3);
    expect(forecastSeconds(0, pace)).toBe(0);
  });
});
