import type { DerivedRun } from '../../planning/derived-run.js';
import { describeStale, listFailed } from '../read-faults.js';
import { renderError } from './error-text.js';

/** Describes everything that a run left alone. Each rejected read of the service names the parts that depend on it. */
export function describeLeftAlone({ stopped, unread, staged }: DerivedRun['told'], timezone: string): string {
  const refusals = new Set<unknown>(unread.map(({ error }) => error.cause));
  // A delivery that needs approval is listed with the guards, including its cause.
  const ofSources = stopped.filter(({ error }) => !refusals.has(error) && error.trip === undefined);
  // Some failed sources stop no entity, such as a source that only adds to people, or a second stream.
  const told = new Set(stopped.map(({ error }) => error.message));
  const others = listFailed(staged).filter(({ error }) => error.trip === undefined && !told.has(error.message));
  return [
    ...ofSources.map(({ entity, error }) => `${entity} left alone: ${renderError(error)}`),
    ...others.map(({ source, error }) => `${source} not read, its values stay as last agreed: ${renderError(error)}`),
    ...unread.map(({ error }) => renderError(error)),
    ...describeStale(staged, timezone),
  ].join('');
}
