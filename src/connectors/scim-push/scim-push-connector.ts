import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { isoNow } from '../../base/clock.js';
import { cleanCell } from '../../model/hidden-signs.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Place } from '../../model/place.js';
import { plural } from '../../model/plural.js';
import type { PushedReader, PushedUser } from '../../model/pushed.js';
import type { Connector, TakeBatch } from '../connector.js';
import type { ReaderContext } from '../kind.js';
import { compileObjectReader } from '../rows/records.js';
import { RowSink } from '../rows/row-sink.js';
import { flattenUser } from '../scim-protocol/flatten-user.js';
import { renderUser } from '../scim-protocol/render.js';
import type { PushSourceConfig } from './resolve.js';

const PAGE = 500;

/**
 * Reads people that an identity provider has pushed, like any other source. A read is never complete, because a lost
 * push looks like a person who does not exist. So only `active = false` or a delete shows that someone has left.
 */
export function createPushConnector(
  name: string,
  config: PushSourceConfig,
  { clock, pushed, timezone }: Pick<ReaderContext, 'clock' | 'pushed' | 'timezone'>,
): Connector {
  const at = config.baseUrl ?? `/scim/v2/${name}`;
  return {
    name,
    mayBeEmpty: config.mayBeEmpty,
    async read(take, signal) {
      const readAt = isoNow(clock);
      const { rows, rejected, digest } = await readPushed({ name, at, config, pushed, timezone }, take, signal);
      return {
        source: name,
        delivery: readAt,
        kind: 'live',
        at,
        readAt,
        rows,
        rejected,
        complete: false,
        incompleteBecause: 'a push source is never complete',
        partial: true,
        digest,
      };
    },
    async probe() {
      const { users, groups, lastPush } = pushed.count(name);
      const when = lastPush === null ? 'nothing was pushed yet' : `last push ${lastPush}`;
      return { at, detail: `${plural(users, 'user')}, ${plural(groups, 'group')}, ${when}` };
    },
    close: async () => {},
  };
}

interface PushReading {
  readonly name: string;
  readonly at: string;
  readonly config: PushSourceConfig;
  readonly pushed: PushedReader;
  readonly timezone: string;
}

async function readPushed({ name, at, config, pushed, timezone }: PushReading, take: TakeBatch, signal?: AbortSignal) {
  const { key, columns } = config;
  const names = Object.keys(columns);
  const readRow = compileObjectReader({ source: name, key, columns, timezone });
  const placeOf = (id: string): Place => ({ source: name, at: `${at}/Users/${id}` });
  const sink = new RowSink(take);
  const hash = createHash('sha256');
  for await (const user of eachUser(pushed, name, signal)) {
    const groups = user.groups.map(({ display }): Json => display);
    hash.update(canonicalJson([user.id, user.version, user.attributes, groups]));
    const whole = renderUser(user, at);
    // A column's `from` points into the rendered user.
    sink.add(readRow({ ...whole, ...flattenUser(whole, names) }, placeOf(user.id)));
  }
  sink.flush();
  // Deleted people are read last, so that people deleted during the read are included.
  const gone = pushed.readGone(name, key);
  for (const one of gone) hash.update(one.key);
  if (gone.length > 0)
    take({ records: [], rejected: [], gone: gone.map((one) => ({ key: cleanCell(one.key), place: placeOf(one.id) })) });
  // A deleted person counts as a row, because a source with only deleted people is not empty.
  return { rows: sink.counts.rows + gone.length, rejected: sink.counts.rejected, digest: hash.digest('hex') };
}

async function* eachUser(pushed: PushedReader, source: string, signal?: AbortSignal): AsyncGenerator<PushedUser> {
  for (let from: number | null = 0; from !== null; ) {
    signal?.throwIfAborted();
    const { users, next } = pushed.readUsers(source, from, PAGE);
    yield* users;
    from = next;
    // Yields, so that pushes and health checks can run between pages.
    await breathe();
  }
}
