import type { App } from '../app/app.js';
import { isoNow } from '../base/clock.js';
import { asSyncError, messageOf } from '../base/errors.js';
import { hideSecretsInJson } from '../base/secrets/secret.js';
import { applyRun, type PlannedRun, planRun, resumeRun } from '../cycle.js';
import type { DeliveryResult } from '../model/delivery.js';
import { CONFLICT, type NamedHold } from '../model/desired.js';
import { STATE_LOST } from '../model/held-source.js';
import type { PlannedChange } from '../model/plan.js';
import { shortenDigest } from '../model/sha256.js';
import type { Signal } from '../model/signal.js';
import type { UndoRequest } from '../model/undo.js';
import { namesSaved } from '../planning/only.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import { newId } from '../planning/saved/summary.js';
import { findWorks } from '../planning/undo/derive-undo.js';
import { chooseExitCode, splitHolds } from '../report/exit-code.js';
import { countWaiting, isBroken, listErrors, listIncomplete, listStale } from '../report/read-faults.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { finishErasure } from '../store/audit/erasure/erase.js';
import { eraseAgain } from '../store/audit/erasure/erase-again.js';
import { keepAudit } from '../store/audit/keep-audit.js';
import { deliverDue } from '../writeback/reports/deliver-due.js';
import type { AppliedBoth } from '../writeback/write-back.js';

export interface RunOptions {
  readonly command: 'sync' | 'apply' | 'daemon' | 'undo';
  /** Id of the run, if the log already uses it. */
  readonly run?: string;
  /** A saved plan. Only its changes are carried out. */
  readonly saved: SavedPlan | null;
  readonly full: boolean;
  readonly only: string | null;
  /** The signalled changes that started the run. */
  readonly signals?: readonly Signal[];
  /** The run to undo. */
  readonly undo?: UndoRequest | null;
  /**
   * Called in the transaction that records the end of the run, so that both are stored together. Not called if a signal
   * stopped the run.
   */
  readonly atEnd?: () => void;
}

/** Rejects the undo of a mistyped run or object. The calls of a stopped run may not be known before a run finishes them. */
function requireWorks(stores: App['stores'], run: string, only: string | null): void {
  if (stores.journal.open().length === 0) findWorks(stores, run, only);
}

/** Creates the id of a run in advance, so that its log has it from the first line. */
export function newRunId(clock: App['clock']): string {
  return newId('r', clock);
}

interface LeftOut {
  readonly id: string;
  readonly label: string;
  readonly because: string;
}

export type RunEnd = ReturnType<typeof runFacts>;

/**
 * Performs one run and records it in the history. The run finishes the remaining work of an earlier run, plans, applies,
 * and records the result. A run that throws is also recorded.
 */
export async function runOnce(app: App, options: RunOptions): Promise<RunEnd> {
  const { clock, stores, config } = app;
  const { saved, full, only, undo = null } = options;
  // These checks come before the start, because a run that did not begin is not recorded.
  app.requireUnpaused();
  if (undo !== null) requireWorks(stores, undo.run, only);
  const run = options.run ?? newRunId(clock);
  if (options.run === undefined) app.logger.setBindings({ run });
  app.begin(run);
  const startedMs = clock.now();
  const startedAt = recordStart(app, run, options.command);
  const end = (plan: string | null, exitCode: number, result: unknown, isStopped: boolean): void =>
    stores.state.transaction(() => {
      stores.history.endRun(run, {
        endedAt: isoNow(clock),
        plan,
        exitCode,
        result: hideSecretsInJson(JSON.stringify(result)),
      });
      if (!isStopped) options.atEnd?.();
    });
  try {
    if (finishErasure(stores) === 'log busy')
      app.logger.warn(
        'data that an erasure deleted is still in a log file that another process reads; the next run tries again',
      );
    await resumeRun(app, run);
    const again = eraseAgain(stores, { at: isoNow(clock), by: app.startedBy });
    if (again.made > 0)
      app.logger.info({ erasures: again.made }, 'erasures that a restored backup had undone are repeated');
    const planned = await planRun(app, { full, only, undo: undo && { ...undo, by: nameStarter(app) } }, 'run');
    const isLost = planned.head.summary.guards.some(({ guard }) => guard === STATE_LOST);
    if (!isLost) acceptLoss(app);
    const wanted = saved === null ? null : [...saved.changes, ...saved.toSources].map(({ id }) => id);
    const applied = isLost ? NOTHING_APPLIED : await applyRun(app, run, planned, wanted);
    const mayDeliver = !isLost && only === null && undo === null && app.paused() === null;
    if (mayDeliver) app.enter('delivering');
    const delivered = mayDeliver ? await deliverDue(app.deliveries, run) : [];
    if (mayDeliver && isComplete(app, options, planned, applied)) stores.history.noteOffered(startedAt);
    keepAudit(stores, config.audit.keepMs, clock.now());
    const seconds = (clock.now() - startedMs) / 1000;
    const ended = runFacts(app, run, { planned, applied, delivered, saved, seconds, signals: options.signals });
    end(planned.head.plan, ended.exitCode, ended.document, applied.stopped?.code === 'SIGNAL');
    stores.forgetOld(clock.now());
    logEnd(app, options.command, ended);
    return ended;
  } catch (error) {
    const message = messageOf(error);
    end(null, 1, { error: message, code: asSyncError(error).code, audit: readHead(app) }, app.isStopped());
    app.logger.info(describeHead(app), 'run recorded');
    throw error;
  }
}

/**
 * True if the run could carry out everything approved. The run must have read both sides, and written to the end without
 * obstacles.
 */
function isComplete(
  { asOf }: App,
  { saved }: RunOptions,
  { told, head }: PlannedRun,
  { stopped }: AppliedBoth,
): boolean {
  return (
    asOf === null &&
    saved === null &&
    stopped === null &&
    !isBroken(told) &&
    countWaiting(told, head.summary.guards) === 0 &&
    !('incomplete' in listIncomplete(told))
  );
}

const NOTHING_APPLIED: AppliedBoth = {
  done: 0,
  counts: {},
  failed: [],
  left: 0,
  stopped: null,
  toSources: {},
  bySource: [],
};

/** Accepts the loss of the state. The approval is valid for one run. After that run, the state is an ordinary one. */
function acceptLoss({ stores, logger }: App): void {
  if (stores.lostState.lost() === null) return;
  stores.state.transaction(() => {
    stores.lostState.accept();
    stores.history.spendApproval(STATE_LOST);
  });
  logger.warn('continues without the lost state, as approved');
}

/** `jane@example.com`, from `jane@example.com: daemon, process 4711 on worker-1`. */
function nameStarter({ startedBy }: App): string {
  return startedBy.replace(/(: |, process ).*$/s, '');
}

/** Records the start in history and audit together, because a start in only one of them would be a gap in the log. */
function recordStart({ stores, clock, config, startedBy }: App, run: string, command: RunOptions['command']): string {
  const at = isoNow(clock);
  stores.state.transaction(() => {
    stores.history.startRun({ id: run, command, startedAt: at, configDigest: config.digest });
    appendEvent(stores.audit, {
      kind: 'run started',
      at,
      run,
      command,
      by: startedBy,
      config: shortenDigest(config.digest),
    });
  });
  return at;
}

function readHead({ stores }: App): { readonly entries: number; readonly head: string | null } {
  return { entries: stores.audit.count(), head: stores.audit.last()?.hash ?? null };
}

function describeHead(app: App): object {
  const { entries, head } = readHead(app);
  return { audit_entries: entries, audit_head: head };
}

/** Maximum number of failures logged one by one. The document of the run lists all of them. */
const MOST_LOGGED = 20;

/** Logs one line for an uneventful run. Otherwise it also logs each important cause once, with its number. */
function logEnd(
  app: App,
  command: RunOptions['command'],
  { document, exitCode, planned, holds }: ReturnType<typeof runFacts>,
): void {
  const { logger } = app;
  // A command prints its results, but a daemon only has its log.
  const level = command === 'daemon' ? 'warn' : 'info';
  const { done, failed, guards, left, calls, seconds, stopped } = document;
  const { records, fields, conflicts } = planned.head.summary.heldCounts;
  const held = { held: records, held_fields: fields, conflicts };
  const sums = { done, failed: failed.length, ...held, left, calls, seconds, stopped };
  logger.info({ exit_code: exitCode, ...sums, ...describeHead(app) }, 'run ended');
  for (const { entity, error } of planned.told.stopped) {
    const { code, message, place, remedy } = error;
    logger[command === 'daemon' ? 'error' : 'info']({ entity, code, message, place, remedy }, 'left alone');
  }
  for (const { entity, change, code, place } of failed.slice(0, MOST_LOGGED))
    logger[level]({ entity, change, code, place }, 'a change failed');
  for (const { guard, held: changes, cause, acknowledged, declined } of guards)
    if (acknowledged === undefined && declined === undefined)
      logger[level]({ guard, changes, cause }, 'a guard holds changes until they are approved');
  for (const { kind, ...cause } of countHeld(holds)) logger[level](cause, HELD_WORDS[kind]);
}

const HELD_WORDS = {
  conflict: 'conflicts need a decision',
  field: 'fields are held; the rest of their records goes through',
  record: 'records are held',
} as const;

function kindOf(code: string, field: string | undefined): keyof typeof HELD_WORDS {
  if (code === CONFLICT) return 'conflict';
  return field === undefined ? 'record' : 'field';
}

interface HeldCause {
  readonly kind: keyof typeof HELD_WORDS;
  readonly entity: string;
  readonly code: string;
  count: number;
}

/** Counts by entity and code, as the metrics do, because the text of a hold may name a person. */
function countHeld(holds: readonly NamedHold[]): Iterable<HeldCause> {
  const causes = new Map<string, HeldCause>();
  for (const { entity, code, field, count = 1, acknowledged } of holds) {
    if (acknowledged !== undefined) continue;
    const kind = kindOf(code, field);
    const name = `${kind} ${entity} ${code}`;
    const cause = causes.get(name) ?? { kind, entity, code, count: 0 };
    cause.count += count;
    causes.set(name, cause);
  }
  return causes.values();
}

interface Stages {
  readonly planned: PlannedRun;
  readonly applied: AppliedBoth;
  readonly delivered: readonly DeliveryResult[];
  /** The saved plan that was applied; null if the run applied its own plan. */
  readonly saved: SavedPlan | null;
  readonly seconds: number;
  readonly signals: RunOptions['signals'];
}

function runFacts(app: App, run: string, stages: Stages) {
  const { planned, applied, delivered, saved, seconds, signals } = stages;
  const { service, stores } = app;
  const { summary, plan } = planned.head;
  const incomplete = listIncomplete(planned.told);
  const { done, failed, left, stopped } = applied;
  const all = [...stores.work.holds()];
  const exitCode = chooseExitCode({
    broken: isBroken(planned.told) || stopped?.code.startsWith('SYNC_') === true,
    failed: failed.length + delivered.filter(({ status }) => status === 'failed').length,
    incomplete: 'incomplete' in incomplete,
    held: all,
    guards: summary.guards,
    left:
      left + countWaiting(planned.told, summary.guards) + delivered.filter(({ status }) => status === 'left').length,
    detailed: false,
    changes: 0,
  });
  const { held, conflicts } = splitHolds(all);
  // The document for programs, as described in `docs/reference/commands.md` (sync).
  const document = {
    run,
    plan: saved?.meta.plan ?? plan,
    ...(planned.undoes === null ? {} : { undoes: planned.undoes.run }),
    ...(signals === undefined ? {} : { signals: signals.map((signal) => tellSignal(signal, app.clock.now())) }),
    // With a saved plan, only the changes of that plan count. Other derived changes wait for the next plan.
    counts: saved === null ? summary.counts : stores.work.counts('wanted'),
    calls: { reads: service.calls.reads.total, writes: service.calls.writes.total },
    done,
    failed,
    held,
    guards: summary.guards,
    ...(summary.declined.length === 0 ? {} : { declined: summary.declined }),
    waiting: summary.waiting,
    conflicts,
    ...(planned.others === null ? {} : { others: planned.others }),
    ...(delivered.length === 0 ? {} : { deliveries: delivered }),
    left,
    ...describeWritten(stores, applied.toSources),
    stopped: stopped?.message ?? null,
    ...(saved === null ? {} : { left_out: listLeftOut(app, saved, planned.only) }),
    seconds: Math.round(seconds * 10) / 10,
    // If these are also stored elsewhere, length and last hash reveal a truncated log.
    audit: readHead(app),
    exit_code: exitCode,
    ...listErrors(planned.told),
    ...incomplete,
    ...listStale(planned.told),
  };
  // The details of writes to the service and to each source are only for people.
  const { bySource, counts: doneCounts } = applied;
  return { document, exitCode, planned, holds: all, bySource, doneCounts };
}

/** Describes a signalled change, with the seconds from the signal to the end of the run. */
function tellSignal({ kind, source, atMs }: Signal, nowMs: number) {
  return { kind, source, seconds: Math.round((nowMs - atMs) / 100) / 10 };
}

function describeWritten({ work }: App['stores'], told: Readonly<Record<string, number>>) {
  const near = work.echoes().filter((echo) => echo.near).length;
  return {
    // Source or stream → records that were written back.
    ...(Object.keys(told).length === 0 ? {} : { to_sources: told }),
    // Values that a source shows in another form.
    ...(near === 0 ? {} : { near_misses: near }),
  };
}

/**
 * Lists changes of the saved plan that this run leaves out. The run no longer derives them, derives them with another value
 * or configuration, holds them, or postpones them with a change that they need. With `only`, lists changes of that object.
 */
function listLeftOut({ stores: { work } }: App, saved: SavedPlan, only: string | null): readonly LeftOut[] {
  const wanted = new Set([...work.inOrder('wanted'), ...work.writeBackChanges('wanted')].map(({ id }) => id));
  const isLeft = ({ id }: { readonly id: string }) => !wanted.has(id);
  const left = [...saved.changes, ...saved.toSources]
    .filter(isLeft)
    .filter(only === null ? () => true : namesSaved(only));
  const later = new Set<string>();
  for (const change of work.inOrder('all')) if (isLeft(change)) later.add(`${change.entity}:${change.key}`);
  const ids = new Set(left.map(({ id }) => id));
  const reasons = new Map<string, string>();
  const others = new Set<string>();
  for (const all of [work.inOrder('all'), work.writeBackChanges('all')]) {
    for (const change of all) {
      others.add(nameObject(change));
      if (ids.has(change.id)) reasons.set(change.id, explainLeft(change, later));
    }
  }
  return left.map((change) => {
    const label =
      'source' in change ? `${change.source} ${change.label}` : `${change.entity} ${change.action} ${change.label}`;
    const without = others.has(nameObject(change)) ? 'derived differently by now' : 'no longer derived';
    return { id: change.id, label, because: reasons.get(change.id) ?? without };
  });
}

/** Explains why a change is left out even though the run derives it as saved. */
function explainLeft(
  { withheld, needs, ...change }: Pick<PlannedChange, 'withheld' | 'needs' | 'partOf'>,
  later: ReadonlySet<string>,
): string {
  if (withheld?.by === 'declined') return `declined (${withheld.name})`;
  if (withheld !== null) return `waits for ${withheld.name}`;
  const need = [...needs, change.partOf ?? ''].find((ref) => later.has(ref));
  return `needs ${need}, which waits for the next plan`;
}

function nameObject(change: Pick<PlannedChange, 'entity' | 'key'> & { readonly source?: string }): string {
  return JSON.stringify([change.source, change.entity, change.key]);
}
