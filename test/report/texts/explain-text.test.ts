import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import type { Explanation } from '../../../src/report/explain/explain.js';
import { renderExplanation } from '../../../src/report/texts/explain-text.js';
import { displayWidth } from '../../../src/report/writers/style.js';

const NOTHING: Explanation['steps'] = {
  sources: [],
  scope: null,
  leaver: null,
  joiner: null,
  doubtful: null,
  fields: [],
  desired: null,
  correlation: { link: null, origin: null, since: null, found: null, match: [] },
  mirror: null,
  base: null,
  named_in: null,
  absence: null,
  departure: null,
  pins: [],
  declined: [],
  held: [],
  left_alone: null,
  setting: null,
  unverifiable: [],
  action: null,
  guard: null,
  history: [],
  starts: null,
  write_back: null,
};

const BY_EMAIL: Explanation['steps']['correlation']['match'][number] = {
  fields: ['email'],
  compare: { case: 'fold', unicode: 'nfc', whitespace: 'collapse' },
  found: [{ id: 'u1', label: '山田 花子' }],
  set_apart: [],
};

function stepOf(path: string, expression: string, value: string): Explanation['steps']['fields'][number] {
  return { path, expression, result: { kind: 'value', value }, depends: ['hr'], apply: 'always', when_empty: 'keep' };
}

const MOVED: Explanation['steps'] = {
  ...NOTHING,
  sources: [{ place: 'hr employees.csv:4', values: { employee_id: 'E1', title: 'Architect' } }],
  fields: [
    { ...stepOf('name', 'hr.name', '山田 花子'), apply: 'create' },
    stepOf('title.en', `hr.title ${'|| hr.other '.repeat(9)}`, 'Architect'),
  ],
  desired: { name: '山田 花子' },
  correlation: { ...NOTHING.correlation, found: { id: 'u1', by: 'email' }, match: [BY_EMAIL] },
  mirror: {
    id: 'u1',
    active: false,
    values: { name: '山田 花子', tags: { unit: [] }, office_id: 'o1', owners_ids: { a: 'b' } },
  },
  base: { name: 'Hanako', tags: { unit: 'a' }, customer: 'C-1' },
  unverifiable: ['tags'],
  action: {
    action: 'update',
    label: '山田 花子',
    fields: ['title'],
    before: { title: null },
    after: { title: { en: 'Architect' } },
    reason: { kind: 'first_contact', text: 'matched by email; differs in title' },
    needs: ['offices:no/Oslo'],
    approval: null,
  },
  guard: { by: 'guard', name: 'users.update' },
};

function textOf(steps: Explanation['steps'], columns = 80): string {
  return renderExplanation({ entity: 'users', key: 'E1', steps }, false, columns);
}

describe('renderExplanation', () => {
  it('recognises people by the names of either side', () => {
    const base = { owners: ['E1', 'E2'], owner: 'E1', people_meant: { E1: 'u1', E2: 'u2' } };
    const values = { owners: ['b@x', 'a@x'], owners_ids: { 'b@x': 'u2', 'a@x': 'u1' }, owner: 'Ann', owner_id: 'u1' };
    const of = (shown: Values) => textOf({ ...NOTHING, base, mirror: { id: 'p1', active: true, values: shown } });
    expect(of(values)).toContain('the same as in the service');
    expect(of(values)).not.toMatch(/different from|people_meant/);
    expect(of({ ...values, owner_id: 'u2' })).toContain('different from the service now:\n    owner = "E1"');
    expect(of({ ...values, owners_ids: { 'a@x': 'u1' } })).toContain('owners = E1, E2');
  });

  it('shows all steps in the order of a run, with the result in the first line', () => {
    expect(textOf(MOVED)).toMatchInlineSnapshot(`
      "user E1: update, waiting
      Source rows
        hr employees.csv:4
          employee_id = E1 · title = Architect
      Scope and leaving
        scope: none is configured, so every record is in scope
        leaver.when: not configured
      Match
        not linked yet: matches u1 by email, which the next run adopts
          email: case fold, unicode nfc, whitespace collapse → 山田 花子 (u1)
      Fields: expression → value
        name      hr.name → "山田 花子"  (apply: create)
        title.en  hr.title || hr.other || hr.other || hr.other || hr.other || hr.other
                  || hr.other || hr.other || hr.other || hr.other
                  → "Architect"
      In the service, as last read (mirror)
        u1, deactivated
          name = "山田 花子"
      Last agreed (base)
        different from the service now:
          name = "Hanako" · tags = unit "a"
        known by its key:
          customer = "C-1"
      Change in the next run
        update: matched by email; differs in title
          title.en  (empty) → "Architect"
          after offices:no/Oslo
      Guard
        it waits for users.update
        to approve it: talent-sync approve --who user:E1 --reason "…"
      "
    `);
  });

  it('fits the terminal', () => {
    for (const line of textOf(MOVED, 60).split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(72);
  });

  it.each([
    ['nothing to do', { desired: {} }, 'nothing: both sides are equal'],
    ['left alone', { left_alone: 'the person has left' }, 'nothing: the person has left'],
    [
      'held, SYNC_MATCH_AMBIGUOUS',
      {
        held: [{ entity: 'users', key: 'E1', place: 'hr', code: 'SYNC_MATCH_AMBIGUOUS', reason: 'two', remedy: 'one' }],
      },
      'nothing, while it is held',
    ],
  ] as const)('for a person %s, says why nothing is done', (end, more, why) => {
    const [first, ...rest] = textOf({ ...NOTHING, ...more }).split('\n');
    expect(first).toBe(`user E1: ${end}`);
    expect(rest.at(-2)).toBe(`  ${why}`);
  });

  it.each([
    [{ by: 'blocked', name: 'offices:no/Oslo' }, 'it waits for offices:no/Oslo, which must come first'],
    [
      { by: 'pause', name: '2026-11-22T01:00:00.000Z' },
      'it was rejected before, and is tried again after 2026-11-22T01:00:00.000Z',
    ],
    [null, 'approved: a1 by kim'],
  ] as const)('says why a change waits: %j', (guard, line) => {
    const action = MOVED.action === null ? null : { ...MOVED.action, approval: 'a1 by kim' };
    expect(textOf({ ...MOVED, action, guard })).toContain(`Guard\n  ${line}\n`);
  });

  it('says how a match was searched for a record without one', () => {
    const correlation = { ...MOVED.correlation, found: null, match: [{ ...BY_EMAIL, found: [] }] };
    expect(textOf({ ...MOVED, correlation }, 120)).toContain(
      '  not linked, and nothing in the service matches\n    email: case fold, unicode nfc, whitespace collapse → nothing\n',
    );
    const seen = { ...correlation, match: [{ ...BY_EMAIL, found: [{ id: 'u1', label: 'Jane' }] }] };
    expect(textOf({ ...MOVED, correlation: seen }, 120)).toContain(
      '  not linked, although the service has these matches\n    email: case fold, unicode nfc, whitespace collapse → Jane (u1)\n',
    );
  });

  it('shows values for the sources, and values on their way', () => {
    const text = textOf({
      ...NOTHING,
      write_back: {
        told: [
          {
            source: 'hr',
            record: 'E1',
            reason: 'phone (telephone) changed in the service',
            withheld: { by: 'guard', name: 'sources.hr.overwrite' },
            cells: [
              { column: 'phone', before: null, after: '2', known: 'now', field: 'telephone', serviceHash: 'h' },
              { column: 'talent_id', before: null, after: null, known: 'after apply', field: null, serviceHash: null },
            ],
          },
        ],
        waiting: [
          {
            ...{ source: 'idp', record: 'p1', column: 'title', value: 'Lead', shown: null, status: 'refused' },
            ...{ run: 'r1', at: '2026-11-20T08:00:00.000Z', times: 2, message: 'too long' },
          },
        ],
      },
    });
    expect(text).toContain(`user E1: written back`);
    expect(text.slice(text.indexOf('Written back')).split('\n')).toEqual([
      'Written back',
      '  hr E1: phone (telephone) changed in the service',
      '    phone: (empty) → "2"',
      '    talent_id: (empty) → (known after apply)',
      '    it waits for sources.hr.overwrite',
      '  idp p1: title = "Lead", rejected 2026-11-20 08:00 UTC, 2 times: too long',
      '',
    ]);
    expect(textOf({ ...NOTHING, write_back: { told: [], waiting: [] } })).toContain('nothing is on its way');
  });
});
