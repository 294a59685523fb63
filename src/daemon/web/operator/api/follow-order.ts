import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import { readDescribed, SyncError } from '../../../../base/errors.js';
import type { OnProgress } from '../../../../model/progress.js';
import type { ToldUndo, UndoOrder, UndoPlanOrder } from '../../../../operations/ask-work.js';
import type { ToldWork, WorkLook, WorkOrder } from '../../../../operations/work-order.js';
import { fromTerminal } from '../../../../report/writers/style.js';
import type { ApiRoute } from './api-route.js';
import { ASK_PLAN, ASK_RUN, ASK_UNDO, ASK_UNDO_PLAN, READ_WORK } from './now-api.js';
import type { UndoWork, Work } from './schemas.js';

type SeenWork = z.output<typeof Work>;

/** Sends a request to the daemon through a route. @throws SyncError the daemon's error */
type AskByRoute = (route: ApiRoute, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface OrderWatch {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

interface OfTenant {
  readonly tenant: string;
}

/** Sends an order and waits until it ends. */
type Follow = (ask: AskByRoute, order: never, watch: OrderWatch) => Promise<unknown>;

/** Orders by the names of their operations. */
export const ORDERS: ReadonlyMap<string, Follow> = new Map<string, Follow>([
  [ASK_PLAN.name, followPlan],
  [ASK_RUN.name, followRun],
  [ASK_UNDO_PLAN.name, followUndoPlan],
  [ASK_UNDO.name, followUndo],
]);

/** The first pause is short, for work that takes no time. After that, the client asks the daemon once per second. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS = 1_000;
/** Number of attempts. A restarted proxy or a broken network does not end a run that continues in the daemon. */
const TRIES = 10;

async function followPlan(ask: AskByRoute, order: WorkOrder & OfTenant, watch: OrderWatch): Promise<ToldWork> {
  const body = { ...bodyOf(order), detailed_exitcode: order.isDetailed };
  return follow(ask, order, (await ask(ASK_PLAN, body)) as SeenWork, watch);
}

async function followRun(ask: AskByRoute, order: WorkOrder & OfTenant, watch: OrderWatch): Promise<ToldWork> {
  const body = { ...bodyOf(order), ignore_quiet_hours: order.ignoreQuietHours };
  return follow(ask, order, (await ask(ASK_RUN, body)) as SeenWork, watch);
}

function bodyOf({ tenant, only, full, asOf, look }: WorkOrder & OfTenant) {
  return { tenant, only, full, as_of: asOf, text: textOf(look) };
}

async function followUndoPlan(ask: AskByRoute, order: UndoPlanOrder & OfTenant, watch: OrderWatch): Promise<ToldWork> {
  const { tenant, run, only, full, look } = order;
  const work = (await ask(ASK_UNDO_PLAN, { tenant, run, only, full, text: textOf(look) })) as SeenWork;
  return follow(ask, order, work, watch);
}

async function followUndo(ask: AskByRoute, order: UndoOrder & OfTenant, watch: OrderWatch): Promise<ToldUndo> {
  const { tenant, plan, reason, look } = order;
  const answer = await ask(ASK_UNDO, { tenant, plan, reason, text: textOf(look) });
  const { work, ...weighed } = answer as z.output<typeof UndoWork>;
  return { ...weighed, told: work === null ? null : await follow(ask, order, work, watch) };
}

function textOf(look: WorkLook | null) {
  return look === null ? null : { color: look.color, width: look.width, all: look.all };
}

/**
 * Follows work in the daemon until it ends. A stop leaves the work to the daemon.
 *
 * @throws SyncError the error of the plan or run
 */
async function follow(
  ask: AskByRoute,
  { tenant }: OfTenant,
  begun: SeenWork,
  { signal, onProgress }: OrderWatch,
): Promise<ToldWork> {
  let work = begun;
  const tell = createTeller(onProgress);
  for (let pause = FIRST_PAUSE_MS; work.state !== 'ended'; pause = Math.min(2 * pause, PAUSE_MS)) {
    await setTimeout(pause, undefined, { signal }).catch(() => {
      throw leftAlone(work);
    });
    work = await askAgain(ask, { tenant, work: work.id }, signal);
    tell(work);
  }
  if (work.error !== null) throw toError(work.error);
  return { json: work.document ?? {}, text: fromTerminal(work.text ?? ''), exitCode: work.exit_code ?? 1 };
}

async function askAgain(
  ask: AskByRoute,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<SeenWork> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return (await ask(READ_WORK, input)) as SeenWork;
    } catch (error) {
      const isAway = error instanceof SyncError && error.code === 'SYNC_DAEMON_DOWN';
      if (!isAway || left === 0 || signal.aborted) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}

/** Converts the daemon's total per step to increments. */
function createTeller(onProgress: OnProgress): (work: SeenWork) => void {
  const done = new Map<string, number>();
  return ({ progress }) => {
    if (progress === null) return;
    const { step, of, total } = progress;
    onProgress({ step, of, total, more: progress.done - (done.get(step) ?? 0) });
    done.set(step, progress.done);
  };
}

function leftAlone({ kind, id }: SeenWork): SyncError {
  return new SyncError('SYNC_STOPPED', {
    message: `Stopped following: the ${kind} continues in the daemon (${id}).`,
    place: '--daemon',
    remedy: '`talent-sync status --daemon …` and `talent-sync runs --daemon …` show its result.',
  });
}

/** Converts the daemon's error without changing its content. */
export function toError(error: NonNullable<SeenWork['error']>): SyncError {
  return readDescribed({ error });
}
