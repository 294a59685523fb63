import { setImmediate as breathe } from 'node:timers/promises';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { isPrimary } from '../../scim/coerce.js';
import { findLookups, type LookupColumn } from '../../scim/find-lookups.js';
import { compileFilter } from '../../scim/match-filter.js';
import { findNamedMembers } from '../../scim/named-members.js';
import { compileProjection, isAsked } from '../../scim/project.js';
import { comparedPart, readValues } from '../../scim/read-attribute.js';
import { findPath } from '../../scim/resource-type.js';
import { foldPushed, type PushColumn, type PushRow } from '../../store/push-store.js';
import { KINDS, type Kind } from './kinds.js';
import type { ListRequest } from './list-request.js';
import type { PushContext } from './push-context.js';
import { renderWhole } from './render-whole.js';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** So many rows are looked at before whoever else waits gets a turn. */
const STEP = 100;
/** A page of groups ends before it has more members than this, unless the first group alone has. */
const MOST_MEMBERS_A_PAGE = 20_000;

interface Found {
  readonly kind: Kind;
  readonly seq: number;
  readonly sortKey: string | null;
}

/** One page of what there is of the given types; of all of them for a search at the root. */
export async function listResources(
  kinds: readonly Kind[],
  request: ListRequest,
  context: PushContext,
): Promise<JsonObject> {
  const { filter, sortBy, startIndex, count } = request;
  if (filter === null && sortBy === null && kinds.length === 1) {
    const [kind = KINDS[0]] = kinds;
    const { store, source } = context;
    if (kind === undefined) return describeList(0, startIndex, []);
    const total = store.total(source, kind.type.name);
    const rows = count === 0 ? [] : store.page(source, kind.type.name, startIndex - 1, count);
    return describeList(total, startIndex, await renderPage(kind, rows, request, context));
  }
  const found: Found[] = [];
  for (const kind of kinds) await findMatches(kind, request, context, found);
  if (sortBy !== null) sortFound(found, request.descending);
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  const resources: JsonObject[] = [];
  for (const { kind, seqs } of groupRuns(page)) {
    const rows = context.store.bySeq(context.source, kind.type.name, seqs);
    resources.push(...(await renderPage(kind, rows, request, context)));
  }
  return describeList(found.length, startIndex, resources);
}

function describeList(totalResults: number, startIndex: number, resources: readonly JsonObject[]): JsonObject {
  return { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources };
}

/** Asks only the rows that an indexed part of the filter names, else all of them, a step at a time. */
async function findMatches(kind: Kind, request: ListRequest, context: PushContext, found: Found[]): Promise<void> {
  const { filter, sortBy } = request;
  const isMatch = filter === null ? () => true : compileFilter(filter, kind.type);
  const members = sortBy !== null && /member/i.test(sortBy) ? 'all' : findNamedMembers(filter);
  // Whose groups nobody asks for, their groups need not be read.
  const isWhole = /group|meta/i.test(`${JSON.stringify(filter)} ${sortBy}`);
  const readKey = sortBy === null ? () => null : compileSortKey(kind, sortBy);
  const look = (rows: readonly PushRow[]): void => {
    const rendered = kind.render(context, rows, members, isWhole);
    for (const [index, { seq }] of rows.entries()) {
      const resource = rendered[index];
      if (resource !== undefined && isMatch(resource)) found.push({ kind, seq, sortKey: readKey(resource) });
    }
  };
  const lookups = filter === null ? null : findLookups(filter, kind.type);
  if (lookups !== null) {
    const rows = new Map<number, PushRow>();
    for (const { column, value } of lookups) {
      const [by, wanted] = toColumn(column, value);
      for (const row of context.store.find(context.source, kind.type.name, by, wanted)) rows.set(row.seq, row);
    }
    const ordered = [...rows.values()].toSorted((a, b) => a.seq - b.seq);
    for (let at = 0; at < ordered.length; at += STEP) {
      look(ordered.slice(at, at + STEP));
      if (at + STEP < ordered.length) await breathe();
    }
    return;
  }
  for (let seq = 0; !context.isGone(); ) {
    const rows = context.store.after(context.source, kind.type.name, seq, STEP);
    look(rows);
    if (rows.length < STEP) return;
    seq = rows.at(-1)?.seq ?? seq;
    await breathe();
  }
}

function toColumn(column: LookupColumn, value: string): readonly [PushColumn, string] {
  if (column === 'userName' || column === 'displayName') return ['name', foldPushed(value)];
  if (column === 'email') return ['email', foldPushed(value)];
  return [column === 'id' || column === 'member' ? column : 'externalId', value];
}

/** The value to sort by: of a list its primary one, else its first; null for none. */
function compileSortKey(kind: Kind, sortBy: string): (resource: JsonObject) => string | null {
  const path = findPath(kind.type, sortBy);
  const attribute = path?.sub ?? path?.attribute ?? null;
  if (path === null || attribute === null) return () => null;
  const compared = comparedPart(attribute);
  const at = compared === null || compared === attribute ? path : { ...path, sub: compared };
  const fold = (value: Json): string => (compared?.caseExact === true ? String(value) : String(value).toLowerCase());
  return (resource) => {
    const main = readValues(resource, { ...path, sub: null }).find(isPrimary);
    const [first = null] = isJsonObject(main) ? [main[at.sub?.name ?? '']] : readValues(resource, at);
    return first === null || typeof first === 'object' ? null : fold(first);
  };
}

/** Without a value last, with `descending` first (RFC 7644, 3.4.2.3). */
function sortFound(found: Found[], descending: boolean): void {
  const turn = descending ? -1 : 1;
  found.sort((a, b) => {
    if (a.sortKey === b.sortKey) return a.seq - b.seq;
    if (a.sortKey === null) return turn;
    if (b.sortKey === null) return -turn;
    return a.sortKey < b.sortKey ? -turn : turn;
  });
}

function groupRuns(page: readonly Found[]): readonly { readonly kind: Kind; readonly seqs: readonly number[] }[] {
  const runs: { kind: Kind; seqs: number[] }[] = [];
  for (const { kind, seq } of page) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.seqs.push(seq);
    else runs.push({ kind, seqs: [seq] });
  }
  return runs;
}

async function renderPage(
  kind: Kind,
  rows: readonly PushRow[],
  { projection }: ListRequest,
  context: PushContext,
): Promise<readonly JsonObject[]> {
  const project = compileProjection(kind.type, projection);
  const withMembers = kind.type.name === 'Group' && isAsked(kind.type, projection, 'members');
  const resources: JsonObject[] = [];
  if (!withMembers) {
    for (let at = 0; at < rows.length; at += STEP) {
      if (at > 0) await breathe();
      resources.push(...kind.render(context, rows.slice(at, at + STEP), [], true).map(project));
    }
    return resources;
  }
  let members = 0;
  for (const row of rows) {
    members += context.store.countMembers(context.source, row.id);
    if (members > MOST_MEMBERS_A_PAGE && resources.length > 0) break;
    resources.push(project(await renderWhole(kind, row, true, context)));
  }
  return resources;
}
