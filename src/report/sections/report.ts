import type { DeliveryResult } from '../../model/delivery.js';
import type { ReportedHold } from '../../model/desired.js';
import type { GuardTrip, Reason } from '../../model/plan.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import type { AuditedCall } from '../../store/audit/audit-entry.js';
import type { ValueDifference } from './differences.js';
import { nameEntities, nameOne, type Tone } from './kinds.js';
import { code, name, prose, type ReportFact, type SectionCell, type Text } from './section.js';

/** How far a change has come, in the order in which a reader wants to see them. */
export const STATES = {
  failed: { tone: 'bad', name: 'failed' },
  waits: { tone: 'warn', name: 'waiting' },
  left: { tone: 'warn', name: 'not tried' },
  declined: { tone: 'plain', name: 'declined' },
  approved: { tone: 'good', name: 'approved' },
  planned: { tone: 'plain', name: 'planned' },
  done: { tone: 'good', name: 'done' },
  /** Shown on pages alone: carried out, declined or replaced since the report was made. */
  settled: { tone: 'plain', name: 'no longer waiting' },
} as const satisfies Readonly<Record<string, { readonly tone: Tone; readonly name: string }>>;
export type State = keyof typeof STATES;

/** One change of a plan or run, as every format tells it. */
export interface ReportChange {
  readonly id: string;
  readonly entity: string;
  /** `tell` where it is written back to a source. */
  readonly action: string;
  /** The source that is written back to, with its record; null for a change of the service. */
  readonly sourceRecord: { readonly source: string; readonly record: string } | null;
  readonly key: string;
  readonly target: string | null;
  readonly label: string;
  /** What tells a new object from others like it: its office, its customer. */
  readonly hint: string;
  readonly reason: Reason | { readonly kind: string; readonly text: string };
  readonly place: string;
  /** Changes that must succeed first, as `entity:key`. */
  readonly needs: readonly string[];
  readonly differences: readonly ValueDifference[];
  readonly state: State;
  /** What it waits for, why it failed or was left; blank where the state says it all. */
  readonly about: string;
  readonly approval: string | null;
  /** ISO 8601: when it ended; null while it is planned. */
  readonly at: string | null;
  readonly calls: readonly AuditedCall[];
  /** Approved by name alone, and not along with others. */
  readonly alone: boolean;
}

/** Under what a change is counted and filtered: `users`, `to hr`. */
export function groupOf({ entity, sourceRecord }: Pick<ReportChange, 'entity' | 'sourceRecord'>): string {
  return sourceRecord === null ? entity : `to ${sourceRecord.source}`;
}

/** Where a column has a head: tables of changes, and the facts under a change on a page of a report or of operators. */
type ColumnPlace = 'markdown' | 'page' | 'pageFacts' | 'operators' | 'operatorFacts';

export interface ChangeColumn {
  /** Names it in the page's rows, in its style (`c-place`) and in the tables of those that look unlike a text. */
  readonly id: string;
  /** Its words in each place that shows it. */
  readonly heads?: Readonly<Partial<Record<ColumnPlace, string>>>;
  /** The terminal, which has no heads, shows it next to the name. */
  readonly isBesideName?: true;
  readonly style?: string;
  readonly text: (change: ReportChange) => string;
  /** In Markdown, unless it is the text as a sentence. */
  readonly cell?: (change: ReportChange) => Text | SectionCell;
  /** Its name in the CSV, or the cells there that say more to a program; a row of the CSV has one of the differences. */
  readonly csv?:
    | string
    | Readonly<Record<string, (change: ReportChange, one?: ValueDifference) => string | null | undefined>>;
}

function callText({ call, status, request_id: id }: AuditedCall): string {
  return `${call} → ${status ?? 'no answer'}${id === null ? '' : `, request ${id}`}`;
}

const everywhere = (head: string) => ({ markdown: head, page: head, operators: head });

/** Every column of the tables of changes, in the order of all of them; terminal, Markdown, pages and CSV go by it. */
const COLUMNS = [
  { id: 'id', text: ({ id }) => id, csv: 'change' },
  {
    id: 'action',
    heads: { page: 'Action', operators: 'Action' },
    text: ({ action }) => action,
    csv: { entity: ({ entity }) => entity, action: ({ action }) => action },
  },
  { id: 'entity', heads: { page: 'Entity' }, text: (change) => nameEntities(groupOf(change)) },
  { id: 'key', text: ({ sourceRecord, key }) => sourceRecord?.record ?? key, csv: { key: ({ key }) => key } },
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
    // The values before say nothing about a new object.
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
    heads: { pageFacts: 'Needs first', operatorFacts: 'needs first:' },
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
    heads: { pageFacts: 'Stands for', operatorFacts: 'stands for' },
    text: ({ sourceRecord, entity, key }) => (sourceRecord === null ? '' : `${nameOne(entity)} ${key}`),
    csv: { to_source: ({ sourceRecord: to }) => to?.source, record: ({ sourceRecord: to }) => to?.record },
  },
] as const satisfies readonly ChangeColumn[];
export const CHANGE_COLUMNS: readonly ChangeColumn[] = COLUMNS;

type CsvNameOf<C> = C extends { readonly csv: infer T } ? (T extends string ? T : keyof T) : never;
export type CsvName = CsvNameOf<(typeof COLUMNS)[number]>;

/** The columns that have a head there, each with its head. */
export function columnsOf(place: ColumnPlace): readonly (ChangeColumn & { readonly head: string })[] {
  return CHANGE_COLUMNS.flatMap((one) =>
    one.heads?.[place] === undefined ? [] : [{ ...one, head: one.heads[place] }],
  );
}

/** A plan or a run, ready to be written in any format. Rows are streamed, and may be walked several times. */
export interface Report {
  readonly kind: 'plan' | 'run';
  readonly id: string;
  /** Whose it is: `acme (acme.example.com)`; null where that is not known. */
  readonly tenant: string | null;
  /** ISO 8601: when the plan was made, or the run began. */
  readonly at: string;
  readonly facts: readonly ReportFact[];
  /** What a reader must know before anything else: stopped, cut short, no longer kept. */
  readonly notes: readonly string[];
  readonly guards: readonly GuardTrip[];
  /** What the plan rests on; null when it is no longer kept. */
  readonly plan: Pick<
    PlanDocument,
    'meta' | 'evidence' | 'cost' | 'adoption' | 'bulkLoad' | 'deliveries' | 'nearMisses' | 'understood'
  > | null;
  /** What a run took; null for a plan. */
  readonly spent: { readonly reads: number; readonly writes: number; readonly seconds: number } | null;
  /** How reports of the service went whose time had come; none for a plan. */
  readonly delivered: readonly DeliveryResult[];
  /** Changes of the service, then what is written back to the sources. */
  readonly changes: () => AsyncIterable<ReportChange>;
  readonly holds: () => AsyncIterable<ReportedHold> | Iterable<ReportedHold>;
}
