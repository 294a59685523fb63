import { nameSeveral } from '../../model/entity.js';
import { plural } from '../../model/plural.js';
import { countPresent, lastKnown } from './known-people.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/**
 * Suspects the list of another tenant. At least half of the people in the last read are gone, by key and by every entry
 * of `match`, or their keys now belong to people with another name and another address.
 *
 * | known people                     | rows                                            | →    |
 * |----------------------------------|-------------------------------------------------|------|
 * | more than half are there         | any                                             | used |
 * | half or fewer, by key or `match` | half as many as before, or fewer; few strangers | used: they are missing, and absence is counted |
 * | half or fewer, by key or `match` | more than half as many as before                | held |
 * | half or fewer, by key or `match` | fewer, but most of them are strangers           | held |
 */
export function* judgeAnotherTenant(read: SuspectRead): Generator<void, Doubt | null> {
  const { entity, source, evidence, config, stores } = read;
  const guard = config.sourceSuspicions[source]?.another_tenant;
  const before = lastKnown(stores, entity, source);
  if (guard === undefined || before === null) return null;
  const allowed = Math.max(Math.ceil((before.known * (guard.percent ?? 100)) / 100) - 1, guard.min ?? 0);
  const limit = Math.min(guard.max ?? allowed, allowed);
  const present = yield* countPresent(read);
  const gone = before.known - present;
  // A row that could not be used does not show whose row it is.
  const rows = evidence.rows - evidence.rejected;
  const isShrunk = rows * 2 <= before.rows && rows - present <= present;
  if (gone <= limit || isShrunk) return null;
  return {
    limit,
    found: gone,
    cause: "another tenant's file",
    detail: `${gone} of ${before.known} known ${nameSeveral(entity)} are gone, by key and by every entry of \`match\`, but there ${rows === 1 ? 'is' : 'are'} ${plural(rows, 'row')} (${before.rows} before)`,
    remedy: 'Check that it is the right file.',
  };
}
