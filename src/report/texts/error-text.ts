import type { SyncError } from '../../base/errors.js';
import { cleanLines } from '../../model/clean-text.js';
import { underline } from '../../model/excerpt.js';

/** An error for people, with code, message, place and remedy. */
export function renderError(error: SyncError): string {
  const { code, message, place, problems, remedy } = cleanLines({ ...error, message: error.message });
  const lines = [`error ${code}: ${message}`];
  // A place or remedy that one of the problems already shows is not repeated for the error.
  const isNew = (text: string): boolean => !problems.some((one) => one.place === text || one.remedy === text);
  if (place !== undefined && isNew(place)) lines.push(`  where: ${place}`);
  for (const problem of problems) {
    lines.push(`  - ${problem.place}: ${problem.message}`);
    if (problem.excerpt !== undefined) lines.push(...underline(problem.excerpt).map((line) => `      ${line}`));
    if (problem.remedy !== undefined) lines.push(`      ${problem.remedy}`);
  }
  if (isNew(remedy)) lines.push(`  what to do: ${remedy}`);
  return `${lines.join('\n')}\n`;
}
