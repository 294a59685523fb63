import { existsSync, readFileSync } from 'node:fs';

const PROGRAM = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const own = '/proc/self/status';
const kib = () =>
  existsSync(own) ? /VmHWM:\\s+(\\d+)/.exec(readFileSync(own, 'utf8'))[1] : process.resourceUsage().maxRSS;
process.on('exit', () => writeFileSync(process.env.PEAK_FILE, String(kib())));
process.on('newListener', (name) => name === 'SIGTERM' && process.send?.('listens'));`;

/**
 * Loaded before a program that is measured (`--import`): as it leaves it writes down in `PEAK_FILE` how much memory it has held.
 * It also sends a message to its parent once it would end in order when it is asked to.
 * Where Linux tells it goes by that: what `resourceUsage` says begins with what the parent held, which is a worker full of tests.
 */
export const NOTE_PEAK = `data:text/javascript,${encodeURIComponent(PROGRAM)}`;

/** MiB; 0 of a program that was stopped before it had begun. */
export function readPeak(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) / 1_024 : 0;
}
