import { type AskFlags, type AskingWork, attending, type Console, isNextToBackend, printing } from './context.js';
import { createProgress } from './progress.js';
import { runCommand } from './run-command.js';

/** How a command uses a state in PostgreSQL: `ask` asks the holder, and `hold` holds the tenant itself. */
export type AskedStates = 'ask' | 'hold';

/** Runs a command on the local state, or on a remote daemon with `--daemon`. */
export async function runAsking<Flags extends AskFlags>(
  console: Console,
  flags: Flags,
  work: AskingWork<Flags>,
  states: AskedStates = 'ask',
): Promise<void> {
  const { daemon, tenant } = flags;
  if (daemon === undefined && tenant === undefined) {
    if (states === 'hold' || !isNextToBackend(flags.config)) return runCommand(console, flags, work, 'hold');
    const { askRemotely } = await import('./remote-command.js');
    return askRemotely(console, flags, work);
  }
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
