import { createHash } from 'node:crypto';
import { isoNow } from '../../clock.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import type { GoneRow } from '../../model/source.js';
import { flattenUser } from '../../scim/flatten-user.js';
import type { Connector, ConnectorContext, KnownRow, TakeBatch } from '../connector.js';
import { stripQuery } from '../http/http-source.js';
import { withLeanHeap } from '../listing/lean-heap.js';
import { compileObjectReader } from '../rows/records.js';
import { buildLiveEvidence, buildRowSink, judgeCompleteness, type RowSink } from '../rows/row-sink.js';
import { createChanges } from './changes.js';
import { createScimClient, type ListQuery } from './client.js';
import type { ScimSourceConfig } from './kind.js';
import { chooseManner, type PagingStrategy, type Pass, printRow, readPass } from './listing.js';
import type { GroupsOf } from './members.js';
import { readMemberships } from './memberships.js';

/** Users missing from a whole listing that are looked up by id in one read; more are left to the next whole listing. */
const MOST_LOOKUPS = 25;
const KEEP_ROWS = 500;

/** The users of an identity provider, over SCIM 2.0. */
export function createScimConnector(name: string, config: ScimSourceConfig, context: ConnectorContext): Connector {
  const client = createScimClient(config, context);
  const base = stripQuery(config.baseUrl);
  const columns = Object.keys(config.columns);
  const readRow = compileObjectReader({
    source: name,
    key: config.key,
    columns: config.columns,
    timezone: context.timezone,
  });
  const { filter, attributes, excludedAttributes, mayBeEmpty = false } = config;
  // What is kept are rows as they came, so that another question makes them others.
  const isKept = config.fullEveryMs !== null;
  const asked = [
    isKept,
    config.baseUrl,
    filter,
    attributes,
    excludedAttributes,
    config.key,
    config.memberships,
    columns,
  ];
  const rows = context.knownRows(`${name} ${sha256(JSON.stringify(asked)).slice(0, 16)}`);
  const changes = createChanges(rows, config.fullEveryMs, context.clock);

  async function chooseWay(signal?: AbortSignal): Promise<PagingStrategy> {
    return chooseManner(config.paging, config.pageSize, await client.capabilities(signal));
  }

  function queryUsers({ count }: PagingStrategy, narrower: string | null = null): ListQuery {
    const both = filter !== null && narrower !== null ? `(${filter}) and ${narrower}` : (narrower ?? filter);
    return { resource: 'Users', count, filter: both, attributes, excludedAttributes };
  }

  function keepInBatches(round: number) {
    let batch: KnownRow[] = [];
    const flush = (): void => {
      rows.keep(batch, round);
      batch = [];
    };
    return { flush, add: (row: KnownRow): void => void (batch.push(row) >= KEEP_ROWS && flush()) };
  }

  /** A user as a row of the wanted columns. */
  function flatten(user: Json, id: string | null, groupsOf: GroupsOf | null): Json {
    if (!isJsonObject(user)) return user;
    const row = flattenUser(user, columns);
    return groupsOf === null || id === null || !columns.includes('groups') ? row : { ...row, groups: groupsOf(id) };
  }

  /** @returns the record's key; null where the row makes no record */
  function deliver(row: Json, at: string, position: number, sink: RowSink): string | null {
    const made = readRow(row, { source: name, at, line: position });
    if ('rejected' in made) {
      sink.reject(made.rejected);
      return made.rejected.key;
    }
    // RFC 7643, 4.1.1: user names are the same in whatever case they are written.
    const record = config.key === 'userName' ? { ...made.record, key: made.record.key.toLowerCase() } : made.record;
    sink.accept(record);
    return record.key;
  }

  /** The whole listing; twice where the first one cannot prove itself. */
  async function readWhole(sink: RowSink, way: PagingStrategy, groupsOf: GroupsOf | null, signal?: AbortSignal) {
    const round = Number(rows.mark('round') ?? 0) + 1;
    rows.setMark('round', String(round));
    const delivered = new Set<string>();
    const watch = changes.watch(null);
    let content = createHash('sha256');
    const keeping = keepInBatches(round);
    const pass = (): Promise<Pass> => {
      content = createHash('sha256');
      return readPass(
        client,
        queryUsers(way),
        way.byCursor,
        (user, id, at, position) => {
          const row = flatten(user, id, groupsOf);
          content.update(printRow(row));
          if (id !== null && delivered.has(id)) return;
          const key = deliver(row, at, position, sink);
          if (id === null) return;
          delivered.add(id);
          watch.see(user, id);
          keeping.add({ id, key, body: isKept ? user : null });
        },
        signal,
      );
    };
    let last = await pass();
    // People came or went while pages were read: once more. A user without an id could not be told from the same one read again.
    if (last.because !== null && last.withoutId === 0) last = await pass();
    keeping.flush();
    const because = judgeCompleteness(sink.counts, last.because, mayBeEmpty) ?? (await buryDeleted(round, signal));
    sink.flush();
    if (because === null) watch.save(isoNow(context.clock));
    return { because, digest: content.digest('hex'), isPartial: false };
  }

  /**
   * Who is not in a whole listing any more but was in an earlier one is asked for by id: "no such user" proves it at once.
   *
   * @returns why the listing cannot be believed, null when it can: a user who answers by id should have been in it
   */
  async function buryDeleted(round: number, signal?: AbortSignal): Promise<string | null> {
    const missing = rows.unseen(round, MOST_LOOKUPS + 1);
    const deleted: string[] = [];
    if (missing.length <= MOST_LOOKUPS) {
      for (const { id } of missing) {
        const found = await client.look(id, signal);
        if (found === 'deleted') deleted.push(id);
        // With a filter, a user may be outside it now.
        if (found === 'there' && filter === null) return 'a user that the provider knows by id was not in its listing';
      }
    }
    rows.bury(deleted);
    rows.forgetUnseen(round);
    return null;
  }

  /** What changed since the last read, laid over what is known; null when that cannot be trusted. */
  async function readChanges(sink: RowSink, way: PagingStrategy, groupsOf: GroupsOf | null, signal?: AbortSignal) {
    const since = changes.since();
    if (since === null) return null;
    const round = Number(rows.mark('round') ?? 0);
    const watch = changes.watch(since.witness);
    // Kept as they come, also should the answer not be believed in the end: they are users as the provider has them now.
    const keeping = keepInBatches(round);
    const take = (user: Json, id: string | null): void => {
      if (id === null) return;
      watch.see(user, id);
      keeping.add({ id, key: keyOf(user, id), body: user });
    };
    const pass = await readPass(client, queryUsers(way, since.filter), way.byCursor, take, signal);
    keeping.flush();
    if (pass.because !== null || !watch.hasSeenWitness()) return null;
    const content = createHash('sha256');
    let position = 0;
    for (const { id, body } of rows.each()) {
      const row = flatten(body, id, groupsOf);
      content.update(printRow(row));
      deliver(row, `${base}/Users/${id}`, ++position, sink);
    }
    // Only now: whom a user of the stream has not taken is asked for again.
    sink.flush();
    watch.save(null);
    return {
      because: `only what changed since ${since.time} was asked for; the last whole read was at ${since.wholeAt}`,
      digest: content.digest('hex'),
      isPartial: true,
    };
  }

  function keyOf(user: Json, id: string): string | null {
    const made = readRow(flatten(user, id, null), { source: name, at: base, line: 1 });
    const key = 'record' in made ? made.record.key : made.rejected.key;
    return config.key === 'userName' ? (key?.toLowerCase() ?? null) : key;
  }

  function takeGone(take: TakeBatch): void {
    const gone: GoneRow[] = [];
    for (const { id, key } of rows.gone())
      gone.push({ key, place: { source: name, at: `${base}/Users/${id}`, line: 1 } });
    if (gone.length > 0) take({ records: [], rejected: [], gone });
  }

  return {
    name,
    mayBeEmpty,
    read: (take, signal) =>
      withLeanHeap(async () => {
        const readAt = isoNow(context.clock);
        const sink = buildRowSink(take);
        const way = await chooseWay(signal);
        const groupsOf =
          config.memberships === 'groups' ? await readMemberships(client, way.count, way.byCursor, signal) : null;
        const { because, digest, isPartial } =
          (await readChanges(sink, way, groupsOf, signal)) ?? (await readWhole(sink, way, groupsOf, signal));
        takeGone(take);
        return buildLiveEvidence(
          { source: name, at: `${base}/Users`, readAt, digest },
          sink.counts,
          because,
          isPartial,
        );
      }),
    probe: async (signal) => {
      const way = await chooseWay(signal);
      const start = way.byCursor ? ({ cursor: '' } as const) : ({ index: 1 } as const);
      const page = await client.list({ ...queryUsers(way), count: 1 }, start, signal);
      // Some providers answer with everybody.
      for await (const rows of page?.rows ?? []) if (rows.length > 0) break;
      const total = page?.totalResults == null ? 'an unknown number of' : String(page.totalResults);
      return { at: `${base}/Users`, detail: `${total} users, paged by ${way.byCursor ? 'cursor' : 'index'}` };
    },
    close: () => client.close(),
  };
}
