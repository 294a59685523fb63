import { createDayFinder } from '../../model/date-in-zone.js';
import type { Action, Entity } from '../../model/entity.js';
import { effectiveLimit } from '../../reconcile/guard.js';
import { findNoCorrection } from './corrections.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/** Actions that activate, deactivate or delete objects. */
const EFFECTS: readonly Action[] = ['reactivate', 'deactivate', 'delete'];

/**
 * Suspects content that is identical to an earlier delivery that was used and then replaced, such as last month's file
 * under a newer name.
 *
 * | the content                 | activates or removes anything  | →                                                      |
 * |-----------------------------|--------------------------------|--------------------------------------------------------|
 * | was never used              | any                            | used                                                   |
 * | has no rows                 | any                            | used: all empty files are equal (`empty: allowed`)     |
 * | is what was used last       | any                            | used: the same file, sent again                        |
 * | was replaced by a later one | no                             | used, and shown                                        |
 * | was replaced by a later one | yes, and it corrects that one  | used: a correction on the next day; `findNoCorrection` |
 * | was replaced by a later one | yes                            | held                                                   |
 */
export function* judgeOlderContent({ entity, evidence, config, stores }: SuspectRead): Generator<void, Doubt | null> {
  const { replaced } = evidence;
  if (replaced === undefined || evidence.rows === 0) return null;
  yield;
  const counts = stores.work.counts()[entity] ?? {};
  const effects = EFFECTS.flatMap((action) => ((counts[action] ?? 0) === 0 ? [] : `${action} ${counts[action]}`));
  if (effects.length === 0) return null;
  const because = findNoCorrection(evidence, stores) ?? findTooMany(entity, config, stores);
  if (because === null) return null;
  const dayOf = createDayFinder(config.timezone);
  return {
    limit: 0,
    found: EFFECTS.reduce((sum, action) => sum + (counts[action] ?? 0), 0),
    cause: 'older content',
    detail: `the content is the same as on ${dayOf(replaced.usedAt)}; a later delivery replaced it on ${dayOf(replaced.at)}. Used again, it would ${effects.join(', ')}. It does not count as a correction: ${because}`,
    remedy: 'Check whether an old file arrived under a newer name.',
    readings: (guard) =>
      `If it corrects the delivery of ${dayOf(replaced.at)}, \`talent-sync approve --guard ${guard} --reason "…"\` uses it. If an old file arrived under a newer name, \`talent-sync decline --guard ${guard} --reason "…"\` keeps it out until the right one is delivered.`,
  };
}

/** A correction brings people back; if their number exceeds `users.reactivate`, a person decides. */
function findTooMany(entity: Entity, config: SuspectRead['config'], { work }: SuspectRead['stores']): string | null {
  const limit = config.guards[entity]?.reactivate;
  const found = work.counts()[entity]?.reactivate ?? 0;
  if (limit === undefined) return null;
  const allowed = effectiveLimit(limit, work.linkedActive(entity));
  return found <= allowed ? null : `it would reactivate ${found}, and ${entity}.reactivate allows ${allowed}`;
}
