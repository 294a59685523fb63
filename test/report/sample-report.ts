import type { DueDelivery } from '../../src/model/delivery.js';
import type { Hold } from '../../src/model/desired.js';
import type { AdoptionReport, BulkLoad, Counts, GuardTrip, PlannedChange } from '../../src/model/plan.js';
import type { NearMisses, PlannedSourceChange } from '../../src/model/write-back.js';
import { openPlanDocument } from '../../src/planning/saved/plan-document.js';
import { writePlan } from '../../src/planning/saved/plan-file.js';
import { reportPlan } from '../../src/report/sections/plan-report.js';
import type { Report } from '../../src/report/sections/report.js';
import { changeOf, makeFolder, PLAN_KEY } from '../samples.js';

/** A name that acts as a script without escaping. */
export const EVIL = '</script><img src=x onerror="document.title=1">';

export const TRIP: GuardTrip = {
  guard: 'users.deactivate',
  limit: 1,
  found: 2,
  cause: 'source shrank',
  detail: 'the source shrank from 9 rows to 4',
  held: 2,
};

export const ADOPTION: AdoptionReport = {
  entity: 'users',
  matched: { external_unique_id: 120, email: 61 },
  equal: 102,
  differing: {
    telephone: { count: 9, samples: [] },
    title: {
      count: 70,
      samples: [
        { label: 'Jane <j@example.com>', before: { en: 'Consultant' }, after: { en: 'Senior <b>', no: 'A|B' } },
      ],
    },
  },
  only_in_source: { count: 7, samples: ['Kari <k@example.com>', EVIL] },
  only_in_service: { count: 0, samples: [] },
  doubtful: 3,
};

export const BULK_LOAD: BulkLoad = {
  batch: 'import:hr',
  people: 18,
  singly: [{ reason: 'title: no is not | in it', people: 4, examples: ['A <a@x>', 'B <b@x>'] }],
  refused: null,
  calls: {},
};

export function plannedOf(key: string, more: Partial<PlannedChange> = {}): PlannedChange {
  return { ...changeOf('users', key), stage: 3000, withheld: null, approval: null, ...more };
}

export function leaver(key: string, label: string): PlannedChange {
  return plannedOf(key, {
    label,
    action: 'deactivate',
    fields: ['deactivated'],
    before: { deactivated: false },
    after: { deactivated: true },
    place: 'absent',
    reason: { kind: 'absent', text: 'missing from 3 complete reads of hr' },
    target: 'a1',
    withheld: { by: 'guard', name: 'users.deactivate' },
  });
}

export function mover(key: string, label: string, more: Partial<PlannedChange> = {}): PlannedChange {
  return plannedOf(key, {
    label,
    action: 'update',
    fields: ['title', 'office'],
    before: { title: { en: 'Consultant', no: 'Konsulent' }, office: { country: 'se', name: 'Malmö' } },
    after: { title: { en: 'Senior | `Consultant`' }, office: { country: 'no', name: 'Oslo' } },
    reason: { kind: 'changed', text: 'title, office changed in hr' },
    target: 'a2',
    ...more,
  });
}

/** Values for HR: a telephone number, and an id that is known only after apply. */
export function toldOf(record: string, label: string, more: Partial<PlannedSourceChange> = {}): PlannedSourceChange {
  const ofField = { known: 'now', field: 'telephone', serviceHash: 'ab' } as const;
  const ofOutcome = { known: 'after apply', field: null, serviceHash: null } as const;
  return {
    ...{ id: `told${record}`, source: 'hr', record, entity: 'users', key: record, label, needs: [] },
    place: `hr employees.csv:${record.slice(1)}`,
    reason: 'telephone changed in the service',
    cells: [
      { column: 'phone', before: '+47 1', after: '+47 2', ...ofField },
      { column: 'talent_id', before: null, after: null, ...ofOutcome },
    ],
    withheld: null,
    approval: null,
    ...more,
  };
}

/** Values for the sources of a plan, with a due report and a value shown in another form. */
export const BOTH = {
  toSources: [
    toldOf('E2', 'Jane | *Doe* <jane@example.com>'),
    toldOf('E4', EVIL, { withheld: { by: 'guard', name: 'sources.hr.overwrite' } }),
    toldOf('D9', 'A deal', { source: 'crm.deals', entity: 'projects', place: 'crm.deals deals.ndjson:9' }),
  ],
  due: [
    { report: 'people', of: 'cv user_report', slot: '2026-11-20T06:00:00.000Z', missed: 1, calls: { 'POST /x': 5 } },
  ],
  nearMisses: [{ source: 'hr', column: 'phone', records: 2, examples: ['E7', EVIL] }],
} as const;

export function hold(key: string, code: string, reason: string): Hold {
  return { entity: 'users', key, place: `hr employees.csv:${key}`, code, reason, remedy: 'Correct the row.' };
}

/** A saved plan of these changes, read as a report. Everything but its folder is the same on every machine. */
export async function planReport(
  changes: readonly PlannedChange[],
  more: {
    readonly holds?: readonly Hold[];
    readonly guards?: readonly GuardTrip[];
    readonly adoption?: readonly AdoptionReport[];
    readonly bulkLoad?: BulkLoad;
    readonly toSources?: readonly PlannedSourceChange[];
    readonly due?: readonly DueDelivery[];
    readonly nearMisses?: readonly NearMisses[];
  } = {},
): Promise<Report> {
  const folder = makeFolder();
  const counts: Record<string, Record<string, number>> = {};
  for (const { entity, action } of changes)
    counts[entity] = { ...counts[entity], [action]: (counts[entity]?.[action] ?? 0) + 1 };
  const { file } = await writePlan(
    folder,
    {
      meta: {
        plan: 'p20261120T080000000Z-abcdef',
        created: '2026-11-20T08:00:00.000Z',
        expires: '2026-11-21T08:00:00.000Z',
        config: '/etc/acme.yaml',
        mirror: 'feed',
        reads: { hr: '2026-11-20T07:59:00.000Z' },
      },
      changes,
      back: more.toSources ?? [],
      holds: more.holds ?? [],
      summary: {
        counts: counts as Counts,
        toSources: {},
        declined: [],
        cost: {
          writes: 3,
          reads: 1,
          by_endpoint: { 'PUT /api/v1/users/{user_id}': 3, 'GET /x': 1 },
          seconds: 2,
          sources: { hr: { file: 1 } },
        },
        held: more.holds?.length ?? 0,
        heldCounts: { records: more.holds?.length ?? 0, fields: 0, conflicts: 0 },
        waiting: 0,
        guards: more.guards ?? [],
        bulkLoad: more.bulkLoad ?? null,
        deliveries: more.due ?? [],
        nearMisses: more.nearMisses ?? [],
        adoption: more.adoption ?? null,
        understood: null,
        evidence: {
          sources: [
            {
              entity: 'users',
              source: 'hr',
              decides: true,
              at: '/drop/employees.csv',
              rows: 4,
              rejected: 1,
              complete: false,
              because: 'cut | short',
              digest: 'ab12',
            },
          ],
          mirror: { users: { all: 9, active: 8 } },
        },
      },
    },
    PLAN_KEY,
    undefined,
  );
  const report = reportPlan(await openPlanDocument(file, PLAN_KEY));
  return { ...report, facts: report.facts.filter(({ name }) => name !== 'Plan file' && name !== 'Fingerprint') };
}

export async function textOfReport(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}
