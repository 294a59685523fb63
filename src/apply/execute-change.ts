import { isoNow } from '../base/clock.js';
import { withValues } from '../mirror/observe.js';
import { idOfIn } from '../model/directory.js';
import type { Observed } from '../model/observed.js';
import type { PlannedChange } from '../model/plan.js';
import { buildSteps, isLinkAlone } from './calls.js';
import {
  endAlone,
  endAnswered,
  fail,
  type JudgedAnswer,
  judgedAnswer,
  type OnEnd,
  outcomeOfDone,
} from './end-change.js';
import { type ChangeProgress, type Execution, startOf } from './execution.js';
import { explainGone } from './explain-gone.js';
import { type Begun, intend } from './intents.js';
import { judgeLook } from './judge-look.js';
import { leaveOutRefused } from './leave-out-refused.js';
import { linkCreated } from './outcome.js';
import { asStepFailure, auditCall, sendOrFind } from './send-or-find.js';
import type { Step, StepResult } from './step.js';

/**
 * Carries out one change:
 *
 * ```
 *     intent on disk → call → answer ─ taken? ──────────────→ done
 *                        │        └─ other values ──────────→ not taken
 *                        ├─ rejected because of named fields → call without them (leave-out-refused.ts)
 *                        ├─ rejected, or never reached the service → refused; after a 404, look (explain-gone.ts)
 *                        └─ answer lost → wait until it cannot be running any more → look (judge-look.ts)
 *                                 ├─ proved to have happened → done
 *                                 └─ not proved ────────────→ repeat a create once, then lost
 * ```
 *
 * Resolves when the slot is free. If a look would show the end again, the end is committed together with others
 * (`group-commit.ts`). It is then on disk, with link, base and audit entry, some milliseconds later. Any other end is
 * already on disk.
 */
export async function executeChange(
  change: PlannedChange,
  execution: Execution,
  onEnd: OnEnd,
  begun: Begun | null = null,
): Promise<void> {
  const { commits } = execution.stores;
  const progress = startOf(change, begun?.seq ?? null);
  progress.mailed = begun?.mailed === true;
  if (begun?.call !== undefined) progress.calls.push(begun.call);
  let answer: JudgedAnswer | null;
  try {
    answer = isLinkAlone(change) ? null : await makeCalls(progress, begun, execution);
  } catch (error) {
    const failure = await explainGone(change, asStepFailure(error), execution);
    return commits.now(() => onEnd(change, fail({ ...progress, change }, failure, execution)));
  }
  if (answer === null) commits.soon(() => onEnd(change, endAlone(progress, execution)));
  else await endAnswered(progress, answer, execution, onEnd);
}

/** Sends the calls of a change one after the other, and compares the last answer with the desired values. */
async function makeCalls(progress: ChangeProgress, begun: Begun | null, execution: Execution): Promise<JudgedAnswer> {
  const [first, ...others] = begun?.steps ?? buildSteps(progress.change, execution.calls);
  let sent = begun?.sent ?? (await makeCall(progress, first, execution));
  progress.previous = sent.observed;
  for (const step of others) {
    progress.seq = await goOn(progress, sent, step, execution);
    sent = await makeCall(progress, step, execution);
  }
  return judgedAnswer(progress, sent, execution);
}

async function makeCall(progress: ChangeProgress, step: Step | undefined, execution: Execution): Promise<StepResult> {
  const { change, previous, calls, refusals, copies } = progress;
  if (step === undefined) throw new Error(`no call for ${change.entity} ${change.action}`);
  progress.seq ??= await intendFirst(change, step, execution);
  const answer = await sendAccepted(progress, step, execution);
  const sent = { ...answer, observed: withEarlier(calls.length === 0 ? null : previous, answer.observed) };
  refusals.push(...(answer.refusals ?? []));
  if (answer.copy !== undefined) copies.push(answer.copy);
  calls.push(auditCall(step.endpoint, sent));
  progress.previous = sent.observed;
  progress.mailed ||= step.mails === true;
  return sent;
}

/** Sends a call, and sends it again without the fields that the service rejects by name. */
async function sendAccepted(progress: ChangeProgress, step: Step, execution: Execution): Promise<StepResult> {
  try {
    return await sendStep(progress, step, execution);
  } catch (error) {
    const part = leaveOutRefused(progress.change, error);
    const again =
      part === null ? undefined : buildSteps(part.rest, execution.calls).find(({ name }) => name === step.name);
    if (part === null || again === undefined) throw error;
    progress.change = part.rest;
    progress.refusals.push(...part.refusals);
    progress.calls.push(auditCall(step.endpoint, part.error));
    return sendAccepted(progress, again, execution);
  }
}

function sendStep({ change, previous }: ChangeProgress, step: Step, execution: Execution): Promise<StepResult> {
  return sendOrFind<StepResult>(
    {
      send: () => step.send(previous),
      async find(lost) {
        const observed = await findStep(change, step, execution);
        return observed === 'nothing' ? null : { ...lost, observed, provedBy: step.seenBy };
      },
      sendsAgain: step.repeat === 'probe',
    },
    execution,
  );
}

/** Fills in values that this answer leaves out and that the previous answer showed for the same object. */
function withEarlier(earlier: Observed | null, answered: Observed | null): Observed | null {
  if (answered === null || earlier?.id !== answered.id) return answered;
  return withValues(answered, { ...earlier.values, ...answered.values });
}

async function intendFirst(change: PlannedChange, { name }: Step, execution: Execution): Promise<number> {
  const [seq = 0] = await execution.stores.commits.now(() => intend([change], name, execution));
  return seq;
}

/** Stores one call's outcome together with the next call's intent, so that one intent stays open until the change ends. */
async function goOn(
  { change, seq }: ChangeProgress,
  sent: StepResult,
  next: Step,
  execution: Execution,
): Promise<number> {
  const { stores } = execution;
  const [following = 0] = await stores.commits.now(() => {
    if (seq !== null) stores.journal.settle(seq, outcomeOfDone(sent, execution));
    if (sent.observed !== null) {
      linkCreated(stores, change, sent.observed, { run: execution.run, at: isoNow(execution.clock) });
    }
    return intend([change], next.name, execution);
  });
  if (sent.observed !== null) stores.absorb(sent.observed);
  return following;
}

async function findStep(
  change: PlannedChange,
  step: Step,
  { stores, calls }: Execution,
): Promise<ReturnType<typeof judgeLook>> {
  const object = await step.probe();
  const shown = object === null ? null : stores.withNames(object);
  return judgeLook(change, step, { object, shown }, idOfIn(calls.directory));
}
