import { createLogger, type Logger } from '../logger.js';
import type { Console } from './context.js';

/** On stderr, by `LOG_LEVEL`. */
export function openLogger(console: Console, level = 'warn'): Logger {
  return createLogger(console.env.LOG_LEVEL ?? level, { write: (line: string) => void console.stderr.write(line) });
}
