import type { Action, Entity } from '../../model/entity.js';
import type { GuardTrip } from '../../model/plan.js';
import type { Preview } from '../../model/preview.js';
import type { DerivedPreview } from '../../planning/derive-preview.js';
import type { Stores } from '../../store/open-stores.js';

/** The numbers of a derived plan, copied before its temporary data is removed. */
export interface PreviewTally {
  /** `users deactivate` → number of changes. */
  readonly counts: Numbers;
  /** `users title` → number of updates that touch the field. */
  readonly fields: Numbers;
  /** Source → number of records written back. */
  readonly toSources: Numbers;
  readonly held: number;
  readonly guards: readonly GuardTrip[];
}

type Numbers = ReadonlyMap<string, number>;

export function tallyPreview({ work }: Stores, { guards }: DerivedPreview): PreviewTally {
  const counts = Object.entries(work.counts());
  return {
    counts: new Map(counts.flatMap(([entity, ofActions]) => nameEach(entity, Object.entries(ofActions)))),
    fields: new Map(counts.flatMap(([entity]) => nameEach(entity, [...work.touchedFields(entity as Entity, 'all')]))),
    toSources: new Map(Object.entries(work.countWriteBack('all')).map(([source, { records }]) => [source, records])),
    held: work.heldCounts().records,
    guards: guards.filter(({ declined }) => declined === undefined),
  };
}

function nameEach(entity: string, numbers: readonly (readonly [string, number])[]): readonly [string, number][] {
  return numbers.map(([name, number]) => [`${entity} ${name}`, number]);
}

export function joinNumbers(
  before: PreviewTally,
  after: PreviewTally,
): Pick<Preview, 'counts' | 'fields' | 'to_sources' | 'held' | 'guards'> {
  const heldBefore = new Map(before.guards.map(({ guard, held }) => [guard, held]));
  return {
    counts: pair(before.counts, after.counts).map(([[entity, action], numbers]) => ({
      ...{ entity: entity as Entity, action: action as Action },
      ...numbers,
    })),
    fields: pair(before.fields, after.fields).map(([[entity, field = ''], numbers]) => ({
      ...{ entity: entity as Entity, field },
      ...numbers,
    })),
    to_sources: pair(before.toSources, after.toSources).map(([[source = ''], numbers]) => ({ source, ...numbers })),
    held: { in_force: before.held, edited: after.held },
    guards: after.guards.map(({ guard, limit, found, held, cause, detail }) => ({
      ...{ guard, limit, found, held },
      held_in_force: heldBefore.get(guard) ?? 0,
      ...{ cause, detail },
    })),
  };
}

/** Pairs the numbers of each name, and splits the name into its parts. */
function pair(before: Numbers, after: Numbers) {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.map(
    (name) => [name.split(' '), { in_force: before.get(name) ?? 0, edited: after.get(name) ?? 0 }] as const,
  );
}
