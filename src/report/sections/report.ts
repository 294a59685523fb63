import type { Batches } from '../../base/clock.js';
import type { DeliveryResult } from '../../model/delivery.js';
import type { ReportedHold } from '../../model/desired.js';
import { type GuardTrip, type Reason, recordKeyOf } from '../../model/plan.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import type { AuditedCall } from '../../store/audit/audit-entry.js';
import type { ValueDifference } from './differences.js';
import { nameEntities, nameOne, type Tone } from './kinds.js';
import { code, name, prose, type ReportFact, type SectionCell, type Text } from './section.js';

/** The state of a change, in the order in which reports show them. */
export const STATES = {
  failed: { tone: 'bad', name: 'failed' },
  waits: { tone: 'warn', name: 'waiting' },
  left: { tone: 'warn', name: 'not tried' },
  declined: { tone: 'plain', name: 'declined' },
  approved: { tone: 'good', name: 'approved' },
  planned: { tone: 'plain', name: 'planned' },
  done: { tone: 'good', name: 'done' },
  /** Only shown on pages, for what happened after the report was created. */
  carried: { tone: 'good', name: 'carried out' },
  replaced: { tone: 'accent', name: 'not needed any more' },
} as const satisfies Readonly<Record<string, { readonly tone: Tone; readonly name: string }>>;
export type State = keyof typeof STATES;

/** One change of a plan or run, with the same content in every format. */
export interface ReportChange {
  readonly id: string;
  readonly entity: string;
  /** `tell` for a write-back to a source. */
  readonly action: string;
  /** The source and record to write back to; null for a change to the service. */
  readonly sourceRecord: { readonly source: string; readonly record: string } | null;
  readonly key: string;
  readonly target: string | null;
  readonly label: string;
  /** Distinguishes a new object from similar ones by its office or customer. */
  readonly hint: string;
  readonly reason: Reason | { readonly kind: string; readonly text: string };
  readonly place: string;
  /** Changes that must succeed first, as `entity:key`. */
  readonly needs: readonly string[];
  readonly differences: readonly ValueDifference[];
  readonly state: State;
  /** Why the change waits, failed or was left; empty if the state is enough. */
  readonly about: string;
  /** For a change that a guard held when the report was created: the guards, as in `about`, and the decision since then. */
  readonly heldFirst?: { readonly by: string; readonly fate: string };
  readonly approval: string | null;
  /** ISO 8601: when the change ended; null while it is planned. */
  readonly at: string | null;
  readonly calls: readonly AuditedCall[];
  /** True if the change must be approved by name, not together with others. */
  readonly alone: boolean;
}

/** The group under which a change is counted and filtered: `users`, `to hr`. */
export function groupOf({ entity, sourceRecord }: Pick<ReportChange, 'entity' | 'sourceRecord'>): string {
  return sourceRecord === null ? entity : `to ${sourceRecord.source}`;
}

/** Places where a column has a header: tables of changes, and the facts below a change on a report page or an operator page. */
type ColumnPlace = 'markdown' | 'page' | 'pageFacts' | 'operators' | 'operatorFacts';

export interface ChangeColumn {
  /** Name of the column in the page's rows, in its style (`c-place`) and in tables with a custom layout. */
  readonly id: string;
  /** The header text in each place that shows the column. */
  readonly heads?: Readonly<Partial<Record<ColumnPlace, string>>>;
  /** True if the terminal, which has no headers, shows the column next to the name. */
  readonly isBesideName?: true;
  readonly style?: string;
  readonly text: (change: ReportChange) => string;
  /** Renders the cell in Markdown; by default, the text as a sentence. */
  readonly cell?: (change: ReportChange) => Text | SectionCell;
  /** Name of the column in the CSV, or several CSV columns with more detail for programs. Each CSV row has one difference. */
  readonly csv?:
    | string
    | Readonly<Record<string, (change: ReportChange, one?: ValueDifference) => string | null | undefined>>;
}

function callText({ call, status, request_id: id }: AuditedCall): string {
  return `${call} → ${status ?? 'no answer'}${id === null ? '' : `, request ${id}`}`;
}

const everywhere = (head: string) => ({ markdown: head, page: head, operators: head });

/** All columns of the tables of changes, in display order. Terminal, Markdown, pages and CSV use this list. */
const COLUMNS = [
  { id: 'id', text: ({ id }) => id, csv: 'change' },
  {
    id: 'action',
    heads: { page: 'Action', operators: 'Action' },
    text: ({ action }) => action,
    csv: { entity: ({ entity }) => entity, action: ({ action }) => action },
  },
  { id: 'entity', heads: { page: 'Entity' }, text: (change) => nameEntities(groupOf(change)) },
  {
    id: 'key',
    text: ({ sourceRecord, key }) => sourceRecord?.record ?? recordKeyOf(key),
    csv: { key: ({ key }) => recordKeyOf(key) },
  },
  {
    id: 'label',
    heads: everywhere('Who or what'),
    style: 'who',
    text: ({ label }) => label,
    cell: ({ sourceRecord: of, label }) => (of === null ? name(label) : [code(of.record), ' ', name(label)]),
    csv: 'label',
  },
  { id: 'hint', isBesideName: true, text: ({ hint }) => hint },
  { id: 'target', heads: { pageFacts: 'Service id' }, text: ({ target }) => target ?? '', csv: 'service_id' },
  {
    id: 'values',
    heads: { ...everywhere('What changes'), operators: 'Before → after' },
    text: () => '',
    // A new object has no previous values.
    cell: ({ action, differences }) => ({
      text: '',
      differences: action === 'create' ? differences.map((one) => ({ ...one, isNew: true })) : differences,
    }),
    csv: { field: (_, one) => one?.field, before: (_, one) => one?.before, after: (_, one) => one?.after },
  },
  { id: 'reason', heads: { markdown: 'Why' }, text: ({ reason }) => reason.text, csv: 'reason' },
  {
    id: 'place',
    heads: { ...everywhere('Source'), markdown: 'Where', pageFacts: 'Source' },
    isBesideName: true,
    style: 'place',
    text: ({ place }) => place,
    cell: ({ place }) => name(place),
    csv: 'place',
  },
  {
    id: 'state',
    heads: everywhere('State'),
    text: ({ state }) => STATES[state].name,
    cell: ({ state, about }) => (state === 'planned' ? '' : [STATES[state].name, ' ', prose(about)]),
    csv: { state: ({ state }) => state },
  },
  { id: 'about', text: ({ about }) => about, csv: 'about' },
  {
    id: 'needs',
    heads: { pageFacts: 'Depends on', operatorFacts: 'depends on:' },
    text: ({ needs }) => needs.join(', '),
    csv: { waits_for: ({ needs }) => needs.join(' ') },
  },
  { id: 'approval', heads: { pageFacts: 'Approved' }, text: ({ approval }) => approval ?? '', csv: 'approval' },
  {
    id: 'at',
    heads: { pageFacts: 'Ended' },
    text: ({ at }) => at?.replace('T', ' ').replace(/\.\d+Z$|Z$/, ' UTC') ?? '',
    csv: { ended_at: ({ at }) => at },
  },
  {
    id: 'calls',
    heads: { pageFacts: 'Calls', operatorFacts: '' },
    text: ({ calls }) => calls.map(callText).join('\n'),
    csv: {
      calls: ({ calls }) => calls.map((one) => `${one.call} ${one.status ?? '-'} ${one.request_id ?? '-'}`).join('; '),
    },
  },
  {
    id: 'of',
    heads: { pageFacts: 'Belongs to', operatorFacts: 'belongs to' },
    text: ({ sourceRecord, entity, key }) => (sourceRecord === null ? '' : `${nameOne(entity)} ${recordKeyOf(key)}`),
    csv: { to_source: ({ sourceRecord: to }) => to?.source, record: ({ sourceRecord: to }) => to?.record },
  },
] as const satisfies readonly ChangeColumn[];
export const CHANGE_COLUMNS: readonly ChangeColumn[] = COLUMNS;

type CsvNameOf<C> = C extends { readonly csv: infer T } ? (T extends string ? T : keyof T) : never;
export type CsvName = CsvNameOf<(typeof COLUMNS)[number]>;

/** The columns that have a header in that place, each with its header. */
export function columnsOf(place: ColumnPlace): readonly (ChangeColumn & { readonly head: string })[] {
  return CHANGE_COLUMNS.flatMap((one) =>
    one.heads?.[place] === undefined ? [] : [{ ...one, head: one.heads[place] }],
  );
}

/** A plan or a run, ready to be written in any format. Rows are streamed, and may be read several times. */
export interface Report {
  readonly kind: 'plan' | 'run';
  readonly id: string;
  /** `acme (acme.example.com)`; null if unknown. */
  readonly tenant: string | null;
  /** ISO 8601: when the plan was created, or the run began. */
  readonly at: string;
  readonly facts: readonly ReportFact[];
  /** The most important notes for a reader: stopped, truncated, or no longer stored. */
  readonly notes: readonly string[];
  readonly guards: readonly GuardTrip[];
  /** The plan behind the report; null if no longer stored. */
  readonly plan: Pick<
    PlanDocument,
    'meta' | 'evidence' | 'cost' | 'adoption' | 'bulkLoad' | 'deliveries' | 'nearMisses' | 'understood'
  > | null;
  /** The cost of a run; null for a plan. */
  readonly spent: { readonly reads: number; readonly writes: number; readonly seconds: number } | null;
  /** Results of the deliveries that were due; empty for a plan. */
  readonly delivered: readonly DeliveryResult[];
  /** Yields the changes to the service, then the write-backs to the sources. */
  readonly changes: () => Batches<ReportChange>;
  readonly holds: () => Batches<ReportedHold>;
}
