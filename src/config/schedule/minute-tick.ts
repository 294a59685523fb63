import { schedule } from 'node-cron';

export interface MinuteTick {
  close(): Promise<void>;
}

/**
 * Calls once at the beginning of each minute. In UTC and each minute only: which slots that means in which zone is
 * `due.ts`'s business, because node-cron, given a zone, leaves out an hour when summer time ends.
 */
export function startMinuteTick(onTick: () => void): MinuteTick {
  // Its own words for ticks that were missed are no lines of our log, and hundreds after a sleep; nothing is lost by them.
  const task = schedule('* * * * *', onTick, { timezone: 'UTC', name: 'minute', suppressMissedWarning: true });
  return {
    async close() {
      await task.destroy();
    },
  };
}
