import { Cron } from 'croner';
import { messageOf } from '../base/errors.js';
import type { YamlPath } from '../base/settings/resolving.js';
import type { ConfigProblems } from './yaml/config-problems.js';

const SHAPE = 'Write five fields (minute, hour, day, month, weekday), as in `"*/15 * * * *"`.';
const NAMED: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
};

export function checkCron(path: YamlPath, pattern: string, report: ConfigProblems): void {
  const meant = proposeCron(pattern);
  const remedy = meant === null ? SHAPE : `Write \`"${meant}"\`.`;
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5) {
    const detail = fields === 6 && meant !== null ? ': the first of its six fields is seconds' : '';
    report.add(path, `"${pattern}" is not a cron expression of five fields${detail}`, remedy);
    return;
  }
  try {
    if (new Cron(pattern, { paused: true }).nextRun() !== null) return;
    report.add(path, `"${pattern}" never occurs`, 'Name a day that exists.');
  } catch (error) {
    const reason = messageOf(error).replace(/^CronPattern: /, '');
    report.add(path, `"${pattern}" is not a cron expression: ${reason}`, remedy);
  }
}

/** Proposes a cron expression for other notations: with seconds, by name, or as an interval; null if the meaning is unclear. */
export function proposeCron(text: string): string | null {
  const words = text.trim().split(/\s+/);
  if (words.length === 5) return isCron(text) ? text : null;
  if (words.length === 6) {
    const rest = words.slice(1).join(' ');
    return isCron(rest) ? rest : null;
  }
  return NAMED[text.trim().toLowerCase()] ?? proposeInterval(text.trim());
}

/** Unit → the number of units in the next larger unit, and the cron expression for a step. */
const UNITS: Readonly<Record<string, readonly [of: number, write: (step: string) => string]>> = {
  m: [60, (step) => `${step} * * * *`],
  h: [24, (step) => `0 ${step} * * *`],
  d: [1, () => '0 0 * * *'],
};

/** Proposes a cron expression for an interval such as `15m` or `every 2 hours`, if it divides an hour or a day evenly. */
function proposeInterval(text: string): string | null {
  const [, number = '1', letter = ''] = /^(?:every\s+)?(\d+)?\s*(m|h|d)(?:in|inutes?|ours?|ays?)?$/i.exec(text) ?? [];
  const count = Number(number);
  const [of, write] = UNITS[letter.toLowerCase()] ?? [0, null];
  if (write === null || count < 1 || of % count !== 0) return null;
  if (count === 1) return write('*');
  return write(count === of ? '0' : `*/${count}`);
}

function isCron(pattern: string): boolean {
  try {
    new Cron(pattern, { paused: true });
    return true;
  } catch {
    return false;
  }
}
