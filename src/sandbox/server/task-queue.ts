export interface TaskQueue {
  schedule(delayMs: number, work: (isStopped: () => boolean) => Promise<void>): void;
  close(): Promise<void>;
}

/** Runs tasks in the background one at a time, in the order in which their delays end. */
export function createTaskQueue(): TaskQueue {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  let last: Promise<void> = Promise.resolve();
  return {
    schedule: (delayMs: number, work: (isStopped: () => boolean) => Promise<void>): void => {
      if (isStopped) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        last = last
          .then(() => work(() => isStopped))
          .catch((error: unknown) => {
            process.stderr.write(
              `sandbox: background work failed: ${error instanceof Error ? error.stack : String(error)}\n`,
            );
          });
      }, delayMs);
      timers.add(timer);
    },
    close: async (): Promise<void> => {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      await last;
    },
  };
}
