import type { AuditedCall } from '../../audit/audit-log.js';
import type { DeliveryResult } from '../../model/delivery.js';
import type { ReportedHold } from '../../model/desired.js';
import type { GuardTrip, Reason } from '../../model/plan.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import type { ValueDifference } from './differences.js';
import type { Tone } from './kinds.js';
import type { ReportFact } from './section.js';

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
    'meta' | 'evidence' | 'cost' | 'adoption' | 'bulkLoad' | 'deliveries' | 'nearMisses'
  > | null;
  /** What a run took; null for a plan. */
  readonly spent: { readonly reads: number; readonly writes: number; readonly seconds: number } | null;
  /** How reports of the service went whose time had come; none for a plan. */
  readonly delivered: readonly DeliveryResult[];
  /** Changes of the service, then what is written back to the sources. */
  readonly changes: () => AsyncIterable<ReportChange>;
  readonly holds: () => AsyncIterable<ReportedHold> | Iterable<ReportedHold>;
}
