import { createDayFinder } from '../../model/date-in-zone.js';
import type { Action } from '../../model/entity.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/** What puts objects in or out of use. */
const EFFECTS: readonly Action[] = ['reactivate', 'deactivate', 'delete'];

/**
 * The very content of a delivery that was used before and that a later one has replaced: last month's file under a newer name.
 *
 * | the content                | takes anything in or out of use | →                                |
 * |----------------------------|---------------------------------|----------------------------------|
 * | was never used             | any                             | used                             |
 * | is no rows at all          | any                             | used: all empty files are equal; it may be empty (`empty: allowed`), and guards count |
 * | is what was used last      | any                             | used: the same file, sent again  |
 * | was replaced by a later one | no                              | used, and shown                  |
 * | was replaced by a later one | yes                             | held                             |
 */
export function* judgeOlderContent({
  entity,
  evidence,
  config,
  stores: { work },
}: SuspectRead): Generator<void, Doubt | null> {
  const { replaced } = evidence;
  if (replaced === undefined || evidence.rows === 0) return null;
  yield;
  const counts = work.counts()[entity] ?? {};
  const effects = EFFECTS.flatMap((action) => ((counts[action] ?? 0) === 0 ? [] : `${action} ${counts[action]}`));
  if (effects.length === 0) return null;
  const dayOf = createDayFinder(config.timezone);
  return {
    limit: 0,
    found: EFFECTS.reduce((sum, action) => sum + (counts[action] ?? 0), 0),
    cause: 'older content',
    detail: `the content is that of ${dayOf(replaced.usedAt)}, which a later delivery replaced on ${dayOf(replaced.at)}; used again it would ${effects.join(', ')}`,
    remedy: 'See whether an old file came under a newer name.',
  };
}
