import { SyncError } from '../base/errors.js';
import type { PastRun } from '../report/texts/run-lines.js';
import { findUnderWay } from '../store/run-lock.js';
import { describeRun } from './describe-run.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

/** The history, newest first. */
export interface RunListing {
  readonly runs: readonly PastRun[];
}

export const RUNS: TenantOperation<{ readonly last: number }, RunListing> = {
  name: 'listRuns',
  needs: 'a copy',
  perform: (context, { last }) =>
    withStores(context, ({ history, folder }) => {
      const now = findUnderWay(folder);
      return { runs: history.lastRuns(last).map((run) => describeRun(run, now)) };
    }),
};

/** One run with its complete final document. */
export const RUN: TenantOperation<{ readonly run: string }, PastRun> = {
  name: 'readRun',
  needs: 'a copy',
  perform: (context, { run: id }) =>
    withStores(context, ({ history, folder }) => {
      const run = history.findRun(id);
      if (run === null) throw unknownRun(id);
      return describeRun(run, findUnderWay(folder));
    }),
};

function unknownRun(id: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `There is no run ${id} in the history.`,
    place: 'runs',
    remedy: '`talent-sync runs` lists the stored runs.',
  });
}
