import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import type { Failure } from '../model/failure.js';
import type { Observed } from '../model/observed.js';
import { type BulkLoad, isImported, type PlannedChange } from '../model/plan.js';
import { explainQuiet } from '../model/quiet-hours.js';
import { MOST_IN_ONE_CALL } from '../reconcile/order/cost.js';
import type { TalentService } from '../service/talent-service.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import { ApplyTally, type Stopped } from './apply-tally.js';
import { forecastUnit, takesAway } from './calls.js';
import { executeBatch } from './execute-batch.js';
import { type Execution, type ExecutionResult, executeChange } from './execute-change.js';
import { buildImportJob, countImportCalls, importPeople } from './import-people.js';
import { lookFirst } from './look-first.js';
import { countRefusal } from './refusals.js';
import { runSlots } from './run-slots.js';

export interface ApplyContext {
  readonly run: string;
  readonly config: Config;
  readonly stores: Stores;
  readonly service: TalentService;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal | undefined;
  readonly contextOf: ContextOf;
  /** What executing a change needs, with the names as they resolve now. */
  readonly execution: () => Execution;
  /** True when this run has read every user: who is about to be deactivated need not be read once more. */
  readonly usersFresh: boolean;
  readonly bulkLoad: BulkLoad | null;
  readonly protectedBy: (user: Observed) => string | null;
  /** An operator has asked to write within quiet hours. */
  readonly ignoreQuietHours?: boolean;
  /** Told of the end of each change, in whatever order they end. */
  readonly onChange: (change: PlannedChange, result: ChangeResult) => void;
}

/** How a change ended; `blocked`: not tried, because what it needs failed. */
export type ChangeResult = ExecutionResult['result'] | 'blocked';

export interface Applied {
  readonly done: number;
  readonly failed: readonly Failure[];
  /** Changes not tried: budget spent, stopped, or what they need failed. */
  readonly left: number;
  readonly stopped: Stopped | null;
}

/**
 * Carries out the plan in the order of its stages: what one stage creates, the next may refer to. One bad record never
 * stops the others; a key that is refused or a service that is away stops the rest, which the next run derives again.
 */
export async function applyPlan(filter: 'applicable' | 'wanted', context: ApplyContext): Promise<Applied> {
  const { stores, config } = context;
  const tally = new ApplyTally();
  const stop = createStop(context, tally);
  for (const stage of eachStage(stores.work.inOrder(filter))) {
    // Loaded again for each stage: the one before may have created offices and tags.
    const execution = context.execution();
    const imported = new Set<string>();
    const onEnd = (change: PlannedChange, end: ExecutionResult): void => {
      tally.count(change, end);
      noteRefusal(change, end, context);
      context.onChange(change, end.result);
    };
    await runSlots(eachUnit(stage), config.service.rateLimit.concurrency, stop.before, async (unit) => {
      const open = refuseBlocked(unit, tally, context);
      const [change] = open;
      if (change === undefined) return;
      if (isImported(change)) imported.add(change.key);
      else if (change.batch !== undefined) await executeBatch(open, execution, onEnd);
      else if (takesAway(change)) onEnd(change, await lookFirst(change, execution, context));
      else onEnd(change, await executeChange(change, execution));
    });
    if (imported.size > 0 && !stop.beforeCalls(countImportCalls(context.bulkLoad))) {
      await importPeople(buildImportJob(imported, filter, context, onEnd), execution);
      stop.beforeCalls(0);
    }
    if (tally.stopped !== null) break;
  }
  const { done, failed, stopped } = tally;
  return { done, failed, left: stores.work.count(filter) - done - failed.length, stopped };
}

/** What the service refuses for the record's own sake is tried again with growing pauses. */
function noteRefusal(change: PlannedChange, { result, error }: ExecutionResult, { stores, clock }: ApplyContext): void {
  const { refusals } = stores;
  if (result === 'refused' && error?.code === 'SYNC_SERVICE_REFUSED') {
    refusals.save(countRefusal(refusals.find(change.entity, change.key), change, error.message, clock.now()));
  } else if (result === 'done' || result === 'already so') refusals.forget(change.entity, change.key);
}

/** Takes out the changes that need one that failed, or of which the key may none. */
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

/** What is carried out together: a change alone, or the changes of a stage that share a batch, once all of them are known. */
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

/** Whether a change may still be started: no signal, no reason to stop, and its calls fit the budget. */
function createStop(
  { config, service, signal, usersFresh, clock, ignoreQuietHours }: ApplyContext,
  tally: ApplyTally,
): { before(unit: readonly PlannedChange[]): boolean; beforeCalls(needed: number): boolean } {
  const sent = (): number => service.calls.reads.total + service.calls.writes.total;
  // Calls of what has been started, whether they have been sent yet or not.
  let committed = sent();
  const beforeCalls = (needed: number): boolean => {
    if (signal?.aborted) tally.stopped ??= { code: 'SIGNAL', message: 'stopped by a signal' };
    const quiet =
      ignoreQuietHours === true ? null : explainQuiet(config.quietHours, config.schedule.timezone, clock.now());
    if (quiet !== null) tally.stopped ??= { code: 'QUIET', message: quiet };
    if (config.callBudget !== null && Math.max(sent(), committed) + needed > config.callBudget) {
      tally.stopped ??= { code: 'BUDGET', message: `the call budget of ${config.callBudget} is spent` };
    }
    if (tally.stopped === null) committed += needed;
    return tally.stopped !== null;
  };
  return { beforeCalls, before: (unit) => beforeCalls(forecastUnit(unit, usersFresh)) };
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
