import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { idOfIn } from '../model/directory.js';
import type { Observed } from '../model/observed.js';
import { type Change, IMPORT_STEP, type PlannedChange } from '../model/plan.js';
import { plural } from '../model/plural.js';
import { formatTemplate } from '../service/endpoints.js';
import { ServiceError } from '../service/service-error.js';
import type { AuditedCall } from '../store/audit/audit-entry.js';
import type { JournalEntry } from '../store/state/journal-store.js';
import { tryBuild } from './calls.js';
import { confirmImport } from './confirm-import.js';
import type { Execution } from './execution.js';
import { judgeLook } from './judge-look.js';
import { dropFromMirror } from './note-departure.js';
import { linkCreated, recordEnd } from './outcome.js';
import { asAudited, auditCall } from './send-or-find.js';
import type { Step } from './step.js';
import { findUntaken, formatUntaken } from './verify.js';

/**
 * Finishes the intents without outcomes that a dead process left. Their calls may have reached the service, so the run
 * looks for each call once it can no longer be running. If the look proves the call, its end is recorded (link, audit,
 * mirror) without a second call. Otherwise the intent is closed as lost, and the next plan derives the change again.
 */
export async function resumeJournal(
  entries: readonly JournalEntry[],
  execution: Execution,
): Promise<{ readonly found: number; readonly lost: number }> {
  const imports = entries.filter(({ step }) => step === IMPORT_STEP);
  const tally = imports.length === 0 ? { found: 0, lost: 0 } : await resumeImports(imports, execution);
  for (const entry of entries) {
    if (entry.step === IMPORT_STEP) continue;
    tally[await resolveIntent(entry, execution)] += 1;
  }
  return tally;
}

/** Looks for the people of a file that may have been sent. It repeats full reads for as long as the people may still appear. */
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
      message: `The outcome of the import of ${plural(open.size, 'person', 'people')} is not known yet.`,
      remedy: 'The next run looks for them first.',
    });
  }
  return tally;
}

/** Waits until none of these calls can still be running, so that later reads show their outcome. */
export async function awaitSettled(
  entries: readonly JournalEntry[],
  { clock, settleMs }: Pick<Execution, 'clock' | 'settleMs'>,
): Promise<void> {
  const newest = Math.max(...entries.map(({ at, step }) => (step === IMPORT_STEP ? 0 : Date.parse(at))));
  const waitMs = newest + settleMs - clock.now();
  if (waitMs > 0) await clock.sleep(Math.min(waitMs, settleMs));
}

async function resolveIntent(entry: JournalEntry, execution: Execution): Promise<'found' | 'lost'> {
  const { stores, clock, contextOf } = execution;
  const { change } = entry;
  const { approval = null } = change as Partial<PlannedChange>;
  const steps = tryBuild(change, execution.calls);
  // Null if an object that the call refers to does not exist; in that case the call cannot have been sent.
  const step = steps.find(({ name }) => name === entry.step) ?? null;
  const looked = step === null ? null : await probe(step);
  const at = isoNow(clock);
  const answered = earlierCalls(entry, execution);
  const isLast = step === null || step === steps.at(-1);
  const { result, error, object } = endOfStep(
    change,
    step,
    { looked, isLast, isBegun: answered.length > 0 },
    execution,
  );
  const call = nameCall(entry, step, object !== 'nothing');
  const observed = object === 'nothing' ? looked : object;
  recordEnd(
    stores,
    {
      change,
      run: entry.run,
      at,
      approval,
      calls: [...answered, call],
      result,
      error,
      observed,
      mailed: step?.mails === true,
    },
    contextOf,
    () => {
      const status = object === 'nothing' ? 'lost' : 'done';
      stores.journal.settle(entry.seq, { status, at, provedBy: call.proved_by ?? null, observed });
      if (result === 'in part' && observed !== null) linkCreated(stores, change, observed, { run: entry.run, at });
    },
  );
  if (observed !== null) stores.absorb(observed);
  else if (result === 'done') dropFromMirror(stores, change);
  return result === 'lost' ? 'lost' : 'found';
}

function nameCall({ step: name }: JournalEntry, step: Step | null, isProved: boolean): AuditedCall {
  if (step === null) return { call: name, status: null, request_id: null };
  return auditCall(step.endpoint, { status: null, requestId: null, ...(isProved ? { provedBy: step.seenBy } : {}) });
}

/**
 * | a look at the call shows (`judge-look.ts`)      | →                                                              |
 * |-------------------------------------------------|----------------------------------------------------------------|
 * | that it happened, and it was the last           | done, or not taken if the values differ                        |
 * | that it happened, and others were to follow     | in part: the plan derives the rest                             |
 * | no proof of it, but earlier ones were answered  | in part: the same                                              |
 * | no proof of it, and it was the first            | lost: the plan derives the change again, and it is sent again  |
 */
function endOfStep(
  change: Change,
  step: Step | null,
  {
    looked,
    isLast,
    isBegun,
  }: { readonly looked: Observed | null; readonly isLast: boolean; readonly isBegun: boolean },
  { stores, calls }: Execution,
): {
  readonly result: 'done' | 'not taken' | 'in part' | 'lost';
  readonly error: string | null;
  readonly object: Observed | null | 'nothing';
} {
  const idOf = idOfIn(calls.directory);
  const shown = looked === null ? null : stores.withNames(looked);
  const object = step === null ? 'nothing' : judgeLook(change, step, { object: looked, shown }, idOf);
  if (object === 'nothing') return { result: isBegun ? 'in part' : 'lost', error: UNPROVED, object };
  const untaken = shown === null ? [] : findUntaken(change, shown, idOf);
  if (isLast && untaken.length === 0) return { result: 'done', error: null, object };
  const rest = untaken.length === 0 ? '' : `: ${formatUntaken(untaken)}`;
  return {
    result: isLast ? 'not taken' : 'in part',
    error: `The process ended before everything was sent${rest}`,
    object,
  };
}

const UNPROVED = 'The process ended before the answer arrived, and no read shows that the call was carried out.';

/** The earlier calls of the same change that were answered before the process died. */
function earlierCalls({ run, change }: JournalEntry, { stores, calls }: Execution): readonly AuditedCall[] {
  const endpoints = new Map(tryBuild(change, calls).map(({ name, endpoint }) => [name, formatTemplate(endpoint)]));
  return stores.journal
    .settledCalls(run, change.id)
    .map((settled) => asAudited(endpoints.get(settled.step) ?? settled.step, settled));
}

/** Looks for the object of a call. If the read cannot be built, it finds nothing; a service error stops the resume. */
async function probe(step: Step): Promise<Observed | null> {
  try {
    return await step.probe();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    return null;
  }
}
