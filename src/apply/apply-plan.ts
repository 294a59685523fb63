import type { Logger } from '../base/logger.js';
import type { Config } from '../config/config.js';
import type { Failure } from '../model/failure.js';
import type { StandStill } from '../model/pause.js';
import {
  type BulkLoad,
  type Counts,
  isImported,
  isPromotedPart,
  type PlannedChange,
  recordKeyOf,
} from '../model/plan.js';
import { plural } from '../model/plural.js';
import { MOST_IN_ONE_CALL } from '../reconcile/order/cost.js';
import type { Stores } from '../store/open-stores.js';
import { ApplyTally, type Stopped } from './apply-tally.js';
import { forecastUnit, takesAway } from './calls.js';
import { createDrawAhead } from './draw-ahead.js';
import type { ExecutionResult, OnEnd } from './end-change.js';
import { EqualAnswers, NOT_TRIED } from './equal-answers.js';
import { EqualFields, endInPart } from './equal-fields.js';
import { executeBatch } from './execute-batch.js';
import { executeChange } from './execute-change.js';
import type { Execution } from './execution.js';
import { buildImportJob, countImportCalls, importPeople } from './import-people.js';
import { type Begun, beginAhead, renewIntent, takeBack } from './intents.js';
import { type LookContext, lookFirst } from './look-first.js';
import { countRefusal } from './refusals.js';
import { runSlots } from './run-slots.js';

export interface ApplyContext extends LookContext {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  /** Returns the context for executing a change. Names are resolved at the time of the call. */
  readonly execution: () => Execution;
  readonly bulkLoad: BulkLoad | null;
  /** The reason why nothing may be written now, or null; checked before each change. */
  readonly standsStill: () => StandStill | null;
  /** Called when a change ends; changes may end in any order. */
  readonly onChange: (change: PlannedChange, result: ChangeResult) => void;
}

/** The result of a change. `blocked`: not attempted, because a change that it depends on failed. */
export type ChangeResult = ExecutionResult['result'] | 'blocked';

export interface Applied {
  readonly done: number;
  /** The numbers of changes done, by entity and action; a relink that reactivates an account also counts as a reactivation. */
  readonly counts: Counts;
  readonly failed: readonly Failure[];
  /** Changes not attempted: the budget ran out, the run was stopped, or a change that they depend on failed. */
  readonly left: number;
  readonly stopped: Stopped | null;
}

/**
 * Carries out the plan in the order of its stages, so that a stage can refer to objects created by an earlier one. One
 * bad record never stops the others. A rejected key or an unavailable service stops the rest, which the next run derives
 * again.
 */
export async function applyPlan(filter: 'applicable' | 'wanted', context: ApplyContext): Promise<Applied> {
  const { stores } = context;
  const tally = new ApplyTally();
  const answers = new EqualAnswers(stores);
  const fields = new EqualFields(stores);
  // Changes that the service rejected in an earlier run come last, so that other records come first in this run.
  const refusedBefore = new Set(stores.refusals.all().map(({ changeId }) => changeId));
  const stop = createStop(context, tally);
  const onEnd = (change: PlannedChange, end: ExecutionResult): void => {
    tally.count(change, end);
    noteRefusal(change, end, answers, context);
    context.onChange(change, end.result);
  };
  for (const stage of eachStage(stores.work.inOrder(filter))) {
    // Loaded again for each stage, because the previous stage may have created offices and tags.
    const execution = context.execution();
    const imported = new Set<string>();
    const waiting: (readonly PlannedChange[])[] = [];
    const units = eachFirst(eachUnit(stage), refusedBefore, waiting);
    const round = { stop, tally, answers, fields, waiting, imported, onEnd };
    await carryOutStage(units, round, execution, context);
    answers.isLast = true;
    if (waiting.length > 0) await carryOutStage(waiting.splice(0), round, execution, context);
    answers.isLast = false;
    if (imported.size > 0 && !stop.beforeCalls(countImportCalls(context.bulkLoad))) {
      await importPeople(buildImportJob(imported, filter, context, onEnd), execution);
      stop.beforeCalls(0);
    }
    if (tally.stopped !== null) break;
  }
  const { commits, ms } = stores.commits.stats();
  context.logger.debug({ commits, commit_ms: Math.round(ms) }, 'committed');
  const { done, counts, stopped } = tally;
  const failed = tally.failed.map((failure) => fields.tell(answers.tell(failure)));
  return { done, counts, failed, left: stores.work.count(filter) - done - failed.length, stopped };
}

/** Changes that are carried out together; `begun` is set once the intent of their first call is on disk. */
interface Unit {
  readonly changes: readonly PlannedChange[];
  readonly begun: Begun | null;
}

interface StageTally {
  readonly stop: Stop;
  readonly tally: ApplyTally;
  readonly answers: EqualAnswers;
  readonly fields: EqualFields;
  /** Units that are attempted after all other units of the stage. */
  readonly waiting: (readonly PlannedChange[])[];
  /** Keys of the people to create with the service's own import once all other changes of the stage are done. */
  readonly imported: Set<string>;
  readonly onEnd: OnEnd;
}

/** Resolves when all results are on disk, including the ids that the next stage refers to. */
async function carryOutStage(
  stage: Iterable<readonly PlannedChange[]>,
  { stop, tally, answers, fields, waiting, imported, onEnd }: StageTally,
  execution: Execution,
  context: ApplyContext,
): Promise<void> {
  const { commits } = context.stores;
  // Changes are sent one by one if each answer affects the next change.
  const isStepwise = answers.isLast && answers.isAnyOpen;
  const slots = isStepwise ? 1 : Math.max(1, context.config.service.rateLimit.concurrency);
  const changes = stage[Symbol.iterator]();
  const ahead = createDrawAhead<Unit>({
    commits,
    slots,
    isHalted: stop.isHalted,
    draw() {
      const next = changes.next();
      return next.done === true || stop.before(next.value) ? null : begin(next.value, tally, execution);
    },
  });
  const takeBackAll = (units: readonly Unit[]): void => {
    for (const { begun } of units) if (begun !== null) takeBack(begun, execution);
  };
  const carryOutAlone = async (change: PlannedChange, begun: Begun | null): Promise<void> => {
    const leftOut = fields.leaveOut(change);
    if (begun !== null && leftOut !== null) await commits.now(() => takeBack(begun, execution));
    else if (begun !== null) await renewIntent(begun, execution);
    if (leftOut?.rest === null) return refuseWhole(change, leftOut.because, { tally, context }, { remedy: NOT_TRIED });
    const own = ofRecord(leftOut?.rest ?? change, context.stores);
    if (isHomeless(own))
      return refuseWhole(change, `${recordKeyOf(change.key)} has no account yet`, { tally, context });
    const end: OnEnd = (sent, ended) => {
      if (ended.result !== 'refused' && ended.result !== 'lost') fields.noteSent(sent, ended.refusals ?? []);
      onEnd(change, leftOut === null ? ended : endInPart(ended, leftOut, change));
    };
    await executeChange(own, execution, end, leftOut === null ? begun : null);
  };
  const carryOut = async (unit: Unit): Promise<void> => {
    const open = refuseBlocked(unit.changes, tally, context);
    const [change] = open;
    if (change === undefined) return commits.soon(() => takeBackAll([unit]));
    if (open.length === 1 && mustWait(change, { tally, answers, waiting }, context))
      return commits.soon(() => takeBackAll([unit]));
    if (isImported(change)) imported.add(change.key);
    else if (change.batch !== undefined) await executeBatch(open, execution, onEnd);
    else if (takesAway(change)) await lookFirst(change, execution, context, onEnd);
    else await carryOutAlone(change, unit.begun);
  };
  try {
    await runSlots(slots, ahead.next, carryOut);
  } finally {
    await commits.now(() => takeBackAll(ahead.rest()));
  }
}

/** Sets a change aside or leaves it out if the service rejected similar changes. Returns true in both cases. */
function mustWait(
  change: PlannedChange,
  { tally, answers, waiting }: Pick<StageTally, 'tally' | 'answers' | 'waiting'>,
  context: ApplyContext,
): boolean {
  const judged = answers.judge(change);
  if (judged === 'try') return false;
  if (judged === 'wait') {
    waiting.push([change]);
    return true;
  }
  refuseWhole(change, judged.because, { tally, context }, { remedy: NOT_TRIED });
  return true;
}

/** Yields all units except those that were rejected before. */
function* eachFirst(
  units: Iterable<readonly PlannedChange[]>,
  refusedBefore: ReadonlySet<string>,
  waiting: (readonly PlannedChange[])[],
): Iterable<readonly PlannedChange[]> {
  for (const unit of units) {
    const [change] = unit;
    if (unit.length === 1 && change !== undefined && refusedBefore.has(change.id)) waiting.push(unit);
    else yield unit;
  }
}

/** Writes the intent in advance if the unit is a single change that does not need to be read first. */
function begin(changes: readonly PlannedChange[], tally: ApplyTally, execution: Execution): Unit {
  const [change] = changes;
  const isPlain = change !== undefined && change.batch === undefined && !takesAway(change);
  const own = isPlain && tally.explainBlock(change) === null ? ofRecord(change, execution.stores) : null;
  return { changes, begun: own === null || isHomeless(own) ? null : beginAhead(own, execution) };
}

/** Sets the target of a change of permissions to the account of the record's person, which this run may just have created. */
function ofRecord(change: PlannedChange, { links }: Pick<Stores, 'links'>): PlannedChange {
  if (!isPromotedPart(change)) return change;
  const key = recordKeyOf(change.key);
  return { ...change, key, target: change.target ?? links.find(change.entity, key)?.serviceId ?? null };
}

/** True if the change updates an account that does not exist. */
function isHomeless({ action, target }: PlannedChange): boolean {
  return action === 'update' && target === null;
}

/** Reports a change as failed without sending any part of it. */
function refuseWhole(
  change: PlannedChange,
  because: string,
  { tally, context }: { readonly tally: ApplyTally; readonly context: ApplyContext },
  common?: { readonly remedy: string },
): void {
  tally.block(change, because, common);
  context.onChange(change, 'blocked');
}

/** Notes a rejection because of the record, so that the change is attempted again after growing pauses. */
function noteRefusal(
  change: PlannedChange,
  { result, error, refusals: parts = [] }: ExecutionResult,
  answers: EqualAnswers,
  { stores, clock }: ApplyContext,
): void {
  const { refusals } = stores;
  if (result === 'done' || result === 'already so') answers.noteDone(change);
  const isWhole = result === 'refused' && error?.code === 'SYNC_SERVICE_REFUSED';
  if (isWhole) answers.noteRefused(change, error.message);
  if (error !== null && (isWhole || parts.some(({ leftOut }) => leftOut === true))) {
    refusals.save(countRefusal(refusals.find(change.entity, change.key), change, error.message, clock.now()));
  } else if (result === 'done' || result === 'already so') refusals.forget(change.entity, change.key);
}

/** Removes changes that depend on a failed change, and changes for which the API key lacks the permission. */
function refuseBlocked(
  unit: readonly PlannedChange[],
  tally: ApplyTally,
  context: ApplyContext,
): readonly PlannedChange[] {
  return unit.filter((change) => {
    const because = tally.explainBlock(change);
    if (because === null) return true;
    tally.block(change, because);
    context.onChange(change, 'blocked');
    return false;
  });
}

/** Groups the changes of a stage: one change per unit, and one unit per batch once all its changes are known. */
function* eachUnit(stage: Iterable<PlannedChange>): Iterable<readonly PlannedChange[]> {
  const batches = new Map<string, PlannedChange[]>();
  for (const change of stage) {
    const { batch } = change;
    if (batch === undefined || isImported(change)) {
      yield [change];
      continue;
    }
    const together = batches.get(batch) ?? [];
    batches.set(batch, together);
    together.push(change);
  }
  for (const together of batches.values()) {
    for (let first = 0; first < together.length; first += MOST_IN_ONE_CALL) {
      yield together.slice(first, first + MOST_IN_ONE_CALL);
    }
  }
}

interface Stop {
  /** True if no change may be sent, not even a started one. A spent budget does not stop started changes. */
  isHalted(): boolean;
  /** True if a unit may not be started, for the same reasons or because its calls exceed the budget. */
  before(unit: readonly PlannedChange[]): boolean;
  beforeCalls(needed: number): boolean;
}

function createStop({ config, service, signal, usersFresh, standsStill }: ApplyContext, tally: ApplyTally): Stop {
  const sent = (): number => service.calls.reads.total + service.calls.writes.total;
  // Counts the calls of all started changes, including those not sent yet.
  const before = sent();
  let committed = before;
  const isHalted = (): boolean => {
    if (signal?.aborted) tally.stopped ??= { code: 'SIGNAL', message: 'stopped by a signal' };
    const still = standsStill();
    if (still !== null) tally.stopped ??= still;
    return signal?.aborted === true || still !== null || (tally.stopped !== null && tally.stopped.code !== 'BUDGET');
  };
  const beforeCalls = (needed: number): boolean => {
    if (isHalted()) return true;
    if (config.callBudget !== null && Math.max(sent(), committed) + needed > config.callBudget) {
      const spent = `the call budget of ${config.callBudget} is spent`;
      const message =
        committed > before
          ? spent
          : `${spent} by the calls before the first change (${plural(before, 'call')}): raise \`call_budget\``;
      tally.stopped ??= { code: 'BUDGET', message };
    }
    if (tally.stopped === null) committed += needed;
    return tally.stopped !== null;
  };
  return { isHalted, beforeCalls, before: (unit) => beforeCalls(forecastUnit(unit, usersFresh)) };
}

function* eachStage(changes: Iterable<PlannedChange>): Iterable<Iterable<PlannedChange>> {
  const iterator = changes[Symbol.iterator]();
  let next = iterator.next();
  while (next.done !== true) {
    const { stage } = next.value;
    yield (function* () {
      while (next.done !== true && next.value.stage === stage) {
        const { value } = next;
        next = iterator.next();
        yield value;
      }
    })();
  }
}
