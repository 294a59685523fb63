import { isoNow } from '../base/clock.js';
import type { PlannedChange } from '../model/plan.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import { tryBuild } from './calls.js';
import type { Execution } from './execution.js';
import type { Step, StepResult } from './step.js';

/** Writes one intent per change, all on disk before the call is sent. Returns their sequence numbers. */
export function intend(
  changes: readonly PlannedChange[],
  step: string,
  { run, stores, clock }: Execution,
): readonly number[] {
  const at = isoNow(clock);
  return stores.journal.intend(
    changes.map((change) => {
      // Includes the approval: a run that finishes this after a crash must mark it as used.
      const { stage: _stage, withheld: _withheld, ...plain } = change;
      return { run, change: plain, step, at };
    }),
  );
}

/** The parts of a change that are done before it is carried out. */
export interface Begun {
  /** Its first intent. */
  readonly seq: number;
  /** When the intent was written ahead. */
  readonly atMs?: number;
  /** Its calls; if absent, they are built when the change is carried out. */
  readonly steps?: readonly Step[];
  /** The answer to the first call for this change, if several changes shared the call. */
  readonly sent?: StepResult;
  readonly call?: AuditedCall;
  /** The common call sent e-mails. */
  readonly mailed?: boolean;
}

/**
 * Writes the intent of a change's first call before a slot is free, within a transaction of others. Each call can be
 * repeated or looked for (`Step.repeat`), so a process that dies leaves one look per call. null if the calls cannot be
 * built: the error is recorded when the change is carried out.
 */
export function beginAhead(change: PlannedChange, execution: Execution): Begun | null {
  const steps = tryBuild(change, execution.calls);
  const [first] = steps;
  if (first === undefined) return null;
  const [seq = 0] = intend([change], first.name, execution);
  return { seq, atMs: execution.clock.now(), steps };
}

/** Longer than one round of calls in all slots takes, and short compared with the time that a call may be running. */
const STALE_MS = 500;

/** Updates the time of an old intent, because after a crash it decides when the call can no longer be running. */
export async function renewIntent({ seq, atMs }: Begun, { stores, clock }: Execution): Promise<void> {
  if (atMs === undefined || clock.now() - atMs < STALE_MS) return;
  await stores.commits.now(() => stores.journal.renew(seq, isoNow(clock)));
}

/** Closes the intent of a change that is not carried out: its call was never sent. */
export function takeBack({ seq }: Begun, { stores, clock }: Execution): void {
  stores.journal.settle(seq, { status: 'refused', at: isoNow(clock), error: 'Not sent: the run stopped first.' });
}
