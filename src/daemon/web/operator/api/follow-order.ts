import { setTimeout } from 'node:timers/promises';
import type * as z from 'zod';
import { readDescribed, SyncError } from '../../../../base/errors.js';
import type { OnProgress } from '../../../../model/progress.js';
import type { ToldWork, WorkOrder } from '../../../../operations/work-order.js';
import { fromTerminal } from '../../../../report/writers/style.js';
import type { ApiRoute } from './api-route.js';
import { ASK_PLAN, READ_WORK } from './now-api.js';
import type { Work } from './schemas.js';

type SeenWork = z.output<typeof Work>;

/** Sends a request to the daemon by a route. @throws SyncError the daemon's error */
type AskByRoute = (route: ApiRoute, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface OrderWatch {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** Quick work is noticed soon; after that, the daemon is asked once per second. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS = 1_000;
/** A restarted proxy or a broken network does not end a run that continues in the daemon. */
const TRIES = 10;

/**
 * Has the daemon plan or run in its turn, and follows the work to its end. If stopped, it stops following; the work continues.
 *
 * @throws SyncError the daemon's error, or the error that ended the plan or run
 */
export async function followOrder(
  ask: AskByRoute,
  route: ApiRoute,
  order: WorkOrder & { readonly tenant: string },
  { signal, onProgress }: OrderWatch,
): Promise<ToldWork> {
  const { tenant } = order;
  let work = (await ask(route, toBody(route, order))) as SeenWork;
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

function toBody(
  route: ApiRoute,
  { tenant, only, full, asOf, ignoreQuietHours, isDetailed, look }: WorkOrder & { readonly tenant: string },
) {
  const own = route === ASK_PLAN ? { detailed_exitcode: isDetailed } : { ignore_quiet_hours: ignoreQuietHours };
  const text = look === null ? null : { color: look.color, width: look.width, all: look.all };
  return { tenant, only, full, as_of: asOf, text, ...own };
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
    message: `Stopped looking: the ${kind} goes on in the daemon (${id}).`,
    place: '--daemon',
    remedy: '`talent-sync status --daemon …` and `talent-sync runs --daemon …` say what came of it.',
  });
}

/** The daemon's error, unchanged. */
export function toError(error: NonNullable<SeenWork['error']>): SyncError {
  return readDescribed({ error });
}
