import { dirname } from 'node:path';
import { SyncError } from '../base/errors.js';
import { loadConfig } from '../config/load.js';
import { loadBackend } from '../config/load-backend.js';
import type { AssistantReads } from '../daemon/assistant/assistant-reads.js';
import { serveStdio } from '../daemon/assistant/serve-stdio.js';
import { openConnection } from '../daemon/web/operator/api/ask-daemon.js';
import { readByInterface } from '../daemon/web/operator/api/assistant-routes.js';
import { readVeiled } from '../daemon/web/operator/api/read-veiled.js';
import { type AskFlags, attending, type Console, isNextToBackend, printing } from './context.js';
import { openLogger } from './open-logger.js';
import { nameTenant } from './remote-command.js';

export type McpFlags = Omit<AskFlags, 'json'>;
type Attended = Parameters<Parameters<typeof attending>[1]>[0];

/** `mcp`: serves an assistant over stdin and stdout until the assistant closes its end. */
export async function runMcp(console: Console, flags: McpFlags): Promise<void> {
  const { stdout, env } = console;
  await printing(console, false, () =>
    attending(console, async (attended) => {
      const { signal } = attended;
      const { daemon, tenant } = flags;
      const reads =
        daemon === undefined && tenant === undefined
          ? readState(attended, flags.config)
          : readByInterface(openConnection({ daemon, env, signal }), tenant);
      const { stdin = process.stdin } = console;
      await serveStdio(reads, { stdin, stdout, signal });
      return null;
    }),
  );
}

/** @throws SyncError SYNC_CLI_USAGE if the state is in PostgreSQL */
function readState({ console, clock, by }: Attended, file: string): AssistantReads {
  const config = loadConfig(file, console.env, undefined, 'when used');
  if (isNextToBackend(file) && loadBackend(dirname(file), console.env) !== null) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'The state of this tenant is in PostgreSQL.',
      place: '--config',
      remedy: 'Name a daemon that has operator pages with --daemon; any of them answers.',
    });
  }
  const logger = openLogger(console, 'info');
  const tenant = nameTenant(config.file);
  const onRead = (tool: string): void => logger.info({ operator: by, tenant, tool }, 'an assistant read');
  return readVeiled({ tenant, context: { config, clock, by, via: 'machine' }, onRead });
}
