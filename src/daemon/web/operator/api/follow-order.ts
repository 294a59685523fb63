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

/** Asks the daemon by one address. @throws SyncError as the daemon says it */
type AskByRoute = (route: ApiRoute, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

export interface OrderWatch {
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** What takes no time is answered at once; then the daemon is asked once a second. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MS = 1_000;
/** A proxy that is restarted, or a network that is away, ends no run that goes on elsewhere. */
const TRIES = 10;

/**
 * Has a daemon plan or run in its turn, and follows it to its end. A stop leaves it to the daemon.
 *
 * @throws SyncError what the daemon refuses, or what the plan or run ended with
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

/** The daemon tells how far a step is; progress is counted by what is more. */
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

/** As the daemon says it. */
export function toError(error: NonNullable<SeenWork['error']>): SyncError {
  return readDescribed({ error });
}
