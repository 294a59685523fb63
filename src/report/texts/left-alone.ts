import type { DerivedRun } from '../../planning/derived-run.js';
import { describeStale } from '../read-faults.js';
import { renderError } from './error-text.js';

/** What a run left alone: of the service's refusals each names all that rests on it. */
export function describeLeftAlone({ stopped, unread, staged }: DerivedRun['told'], timezone: string): string {
  const refusals = new Set<unknown>(unread.map(({ error }) => error.cause));
  // A delivery that waits for an approval is among the guards, with its cause.
  const ofSources = stopped.filter(({ error }) => !refusals.has(error) && error.trip === undefined);
  return [
    ...ofSources.map(({ entity, error }) => `${entity} left alone: ${renderError(error)}`),
    ...unread.map(({ error }) => renderError(error)),
    ...describeStale(staged, timezone),
  ].join('');
}
