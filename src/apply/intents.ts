import { isoNow } from '../base/clock.js';
import type { PlannedChange } from '../model/plan.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import { tryBuild } from './calls.js';
import type { Execution } from './execution.js';
import type { Step, StepResult } from './step.js';

/** Writes one intent per change. All intents are on disk before the call is sent. Returns their sequence numbers. */
export function intend(
  changes: readonly PlannedChange[],
  step: string,
  { run, stores, clock }: Execution,
): readonly number[] {
  const at = isoNow(clock);
  return stores.journal.intend(
    changes.map((change) => {
      // The intent includes the approval, because a run that finishes the change after a crash must mark the approval as
      // used. JSON leaves out undefined members.
      return { run, change: { ...change, stage: undefined, withheld: undefined }, step, at };
    }),
  );
}

/** A change that was prepared in advance. */
export interface Begun {
  /** The sequence number of its first intent. */
  readonly seq: number;
  /** The time when the intent was written in advance. */
  readonly atMs?: number;
  /** The calls of the change; if absent, they are built when the change is carried out. */
  readonly steps?: readonly Step[];
  /** The answer to the first call for this change, if several changes shared the call. */
  readonly sent?: StepResult;
  readonly call?: AuditedCall;
  /** True if the shared call sent e-mails. */
  readonly mailed?: boolean;
}

/**
 * Writes the intent of a change's first call before a slot is free, in one transaction with other intents. After a
 * crash, each such call needs one look at most, because it can be repeated or looked for (`Step.repeat`). Returns null
 * if the calls cannot be built; the error is recorded when the change is carried out.
 */
export function beginAhead(change: PlannedChange, execution: Execution): Begun | null {
  const steps = tryBuild(change, execution.calls);
  const [first] = steps;
  if (first === undefined) return null;
  const [seq = 0] = intend([change], first.name, execution);
  return { seq, atMs: execution.clock.now(), steps };
}

/** Longer than one round of calls in all slots, and short compared with the time for which a call may be running. */
const STALE_MS = 500;

/** Updates the time of an old intent. After a crash, this time decides when the call can no longer be running. */
export async function renewIntent({ seq, atMs }: Begun, { stores, clock }: Execution): Promise<void> {
  if (atMs === undefined || clock.now() - atMs < STALE_MS) return;
  await stores.commits.now(() => stores.journal.renew(seq, isoNow(clock)));
}

/** Closes the intent of a change if its call was never sent. */
export function takeBack({ seq }: Begun, { stores, clock }: Execution): void {
  stores.journal.settle(seq, { status: 'refused', at: isoNow(clock), error: 'Not sent: the run stopped first.' });
}
