import { createDayWriter } from '../../model/date-in-zone.js';
import { effectiveLimit } from '../../reconcile/guard.js';
import { readCut } from '../guard-facts.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/**
 * Suspects a short delivery that follows an approved short one. A real reduction needs approval only once.
 *
 * | people whom the approved delivery had, and this one lacks | →    |
 * |-----------------------------------------------------------|------|
 * | as many as `users.deactivate` allows                      | used |
 * | more                                                      | held |
 */
export function* judgeAfterCut(read: SuspectRead): Generator<void, Doubt | null> {
  const { entity, source, evidence, config, stores } = read;
  const { history, links, work } = stores;
  const cut = evidence.cut === 'later' && entity === 'users' ? readCut(history, source) : null;
  const limit = config.guards.users?.deactivate;
  if (cut === null || limit === undefined) return null;
  yield;
  let found = 0;
  for (const { key, id } of work.missing('users')) {
    const [link, firstAt = null] = [links.find('users', key), history.absence('users', key)?.firstAt];
    const wasThere =
      link !== null && (link.at <= cut.at || link.run === cut.run) && (firstAt === null || firstAt > cut.at);
    // An active record under another key matches the account, so the person is not missing.
    if (wasThere && work.claimants('users', id).length === 0) found += 1;
  }
  const allowed = effectiveLimit(limit, work.linkedActive('users'));
  if (found <= allowed) return null;
  return {
    limit: allowed,
    found,
    cause: 'source shrank',
    detail: `it lacks ${found} people from the delivery of ${createDayWriter(config.timezone, evidence.readAt)(cut.at)}, which was approved although it had shrunk; users.deactivate allows ${allowed}`,
    remedy: 'Look at the export: a file truncated at the end of a row looks like this.',
  };
}
