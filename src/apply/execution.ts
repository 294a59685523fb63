import type { Clock } from '../base/clock.js';
import type { Copy } from '../model/copies.js';
import type { Observed } from '../model/observed.js';
import type { Change, PlannedChange } from '../model/plan.js';
import type { AuditEntry, AuditedCall } from '../store/audit/audit-entry.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import type { CallContext, RefusedField } from './step.js';
import type { Untaken } from './verify.js';

export interface Execution {
  readonly run: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly calls: CallContext;
  /** Adds the current names of offices and tags to a person in an answer. */
  readonly withNames: Stores['withNames'];
  readonly contextOf: ContextOf;
  /** The time for which a call may still be running in the service after its answer was lost, in milliseconds. */
  readonly settleMs: number;
  /** Updates the people in the mirror with a full read. */
  readonly readEverybody: () => Promise<unknown>;
  /** The time within which the people of an import must appear, in milliseconds. */
  readonly confirmWithinMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One change in progress, with the answers to its calls so far. */
export interface ChangeProgress {
  /** The change, without the fields that the service rejected by name. */
  change: PlannedChange;
  /** The open intent; null before the first call. */
  seq: number | null;
  /** The object after the last call; null before the first call. */
  previous: Observed | null;
  mailed: boolean;
  readonly calls: AuditedCall[];
  readonly refusals: RefusedField[];
  readonly copies: Copy[];
}

export function startOf(change: PlannedChange, seq: number | null): ChangeProgress {
  return { change, seq, previous: null, mailed: false, calls: [], refusals: [], copies: [] };
}

/** The end of one change; link, base, audit entry and journal are written from it. */
export interface ChangeEnd {
  readonly change: Change;
  readonly run: string;
  readonly at: string;
  readonly approval: string | null;
  readonly calls: readonly AuditedCall[];
  readonly result: AuditEntry['result'];
  readonly error: string | null;
  /** The current object in the service; null if it does not exist or is unknown. */
  readonly observed: Observed | null;
  /** Fields with values in the answer that differ from the sent values. */
  readonly untaken?: readonly Untaken[];
  /** Fields that were rejected or never sent, so their values are not remembered. */
  readonly unsent?: readonly string[];
  /** True if the service sent an e-mail because of the change. */
  readonly mailed?: boolean;
  /** Copies that the change added to a proposal. */
  readonly copies?: readonly Copy[];
}
