import type { AuditedCall } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { idOfIn } from '../model/directory.js';
import type { IdOf } from '../model/entity-keys.js';
import type { Observed } from '../model/observed.js';
import { type Change, IMPORT_STEP, type PlannedChange } from '../model/plan.js';
import { formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { JournalEntry } from '../store/journal-store.js';
import { buildSteps } from './calls.js';
import { confirmImport } from './confirm-import.js';
import type { Execution } from './execute-change.js';
import { dropFromMirror } from './note-departure.js';
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
  const imports = entries.filter(({ step }) => step === IMPORT_STEP);
  const tally = imports.length === 0 ? { found: 0, lost: 0 } : await resumeImports(imports, execution);
  for (const entry of entries) {
    if (entry.step === IMPORT_STEP) continue;
    const waitMs = Date.parse(entry.at) + settleMs - clock.now();
    if (waitMs > 0) await clock.sleep(Math.min(waitMs, settleMs));
    tally[await resolveIntent(entry, execution)] += 1;
  }
  return tally;
}

/** A file that may have been sent is looked for as it would have been: by full reads, for as long as it may still come. */
async function resumeImports(
  entries: readonly JournalEntry[],
  execution: Execution,
): Promise<{ found: number; lost: number }> {
  const tally = { found: 0, lost: 0 };
  const startedMs = Math.max(...entries.map(({ at }) => Date.parse(at)));
  const open = new Map(entries.map(({ change, seq }) => [change.id, seq]));
  await confirmImport(
    {
      people: () =>
        entries.map(({ change, run }) => ({
          change,
          run,
          approval: (change as Partial<PlannedChange>).approval ?? null,
        })),
      open,
      call: { call: formatTemplate('importUsers'), status: null, request_id: null },
      deadlineMs: startedMs + execution.confirmWithinMs,
      doubt: 'the process ended before its answer',
      signal: execution.signal,
      onEnd: (_change, { result }) => {
        tally[result === 'lost' ? 'lost' : 'found'] += 1;
      },
    },
    execution,
  );
  if (open.size > 0) {
    throw new SyncError('SYNC_IMPORT_MISSING', {
      message: `What became of an import of ${open.size} people is not known yet.`,
      remedy: 'The next run looks for them again before it does anything else.',
    });
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
  // Tags that are not shown may be missing from an object that looks whole.
  const wasLast = steps.length === 0 || step === steps.at(-1);
  const { result, error } = judge(change, step, wasLast, shown, idOfIn(execution.calls.directory));
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
      // Whether a call that no answer shows was made is not known unless it is the last: then it is made again.
      unsent: wasLast ? [] : change.fields,
      mailed: step?.mails === true,
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
  else if (result === 'done') dropFromMirror(stores, change);
  return result === 'lost' ? 'lost' : 'found';
}

/**
 * | the service holds                             | →                                                          |
 * |-----------------------------------------------|------------------------------------------------------------|
 * | nothing, or an update's object as it was      | lost: the plan derives the change again                    |
 * | nothing of what the change deletes            | done                                                       |
 * | what the change deletes, still                | lost: the plan derives the deletion again                  |
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
  if (step?.deletes === true) return { result: 'lost', error: NEVER_SENT };
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
  return { result: 'lost', error: NEVER_SENT };
}

const NEVER_SENT = 'The process ended before the answer came, and nothing of the call is in the service.';

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
