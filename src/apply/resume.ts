import type { AuditedCall } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { idOfIn } from '../model/directory.js';
import type { IdOf } from '../model/entity-keys.js';
import type { Observed } from '../model/observed.js';
import type { Change, PlannedChange } from '../model/plan.js';
import { formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { JournalEntry } from '../store/journal-store.js';
import { buildSteps } from './calls.js';
import type { Execution } from './execute-change.js';
import { recordEnd } from './outcome.js';
import type { CallContext, Step } from './step.js';
import { findUntaken, formatUntaken } from './verify.js';

/**
 * Finishes what a process that died has left: intents without outcomes. The call may have reached the service or not, so
 * each is looked for, once it can no longer be running. Found: the story is completed (link, audit, mirror) without a
 * second call. Not found: the intent is closed as lost, and the plan that follows derives the change again.
 */
export async function resumeJournal(
  entries: readonly JournalEntry[],
  execution: Execution,
): Promise<{ readonly found: number; readonly lost: number }> {
  const { clock, settleMs } = execution;
  const tally = { found: 0, lost: 0 };
  for (const entry of entries) {
    const waitMs = Date.parse(entry.at) + settleMs - clock.now();
    if (waitMs > 0) await clock.sleep(Math.min(waitMs, settleMs));
    tally[await resolveIntent(entry, execution)] += 1;
  }
  return tally;
}

async function resolveIntent(entry: JournalEntry, execution: Execution): Promise<'found' | 'lost'> {
  const { stores, clock, contextOf } = execution;
  const { change } = entry;
  const { approval = null } = change as Partial<PlannedChange>;
  const steps = tryBuild(change, execution.calls);
  // Null when what the call refers to is not there, so that it cannot have been sent.
  const step = steps.find(({ name }) => name === entry.step) ?? null;
  const object = step === null ? null : await probe(step);
  const at = isoNow(clock);
  const shown = object === null ? null : stores.withOfficeNames(object);
  const { result, error } = judge(change, step, step === steps.at(-1), shown, idOfIn(execution.calls.directory));
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
      approval,
      calls: [...earlierCalls(entry, execution), call],
      result,
      error,
      observed: result === 'lost' ? null : object,
    },
    contextOf,
    () =>
      stores.journal.settle(entry.seq, {
        status: result === 'lost' ? 'lost' : 'done',
        at,
        requestId: null,
        httpStatus: null,
        observed: object,
        error: null,
      }),
  );
  if (object !== null) stores.absorb(object);
  return result === 'lost' ? 'lost' : 'found';
}

/**
 * | the service holds                             | →                                                          |
 * |-----------------------------------------------|------------------------------------------------------------|
 * | nothing, or an update's object as it was      | lost: the plan derives the change again                    |
 * | nothing of what the change deletes            | done                                                       |
 * | all that the change wanted                    | done                                                       |
 * | what the change created, but not all it wanted| not taken: it is ours, and the plan derives the rest       |
 * | what this call wanted, and others were to follow | not taken: the plan derives the rest                   |
 */
function judge(
  change: Change,
  step: Step | null,
  isLast: boolean,
  object: Observed | null,
  idOf: IdOf,
): { readonly result: 'done' | 'not taken' | 'lost'; readonly error: string | null } {
  if (step?.deletes === true && object === null) return { result: 'done', error: null };
  const untaken = object === null ? [] : findUntaken(change, object, idOf);
  if (object !== null && untaken.length === 0 && isLast) return { result: 'done', error: null };
  const isOurs = change.action === 'create' || (step?.repeat === 'probe' && step.happened === undefined);
  const isBegun = !isLast && (object === null ? false : (step?.happened?.(object) ?? untaken.length === 0));
  if (object !== null && (isOurs || isBegun)) {
    return {
      result: 'not taken',
      error: `The process ended before all was sent${untaken.length === 0 ? '' : `: ${formatUntaken(untaken)}`}`,
    };
  }
  const error = 'The process ended before the answer came, and nothing of the call is in the service.';
  return { result: 'lost', error };
}

/** What the process that died had been answered for the same change. */
function earlierCalls({ run, change }: JournalEntry, { stores, calls }: Execution): readonly AuditedCall[] {
  const endpoints = new Map(tryBuild(change, calls).map(({ name, endpoint }) => [name, formatTemplate(endpoint)]));
  return stores.journal
    .settledCalls(run, change.id)
    .map(({ step, status, requestId }) => ({ call: endpoints.get(step) ?? step, status, request_id: requestId }));
}

/** A look that cannot even be asked for finds nothing; a service that cannot be asked stops the resuming. */
async function probe(step: Step): Promise<Observed | null> {
  try {
    return await step.probe();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return null;
  }
}

function tryBuild(change: Change, calls: CallContext): readonly Step[] {
  try {
    return buildSteps(change, calls);
  } catch {
    return [];
  }
}
