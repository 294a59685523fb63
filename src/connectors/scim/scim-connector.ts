import { canonicalJson, isJsonObject, type Json, objectOf, textOf } from '../../model/json.js';
import type { Place } from '../../model/place.js';
import { plural } from '../../model/plural.js';
import { sha256 } from '../../model/sha256.js';
import type { Connector, ConnectorContext, KnownRow, KnownRows } from '../connector.js';
import type { ChangesRule, RowTime } from '../listing/changes.js';
import { describeBlindSpot } from '../listing/describe-end.js';
import { readEndMemory } from '../listing/end-memory.js';
import { isCountClear } from '../listing/judge-end.js';
import { withLeanHeap } from '../listing/lean-heap.js';
import { createListedConnector, type ListedStream, type PreparedRead } from '../listing/listed-connector.js';
import { type Listing, readListing } from '../listing/listing.js';
import type { Question } from '../listing/question.js';
import { type ConnectorRow, compileObjectReader } from '../rows/records.js';
import { findAttribute, flattenUser } from '../scim-protocol/flatten-user.js';
import { ScimClient } from './client.js';
import { askList, choosePaging, describeRules, type PagingStrategy, readId } from './list-question.js';
import type { GroupsOf } from './members.js';
import { readMemberships } from './memberships.js';
import type { ScimSourceConfig } from './resolve.js';

/**
 * The maximum number of missing users that are looked up by id after a complete listing. If more are missing, nobody
 * counts as deleted.
 */
const MOST_LOOKUPS = 25;

/** Reads the users of an identity provider over SCIM 2.0. */
export function createScimConnector(name: string, config: ScimSourceConfig, context: ConnectorContext): Connector {
  const client = new ScimClient(config, context, 'read');
  const { base } = client;
  const rows = openRows(name, config, context);
  const compiled = { config, client, rows, makeRow: compileUser(name, config, context) };
  const stream: ListedStream = {
    name,
    http: client.http,
    rules: describeRules('Users'),
    isEndTrusted: config.isEndTrusted,
    at: `${base}/Users`,
    rows,
    mayBeEmpty: config.mayBeEmpty,
    changes: describeChanges(config),
    isIdFinal: true,
    passes: 2,
    // Groups can change although their members do not.
    remake: config.memberships === 'groups' ? null : compileRemake(compiled, null),
    prepare: (signal) => prepareRead(compiled, signal),
    placeOf: (id) => `${base}/Users/${id}`,
  };
  const listed = createListedConnector(stream, context);
  return {
    ...listed,
    read: (take, signal) => withLeanHeap(() => listed.read(take, signal)),
    async probe(signal) {
      const paging = choosePaging(config, await client.capabilities(signal));
      const purpose = { signal, memory: readEndMemory(rows, 0), isEnough: isCountClear };
      const listing = await readListing(stream, askUsers(config, base, paging), readId, purpose);
      const { pages, next, because } = listing;
      const isBlind = pages === null || config.isEndTrusted;
      const unproven = because ?? (isBlind ? null : describeBlindSpot(next, pages, stream.rules.words));
      const detail = `${describeCount(listing)}, paged by ${paging.byCursor ? 'cursor' : 'index'}`;
      return { at: stream.at, detail, ...(unproven === null ? {} : { unproven }) };
    },
  };
}

/** For servers that state no total, or only the number of rows on a page, so that more users may follow. */
const UNKNOWN = 'an unknown number of users';

function describeCount({ pages, because }: Listing): string {
  if (pages === null) return UNKNOWN;
  const { first, different, last, total } = pages;
  const isOver = because === null && (last.news === 0 || pages.pages === 1) && (total ?? different) <= different;
  if (isOver && (last.way === 'own' || total !== null)) return plural(different, 'user');
  if (first.total !== null && first.total > different) return plural(first.total, 'user');
  return UNKNOWN;
}

/** Opens the stored rows of a question. Rows are stored as received, so each question has separate rows. */
function openRows(name: string, config: ScimSourceConfig, { knownRows }: ConnectorContext): KnownRows {
  const { baseUrl, filter, attributes, excludedAttributes, key, memberships, columns, fullEveryMs } = config;
  const narrowed = [filter, attributes, excludedAttributes];
  const asked = [fullEveryMs !== null, baseUrl, ...narrowed, key, memberships, Object.keys(columns)];
  return knownRows(`${name} ${sha256(JSON.stringify(asked)).slice(0, 16)}`);
}

/** Returns the rules for asking for changes. They start at the time of the newest known change, which is included. */
function describeChanges({ fullEveryMs }: ScimSourceConfig): ChangesRule | null {
  return fullEveryMs === null ? null : { fullEveryMs, overlapMs: 0, readTime, readLink: null };
}

/** Reads the time of a change. It keeps the provider's own text, because the provider compares texts. */
function readTime(user: Json): RowTime | null {
  const text = textOf(findAttribute(objectOf(findAttribute(objectOf(user), 'meta')), 'lastModified'));
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : { timeMs, text };
}

function askUsers(config: ScimSourceConfig, base: string, paging: PagingStrategy, narrower?: string): Question {
  const { filter, attributes, excludedAttributes } = config;
  const both = filter !== null && narrower !== undefined ? `(${filter}) and ${narrower}` : (narrower ?? filter);
  return askList(base, { resource: 'Users', filter: both, attributes, excludedAttributes }, paging);
}

/** Turns a user into a row of the columns, and the row into a record. */
function compileUser(source: string, { key, columns }: ScimSourceConfig, { timezone }: ConnectorContext) {
  const readRow = compileObjectReader({ source, key, columns, timezone });
  const names = Object.keys(columns);
  return (user: Json, id: string | null, groupsOf: GroupsOf | null, place: Omit<Place, 'source'>) => {
    const plain = isJsonObject(user) ? flattenUser(user, names) : user;
    const isGrouped = groupsOf !== null && id !== null && isJsonObject(plain) && names.includes('groups');
    const row: Json = isGrouped ? { ...plain, groups: groupsOf(id) } : plain;
    return { made: foldKey(readRow(row, { source, ...place }), key), print: canonicalJson(row) };
  };
}

/** Folds the case of user names, because their case does not matter (RFC 7643, 4.1.1). */
function foldKey(made: ConnectorRow, key: string): ConnectorRow {
  if (key !== 'userName') return made;
  if ('record' in made) return { record: { ...made.record, key: made.record.key.toLowerCase() } };
  return { rejected: { ...made.rejected, key: made.rejected.key?.toLowerCase() ?? null } };
}

interface ScimReading {
  readonly config: ScimSourceConfig;
  readonly client: ScimClient;
  readonly rows: KnownRows;
  readonly makeRow: ReturnType<typeof compileUser>;
}

function compileRemake({ client, makeRow }: ScimReading, groupsOf: GroupsOf | null): PreparedRead['remake'] {
  return (user, id, line) => makeRow(user, id, groupsOf, { at: `${client.base}/Users/${id}`, line });
}

async function prepareRead(reading: ScimReading, signal?: AbortSignal): Promise<PreparedRead> {
  const { config, client, makeRow } = reading;
  const { base } = client;
  const paging = choosePaging(config, await client.capabilities(signal));
  const isGrouped = config.memberships === 'groups';
  const groupsOf = isGrouped ? await readMemberships(client, paging, config, signal) : null;
  return {
    whole: () => [askUsers(config, base, paging)],
    // The time comes from the provider. If the provider still rejects the filter, everyone is read.
    changes: ({ text }) => [{ ...askUsers(config, base, paging, `meta.lastModified ge "${text}"`), isContinued: true }],
    judge(user, at, line) {
      const id = readId(user);
      return { id, ...makeRow(user, id, groupsOf, { at, line }) };
    },
    remake: compileRemake(reading, groupsOf),
    confirm: (round, confirming) => buryDeleted(reading, round, confirming),
  };
}

/**
 * Looks up users who are missing from a complete listing but were in an earlier one. "No such user" proves a deletion
 * immediately, if a listed user is found by id.
 *
 * @returns the reason why the listing cannot be trusted, because it lacks a user who is found by id; null if it can
 */
async function buryDeleted(
  { config, client, rows }: ScimReading,
  round: number,
  signal?: AbortSignal,
): Promise<string | null> {
  const missing = rows.unseen(round, MOST_LOOKUPS + 1);
  const deleted: string[] = [];
  for (const { id } of missing.slice(0, MOST_LOOKUPS)) {
    const found = await probeResource(client, id, signal);
    if (found === 'deleted') deleted.push(id);
    // With a filter, a user may no longer match it.
    if (found === 'there' && config.filter === null) return 'a user that the provider knows by id was not in its list';
  }
  if (deleted.length === 0 || missing.length > MOST_LOOKUPS) return null;
  // If a provider returns nobody by id, "no such user" proves nothing.
  const listed = findListed(rows, missing);
  if (listed !== null && (await probeResource(client, listed, signal)) === 'there') rows.bury(deleted);
  return null;
}

function findListed(rows: KnownRows, missing: readonly KnownRow[]): string | null {
  const missingIds = new Set(missing.map(({ id }) => id));
  for (const { id } of rows.each()) if (!missingIds.has(id)) return id;
  return null;
}

/** Looks up a user by id; `unknown` if the answer leaves this open. */
async function probeResource(
  client: ScimClient,
  id: string,
  signal?: AbortSignal,
): Promise<'there' | 'deleted' | 'unknown'> {
  const handles = [400, 403, 404, 405, 410, 501];
  const { status } = await client.http.read({ url: client.addressOf(id), handles }, signal);
  if (status === 404 || status === 410) return 'deleted';
  return status === 200 ? 'there' : 'unknown';
}
