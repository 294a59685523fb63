import { isoNow } from '../base/clock.js';
import type { PlannedChange } from '../model/plan.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import { tryBuild } from './calls.js';
import type { Execution } from './execution.js';
import type { Step, StepResult } from './step.js';

/** One intent a change, all of them on disk before the call goes out. */
export function intend(
  changes: readonly PlannedChange[],
  step: string,
  { run, stores, clock }: Execution,
): readonly number[] {
  const at = isoNow(clock);
  return stores.journal.intend(
    changes.map((change) => {
      // The approval goes along: the run that finishes this after a crash has to spend it.
      const { stage: _stage, withheld: _withheld, ...plain } = change;
      return { run, change: plain, step, at };
    }),
  );
}

/** What of a change was done before it is carried out. */
export interface Begun {
  /** Its first intent. */
  readonly seq: number;
  /** When that was written ahead. */
  readonly atMs?: number;
  /** Its calls; without them they are built when the change is carried out. */
  readonly steps?: readonly Step[];
  /** How the first call was answered for this change, where several made it together. */
  readonly sent?: StepResult;
  readonly call?: AuditedCall;
  /** The common call sent e-mails. */
  readonly mailed?: boolean;
}

/**
 * Writes the intent of a change's first call before a slot is free for it, within the transaction of others. Each call is
 * repeatable or can be looked for (`Step.repeat`), so a process that dies leaves one look for each. null where the calls
 * cannot be built: that is found out, and recorded, when it is carried out.
 */
export function beginAhead(change: PlannedChange, execution: Execution): Begun | null {
  const steps = tryBuild(change, execution.calls);
  const [first] = steps;
  if (first === undefined) return null;
  const [seq = 0] = intend([change], first.name, execution);
  return { seq, atMs: execution.clock.now(), steps };
}

/** Longer than the calls of one turn of all slots take, and short beside the time that a call may be running. */
const STALE_MS = 500;

/** After a crash a call is looked for once it can be running no more: by the time of its intent, which must be that of the call. */
export async function renewIntent({ seq, atMs }: Begun, { stores, clock }: Execution): Promise<void> {
  if (atMs === undefined || clock.now() - atMs < STALE_MS) return;
  await stores.commits.now(() => stores.journal.renew(seq, isoNow(clock)));
}

/** What was begun ahead is not carried out: its call never left. */
export function takeBack({ seq }: Begun, { stores, clock }: Execution): void {
  stores.journal.settle(seq, { status: 'refused', at: isoNow(clock), error: 'Not sent: the run stopped before.' });
}
