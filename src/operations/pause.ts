import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Pause } from '../model/pause.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { findUnderWay } from '../store/run-lock.js';
import { describeWork } from './describe-run.js';
import type { TenantOperation } from './operation.js';
import { parseUntil } from './parse-until.js';
import { type DecisionContext, decide, withStores } from './with-stores.js';

/** The end of a pause, and its reason. */
export interface PauseOrder {
  /** A day in the tenant's time zone, or an ISO 8601 moment. */
  readonly until: string;
  readonly reason: string;
}

/** The document of `pause --json`. */
export interface GivenPause {
  readonly paused: Pause;
  /** The run or command that held the state when the pause began. This run or command ends before its next change. */
  readonly under_way: ReturnType<typeof describeWork> | null;
}

/** The document of `resume --json`. */
export interface EndedPause {
  readonly resumed: Pause;
  readonly by: string;
  readonly reason: string;
}

/** Stops all planning and writing until a time. Pushes are still accepted, and decisions keep their remaining time. */
export const PAUSE: TenantOperation<PauseOrder, GivenPause> = {
  name: 'pause',
  needs: 'a word',
  async perform(context, { until: end, reason }) {
    const { config, clock, by } = context;
    const until = parseUntil(end, clock.now(), config.timezone);
    const pause: Pause = { at: isoNow(clock), until, by, reason };
    await decide(context, ({ pauses, audit }) => {
      pauses.begin(pause);
      appendEvent(audit, { kind: 'paused', at: pause.at, by, reason, until });
    });
    const work = findUnderWay(config.state);
    return { paused: pause, under_way: work === null ? null : describeWork(work) };
  },
};

/** Ends a pause. One run makes up for the missed slots. */
export const RESUME: TenantOperation<{ readonly reason: string }, EndedPause> = {
  name: 'resume',
  needs: 'a word',
  async perform(context, { reason }) {
    const { clock, by } = context;
    const at = isoNow(clock);
    // A trial is rolled back, but its response must match that of the real decision.
    const resumed = await withStores(context, ({ pauses }) => pauses.find(at));
    if (resumed === null) throw notPaused(context);
    await decide(context, ({ pauses, audit }) => {
      const ended = pauses.end(at);
      if (ended !== null) appendEvent(audit, { kind: 'resumed', at, by, reason, until: ended.until });
    });
    return { resumed, by, reason };
  },
};

function notPaused({ config }: DecisionContext): SyncError {
  return new SyncError('SYNC_NOT_PAUSED', {
    message: 'The tenant is not paused.',
    place: config.file,
    remedy: 'No action needed: its runs follow their schedule.',
  });
}
