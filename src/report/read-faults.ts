import { describeError } from '../errors.js';
import type { StagedEntity } from '../mirror/stage-sources.js';
import type { Unread } from '../planning/unread.js';

/** What a run staged. */
interface Staged {
  readonly staged: readonly StagedEntity[];
}

interface Read extends Staged {
  readonly unread: readonly Unread[];
}

/**
 * Sources that could not be read, and what the service refused to show, in the form of errors; absent when there are
 * none. The first one stands under `error` too, where every command tells what went wrong.
 */
export function listErrors({ staged, unread }: Read): {
  readonly error?: unknown;
  readonly errors?: readonly unknown[];
} {
  const ofSources = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ source, error }) => (error === null ? [] : [{ source, ...describeError(error) }]));
  const ofService = unread.map(({ leftAlone, error }) => ({
    source: 'service',
    ...describeError(error),
    left_alone: leftAlone,
  }));
  const errors = [...ofSources, ...ofService];
  const [first] = errors;
  return first === undefined ? {} : { error: first.error, errors };
}

/** Sources that were read but cannot prove themselves whole; absent when there are none. */
export function listIncomplete({ staged }: Staged): { readonly incomplete?: readonly unknown[] } {
  const open = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ evidence, error }) => (error === null && evidence?.complete === false ? [evidence] : []));
  if (open.length === 0) return {};
  return {
    incomplete: open.map(({ source, at, incompleteBecause }) => ({ source, at, because: incompleteBecause ?? null })),
  };
}
