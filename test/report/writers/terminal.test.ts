import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Counts, PlannedChange } from '../../../src/model/plan.js';
import { BY_DANGER, lookOf } from '../../../src/report/sections/kinds.js';
import { foldPair } from '../../../src/report/writers/fold-text.js';
import { clip, displayWidth, toTerminal } from '../../../src/report/writers/style.js';
import { type PlanText, renderPlan } from '../../../src/report/writers/terminal.js';
import { hold, leaver, mover, plannedOf, TRIP } from '../sample-report.js';

const CHANGES: readonly PlannedChange[] = [
  plannedOf('E1', { label: 'Kari Nordmann <kari@example.com>', after: { office: { country: 'no', name: 'Oslo' } } }),
  mover('E2', '山田 花子 <hanako@example.com>', { approval: 'a1 by kim: ticket 4711' }),
  mover('E3', 'Jürgen Großmann <jg@example.com>', {
    fields: ['project_description', 'custom_fields'],
    before: { project_description: { en: `${'A long story. '.repeat(20)}It took 14 months.` } },
    after: {
      project_description: { en: `${'A long story. '.repeat(20)}It took 17 months.` },
      custom_fields: { value: { amount: 5 } },
    },
    reason: { kind: 'changed', text: 'project_description, custom_fields changed in hr' },
  }),
  leaver('E4', 'Linnéa Åkerström <linnea@example.com>'),
  leaver('E5', 'Νίκος Παπαδόπουλος <nikos@example.com>'),
];

async function textOf(more: Partial<PlanText> = {}, changes = CHANGES): Promise<string> {
  const counts: Counts = { users: { create: 1, update: 2, deactivate: 2 } };
  return renderPlan({
    head: {
      plan: 'p1',
      created: '2026-11-20T08:00:00.000Z',
      expires: '2026-11-21T08:00:00.000Z',
      config: 'acme.yaml',
      mirror: 'feed',
      file: 'p1.json',
      fingerprint: 'f',
      summary: {
        counts,
        toSources: {},
        declined: [],
        held: 1,
        heldCounts: { records: 1, fields: 0, conflicts: 0 },
        waiting: 0,
        guards: [TRIP],
        bulkLoad: null,
        deliveries: [],
        nearMisses: [],
        adoption: null,
        understood: null,
        evidence: { sources: [], mirror: null },
        cost: { writes: 3, reads: 0, by_endpoint: { 'PUT /api/v1/users/{user_id}': 3 }, seconds: 2 },
      },
    },
    others: null,
    changes: () => changes,
    toSources: () => [],
    holds: () => [hold('E9', 'SYNC_ROW_FIELDS', 'hr employees.csv:E9: the row has 13 fields, the header has 12.')],
    color: false,
    width: 80,
    all: false,
    ...more,
  });
}

describe('renderPlan', () => {
  it('on 80 columns, shows counts, guards, holds, then removals before other changes', async () => {
    expect(await textOf()).toMatchInlineSnapshot(`
      "Plan p1: 5 changes, 1 record held, good until 2026-11-21 08:00 UTC
        - deactivate  2 users
        + create      1 user
        ~ update      2 users

      ! Guard users.deactivate holds 2 changes: 2 found, 1 allowed
          Cause: source shrank — the source shrank from 9 rows to 4
          To approve them: talent-sync approve --guard users.deactivate --reason "…"

      Held: set aside and unchanged in the service (1)
        ? user E9 (hr employees.csv:E9)  SYNC_ROW_FIELDS
            The row has 13 fields, the header has 12.
            Correct the row.

      users to deactivate (2), waiting for users.deactivate
          missing from 3 complete reads of hr
        - Linnéa Åkerström <linnea@example.com>
        - Νίκος Παπαδόπουλος <nikos@example.com>

      users to create (1)
        + Kari Nordmann <kari@example.com>  no/Oslo  hr employees.csv:2
            in hr, not in the service

      users to update (2)
        ~ 山田 花子 <hanako@example.com>    hr employees.csv:2
            title, office changed in hr
            approved: a1 by kim: ticket 4711
            title.en  "Consultant" → "Senior | \`Consultant\`"
            office    "se/Malmö" → "no/Oslo"
        ~ Jürgen Großmann <jg@example.com>  hr employees.csv:2
            project_description, custom_fields changed in hr
            project_description.en
              - …story. It took 14 months."
              + …story. It took 17 months."
            custom_fields.value.amount  (empty) → "5"

      Forecast for the changes: 3 writes and 0 reads, about 2 s. Reading both sides
      takes further calls.
      Endpoint                     Forecast
      PUT /api/v1/users/{user_id}         3
      Saved as p1.json
      "
    `);
  });

  it('states each cause of holds once, and marks held fields', async () => {
    const tag = (key: string, category: string) =>
      hold(key, 'SYNC_REFERENCE_UNKNOWN', `tags: The service has no tag category "${category}".`);
    const people = Array.from({ length: 282 }, (_, i) => ({ ...tag(`E${282 - i}`, 'cost_centre'), field: 'tags' }));
    const projects = Array.from({ length: 17 }, (_, i) => ({ ...tag(`P${i}`, 'sector'), entity: 'projects' }));
    const text = await textOf({ holds: () => [...people, ...projects] });
    expect(text).toContain(
      '? a field of 282 users  SYNC_REFERENCE_UNKNOWN\n      tags: The service has no tag category "cost_centre".',
    );
    expect(text).toContain(
      '? 17 projects  SYNC_REFERENCE_UNKNOWN\n      tags: The service has no tag category "sector".\n      P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10,',
    );
    expect(text.split('SYNC_REFERENCE_UNKNOWN').length).toBe(3);
  });

  it('never exceeds the width of the terminal', async () => {
    const label = `${'Maximiliane-Hannelore '.repeat(5)}<m@example.com>`;
    const wild = [mover('E1', label), leaver('E2', label), plannedOf('E3', { label: '山田'.repeat(60) })];
    for (const width of [80, 100]) {
      for (const line of (await textOf({ width }, wild)).split('\n'))
        expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  it('uses colours only if wanted, without other differences', async () => {
    const coloured = toTerminal(await textOf({ color: true }));
    expect(coloured).toContain('\u001b[31m');
    expect(await textOf()).not.toContain('\u001b');
    expect(stripVTControlCharacters(coloured)).toBe(await textOf());
  });

  it('shows the first of 1,000 changes per kind, and all with --all', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => mover(`E${i}`, `Person ${i} <p${i}@example.com>`));
    expect((await textOf({}, many)).split('\n').length).toBeLessThan(80);
    expect(await textOf({}, many)).toContain('… and 988 more (--all)');
    expect(await textOf({ all: true }, many)).toContain('Person 999 ');
  });

  it('escapes control characters of the data', async () => {
    const text = await textOf({}, [mover('E1', 'Eve \u001b[2J\u202e<e@example.com>')]);
    expect(text).toContain('Eve \\u001b[2J\\u202e<e@example.com>');
    expect(text).not.toContain('\u001b');
  });

  it('lists records that are only referred to in a few lines', async () => {
    const reason = { kind: 'referenced', text: 'a record refers to it' } as const;
    const offices = ['Oslo', 'Bergen'].map((label) => plannedOf(label, { entity: 'offices', label, reason }));
    expect(await textOf({}, offices)).toContain('offices to create (2): a record refers to it\n  + Bergen · Oslo\n');
  });

  it('shows unknown actions and entities', async () => {
    const strange = { ...leaver('S1', 'Course 7'), entity: 'widgets', action: 'archive', withheld: null };
    expect(await textOf({}, [strange as unknown as PlannedChange])).toContain('widgets to archive (1)');
  });
});

describe('parts of the plan text', () => {
  it('ranks every action, with removals first', async () => {
    expect(BY_DANGER.indexOf('deactivate')).toBeLessThan(BY_DANGER.indexOf('create'));
    expect(lookOf('delete').rank).toBeLessThan(lookOf('deactivate').rank);
  });

  it('shows long texts from their first difference', async () => {
    const same = 'x'.repeat(200);
    const [old, now] = foldPair(`${same} one`, `${same} two`, 40);
    expect([old, now]).toEqual(['…xxxxxxxxxxxxxxx one"', '…xxxxxxxxxxxxxxx two"']);
  });

  it('clips by columns, not by characters, and never within one', async () => {
    expect(clip('山田花子', 5)).toBe('山田…');
    expect(clip('a𠮷b', 2)).toBe('a…');
    expect(clip('one\n two', 20)).toBe('one\\n two');
  });
});

describe('the order of records', () => {
  it('sorts naturally, E2 before E10, also in a shortened list', async () => {
    const people = (count: number) =>
      Array.from({ length: count }, (_, i) => mover(`E${count - i}`, `Person E${count - i} <p${i}@example.com>`));
    const shown = async (count: number): Promise<readonly string[]> =>
      [...(await textOf({}, people(count))).matchAll(/Person (E\d+) </g)].map(([, key = '']) => key);
    expect(await shown(11)).toEqual(['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8', 'E9', 'E10', 'E11']);
    expect((await shown(200)).slice(0, 3)).toEqual(['E1', 'E2', 'E3']);
  });
});
