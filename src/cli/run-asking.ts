import { type AskFlags, type AskingWork, attending, type Console, printing, runCommand } from './context.js';
import { createProgress } from './progress.js';

/** Runs a command beside the state, or with `--daemon` by a daemon elsewhere. */
export async function runAsking<Flags extends AskFlags>(
  console: Console,
  flags: Flags,
  work: AskingWork<Flags>,
): Promise<void> {
  const { daemon, tenant } = flags;
  if (daemon === undefined && tenant === undefined) return runCommand(console, flags, work);
  await printing(console, flags.json === true, async () => {
    const { connectDaemon } = await import('../daemon/web/operator/api/ask-daemon.js');
    return await attending(console, async (attended) => {
      const { env } = console;
      const { signal } = attended;
      const progress = createProgress(console);
      try {
        const perform = connectDaemon({ daemon, tenant, env, signal, onProgress: progress.on });
        return await work({ ...attended, perform }, flags);
      } finally {
        progress.clear();
      }
    });
  });
}
