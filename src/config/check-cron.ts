import { Cron } from 'croner';
import type { YamlPath } from '../settings/resolving.js';
import type { ConfigProblems } from './yaml/config-problems.js';

export function checkCron(path: YamlPath, pattern: string, report: ConfigProblems): void {
  const remedy = 'Write five fields (minute, hour, day, month, weekday), as in `"*/15 * * * *"`.';
  if (pattern.trim().split(/\s+/).length !== 5) {
    report.add(path, `"${pattern}" is not a cron expression of five fields`, remedy);
    return;
  }
  try {
    if (new Cron(pattern, { paused: true }).nextRun() !== null) return;
    report.add(path, `"${pattern}" never comes`, 'Name a day that there is.');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    report.add(path, `"${pattern}" is not a cron expression: ${reason}`, remedy);
  }
}
