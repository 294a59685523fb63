import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { isoNow } from '../../clock.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Place } from '../../model/place.js';
import type { PushedUser } from '../../model/pushed.js';
import { flattenUser } from '../../scim/flatten-user.js';
import { renderUser } from '../../scim/render.js';
import type { Connector } from '../connector.js';
import type { ReaderContext } from '../kind.js';
import { compileObjectReader } from '../rows/records.js';
import { RowSink } from '../rows/row-sink.js';
import type { PushSourceConfig } from './kind.js';

const PAGE = 500;

/**
 * What an identity provider has pushed, read like any other source. Never complete: a push that did not arrive looks like
 * a person who is not there. So only `active = false` and a delete say that somebody has left.
 */
export function createPushConnector(
  name: string,
  config: PushSourceConfig,
  context: Omit<ReaderContext, 'shareCredentials'>,
): Connector {
  const { pushed } = context;
  const columns = Object.keys(config.columns);
  const shape = { source: name, key: config.key, columns: config.columns, timezone: context.timezone };
  const readRow = compileObjectReader(shape);
  const at = config.baseUrl ?? `/scim/v2/${name}`;
  const placeOf = (id: string): Place => ({ source: name, at: `${at}/Users/${id}` });

  async function eachUser(take: (user: PushedUser) => void, signal?: AbortSignal): Promise<void> {
    for (let from: number | null = 0; from !== null; ) {
      signal?.throwIfAborted();
      const { users, next } = pushed.readUsers(name, from, PAGE);
      users.forEach(take);
      from = next;
      // Pushes and health checks get their turn between pages.
      await breathe();
    }
  }

  return {
    name,
    mayBeEmpty: config.mayBeEmpty,
    async read(take, signal) {
      const readAt = isoNow(context.clock);
      const sink = new RowSink(take);
      const hash = createHash('sha256');
      await eachUser((user) => {
        const { groups, attributes } = user;
        hash.update(canonicalJson([user.id, user.version, attributes, groups.map(({ display }): Json => display)]));
        const whole = renderUser(user, at);
        // A column's `from` points into the user as it is shown.
        const row = readRow({ ...whole, ...flattenUser(whole, columns) }, placeOf(user.id));
        sink.add(row);
      }, signal);
      sink.flush();
      // Last, so that people who were deleted meanwhile are among them.
      const gone = pushed.readGone(name, config.key);
      if (gone.length > 0) {
        for (const { key } of gone) hash.update(key);
        take({ records: [], rejected: [], gone: gone.map(({ key, id }) => ({ key, place: placeOf(id) })) });
      }
      return {
        source: name,
        delivery: readAt,
        kind: 'live',
        at,
        readAt,
        // A deleted person is a row as well: a source of nobody else is not an empty one.
        rows: sink.counts.rows + gone.length,
        rejected: sink.counts.rejected,
        complete: false,
        incompleteBecause: 'a push source is never complete',
        partial: true,
        digest: hash.digest('hex'),
      };
    },
    async probe() {
      const { users, groups, lastPush } = pushed.count(name);
      const when = lastPush === null ? 'nothing was pushed yet' : `last push ${lastPush}`;
      return { at, detail: `${users} users, ${groups} groups, ${when}` };
    },
    close: async () => {},
  };
}
