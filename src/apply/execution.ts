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
  /** Adds the current names of offices and tags to a person from an answer. */
  readonly withNames: Stores['withNames'];
  readonly contextOf: ContextOf;
  /** How long a call may still be running in the service after its answer was lost, in milliseconds. */
  readonly settleMs: number;
  /** Updates the mirror's people by a full read. */
  readonly readEverybody: () => Promise<unknown>;
  /** How long the people of an import may take to appear, in milliseconds. */
  readonly confirmWithinMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One change in progress, with the answers of its calls so far. */
export interface ChangeProgress {
  readonly change: PlannedChange;
  /** The open intent; null before the first call. */
  seq: number | null;
  /** The object after the last call; null before the first. */
  previous: Observed | null;
  mailed: boolean;
  readonly calls: AuditedCall[];
  readonly refusals: RefusedField[];
  readonly copies: Copy[];
}

export function startOf(change: PlannedChange, seq: number | null): ChangeProgress {
  return { change, seq, previous: null, mailed: false, calls: [], refusals: [], copies: [] };
}

/** The end of one change, from which link, base, audit and journal are written. */
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
  /** Differences between the answer and the sent values. */
  readonly untaken?: readonly Untaken[];
  /** Fields that were rejected, or whose call was never made: their values are not remembered. */
  readonly unsent?: readonly string[];
  /** The service sent an e-mail because of it. */
  readonly mailed?: boolean;
  /** Contents that were added to a proposal. */
  readonly copies?: readonly Copy[];
}
