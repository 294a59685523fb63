import { SyncError } from '../base/errors.js';
import { createLogger, type Logger } from '../base/logger.js';
import { adviseAmong } from '../model/nearest.js';
import type { Console } from './context.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Opens a log on stderr with the level in `LOG_LEVEL`.
 *
 * @throws SyncError SYNC_CLI_USAGE for an unknown level
 */
export function openLogger(console: Console, usual = 'warn'): Logger {
  const said = console.env.LOG_LEVEL?.trim() ?? '';
  const level = said === '' ? usual : said.toLowerCase();
  if (!LEVELS.includes(level)) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `"${said}" is not a log level.`,
      place: 'LOG_LEVEL',
      remedy: adviseAmong(level, LEVELS, 'Accepted'),
    });
  }
  return createLogger(level, { write: (line: string) => void console.stderr.write(line) });
}
