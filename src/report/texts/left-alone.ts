import type { DerivedRun } from '../../planning/derived-run.js';
import { describeStale, listFailed } from '../read-faults.js';
import { renderError } from './error-text.js';

/** What a run left alone: of the service's refusals each names all that rests on it. */
export function describeLeftAlone({ stopped, unread, staged }: DerivedRun['told'], timezone: string): string {
  const refusals = new Set<unknown>(unread.map(({ error }) => error.cause));
  // A delivery that waits for an approval is among the guards, with its cause.
  const ofSources = stopped.filter(({ error }) => !refusals.has(error) && error.trip === undefined);
  // What no entity rests on alone stops none: a source that adds to people, or the second stream that failed.
  const told = new Set(stopped.map(({ error }) => error.message));
  const others = listFailed(staged).filter(({ error }) => error.trip === undefined && !told.has(error.message));
  return [
    ...ofSources.map(({ entity, error }) => `${entity} left alone: ${renderError(error)}`),
    ...others.map(
      ({ source, error }) => `${source} not read, what it says stays as last agreed: ${renderError(error)}`,
    ),
    ...unread.map(({ error }) => renderError(error)),
    ...describeStale(staged, timezone),
  ].join('');
}
