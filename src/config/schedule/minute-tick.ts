import { schedule } from 'node-cron';

export interface MinuteTick {
  close(): Promise<void>;
}

/**
 * Calls `onTick` at the beginning of each minute, in UTC. `due.ts` decides which slots are due in which timezone, because
 * node-cron skips an hour at the end of summer time if it is given a timezone.
 */
export function startMinuteTick(onTick: () => void): MinuteTick {
  // Suppresses node-cron's warnings about missed ticks. Missed ticks do no harm, but after a sleep there are hundreds of
  // warnings, in a format other than our log's.
  const task = schedule('* * * * *', onTick, { timezone: 'UTC', name: 'minute', suppressMissedWarning: true });
  return {
    async close() {
      await task.destroy();
    },
  };
}
