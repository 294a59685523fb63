import { schedule } from 'node-cron';

export interface MinuteTick {
  close(): Promise<void>;
}

/**
 * Calls `onTick` at the beginning of each minute, in UTC. `due.ts` decides which slots that means in which zone: node-cron,
 * given a zone, skips an hour when summer time ends.
 */
export function startMinuteTick(onTick: () => void): MinuteTick {
  // Suppresses node-cron's warnings about missed ticks: there are hundreds after a sleep, in another format than our log, and
  // missed ticks do no harm.
  const task = schedule('* * * * *', onTick, { timezone: 'UTC', name: 'minute', suppressMissedWarning: true });
  return {
    async close() {
      await task.destroy();
    },
  };
}
