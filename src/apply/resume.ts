import type { AuditedCall } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { formatTemplate } from '../service/endpoints.js';
import type { JournalEntry } from '../store/journal-store.js';
import { buildSteps, type Step } from './calls.js';
import type { Execution } from './execute-change.js';
import { recordEnd } from './outcome.js';
import { findUntaken } from './verify.js';

/**
 * Finishes what a process that died has left: intents without outcomes. The call may have reached the service or not, so
 * each is looked for, once it can no longer be running. Found: the story is completed (link, audit, mirror) without a
 * second call. Not found: the intent is closed as lost, and the plan that follows derives the change again.
 */
export async function resumeJournal(execution: Execution): Promise<{ readonly found: number; readonly lost: number }> {
  const { stores, clock, settleMs } = execution;
  stores.replayAbsorption();
  const tally = { found: 0, lost: 0 };
  for (const entry of stores.journal.open()) {
    const waitMs = Date.parse(entry.at) + settleMs - clock.now();
    if (waitMs > 0) await clock.sleep(Math.min(waitMs, settleMs));
    tally[await resolveIntent(entry, execution)] += 1;
  }
  return tally;
}

async function resolveIntent(entry: JournalEntry, execution: Execution): Promise<'found' | 'lost'> {
  const { stores, clock, contextOf } = execution;
  const { change } = entry;
  const step = findStep(entry, execution);
  const object = (await step?.probe()) ?? null;
  const at = isoNow(clock);
  const happened =
    object !== null && (step?.repeat === 'probe' || findUntaken(change, stores.withOfficeNames(object)).length === 0);
  const call: AuditedCall = {
    call: step === null ? entry.step : formatTemplate(step.endpoint),
    status: null,
    request_id: null,
  };
  recordEnd(
    stores,
    {
      change,
      run: entry.run,
      at,
      approval: null,
      calls: [call],
      result: happened ? 'done' : 'lost',
      error: happened ? null : 'The process ended before the answer came, and nothing of the call is in the service.',
      observed: happened ? object : null,
    },
    contextOf,
    () =>
      stores.journal.settle(entry.seq, {
        status: happened ? 'done' : 'lost',
        at,
        requestId: null,
        httpStatus: null,
        observed: object,
        error: null,
      }),
  );
  if (object !== null) stores.absorb(object);
  return happened ? 'found' : 'lost';
}

/** The call an intent stands for; null when what it refers to is not there, so that it cannot have been sent. */
function findStep({ change, step }: JournalEntry, { calls }: Execution): Step | null {
  try {
    return buildSteps(change, calls).find(({ name }) => name === step) ?? null;
  } catch {
    return null;
  }
}
