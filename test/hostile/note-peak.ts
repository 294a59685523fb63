import { existsSync, readFileSync } from 'node:fs';

const PROGRAM = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const own = '/proc/self/status';
const kib = () =>
  existsSync(own) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(own, 'utf8'))[1] : process.resourceUsage().maxRSS;
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(kib())));
process.on('newListener', (name) => name === 'SIGTERM' && process.send?.('listens'));`;

/**
 * A measured program loads this first (`--import`). On exit it writes its peak memory to `PEAK_FILE`.
 * It also sends a message to its parent once it can end in order on request.
 * It uses the value from Linux if available: `resourceUsage` starts with the parent's memory, a worker full of tests.
 */
export const NOTE_PEAK = `data:text/javascript,${encodeURIComponent(PROGRAM)}`;

/** MiB; 0 for a program that was stopped before it began. */
export function readPeak(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) / 1_024 : 0;
}
