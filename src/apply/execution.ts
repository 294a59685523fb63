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
  /** An answered person with the offices and tags as the lists name them now. */
  readonly withNames: Stores['withNames'];
  readonly contextOf: ContextOf;
  /** How long after a lost answer the call could still be running in the service. */
  readonly settleMs: number;
  /** Brings the mirror's people up to date by a full read. */
  readonly readEverybody: () => Promise<unknown>;
  /** How long the people of an import may take to appear. */
  readonly confirmWithinMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One change on its way, and what its calls have answered so far. */
export interface ChangeProgress {
  readonly change: PlannedChange;
  /** The intent that is open; null before the first call. */
  seq: number | null;
  /** The object as the last call left it; null before the first. */
  previous: Observed | null;
  mailed: boolean;
  readonly calls: AuditedCall[];
  readonly refusals: RefusedField[];
  readonly copies: Copy[];
}

export function startOf(change: PlannedChange, seq: number | null): ChangeProgress {
  return { change, seq, previous: null, mailed: false, calls: [], refusals: [], copies: [] };
}

/** The end of one change: link, base, audit and journal are made of it. */
export interface ChangeEnd {
  readonly change: Change;
  readonly run: string;
  readonly at: string;
  readonly approval: string | null;
  readonly calls: readonly AuditedCall[];
  readonly result: AuditEntry['result'];
  readonly error: string | null;
  /** The object as the service has it now; null when it has none, or nothing is known. */
  readonly observed: Observed | null;
  /** Differences between the answer and what was sent. */
  readonly untaken?: readonly Untaken[];
  /** Fields that were refused, or whose call was never made: nothing is remembered of them. */
  readonly unsent?: readonly string[];
  /** The service sent an e-mail with it. */
  readonly mailed?: boolean;
  /** Contents that were added to a proposal. */
  readonly copies?: readonly Copy[];
}
