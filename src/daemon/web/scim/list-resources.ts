import { setImmediate as breathe } from 'node:timers/promises';
import { isPrimary } from '../../../connectors/scim-protocol/coerce.js';
import { findLookups, type LookupColumn } from '../../../connectors/scim-protocol/find-lookups.js';
import { compileFilter } from '../../../connectors/scim-protocol/match-filter.js';
import { findNamedMembers } from '../../../connectors/scim-protocol/members.js';
import { compileProjection, isAsked } from '../../../connectors/scim-protocol/project.js';
import { comparedPart, findPath, readValues } from '../../../connectors/scim-protocol/resource-type.js';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { foldPushed, type PushColumn, type PushRow } from '../../../store/state/push-store.js';
import type { ResourceKind } from './kinds.js';
import type { ListRequest } from './list-request.js';
import type { PushContext } from './push-context.js';
import { renderMembersInto } from './render-whole.js';

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
/** Number of rows examined before other work gets a turn. */
const STEP = 100;
/** Batch size for rows found one by one, because their sizes are unknown. */
const FEW = 8;
/** Number of people rendered at a time, because each may be in thousands of groups. */
const AT_ONCE = 25;
const LARGEST_BATCH = 512 * 1024;
/** Only larger rows are weighed. The memory of smaller rows is freed after each step. */
const LARGE_ROW = 16 * 1024;
/** A page ends before it exceeds this size, unless its first resource alone does. */
const LARGEST_PAGE_BYTES = 4 * 1024 * 1024;
/** Approximate size of a member. */
const BYTES_OF_MEMBER = 200;
/** Sorting compares at most this many characters of a value. */
const SORTED_CHARACTERS = 256;

interface ListedResource {
  readonly kind: ResourceKind;
  readonly seq: number;
  readonly size: number;
  readonly sortKey: string | null;
}

interface Batch {
  readonly kind: ResourceKind;
  readonly rows: readonly PushRow[];
}

/** Renders one page of the resources of the given types, while sending it. A search at the root gets all types. */
export async function listResources(
  kinds: readonly ResourceKind[],
  request: ListRequest,
  context: PushContext,
): Promise<AsyncIterable<string>> {
  const { filter, sortBy, startIndex, count } = request;
  const [kind] = kinds;
  if (filter === null && sortBy === null && kinds.length === 1 && kind !== undefined) {
    const total = context.store.total(context.source, kind.type.name);
    return renderList(total, readInOrder(kind, request, context), request, context);
  }
  const found: ListedResource[] = [];
  for (const one of kinds) await findMatches(one, request, context, found);
  if (sortBy !== null) sortFound(found, request.descending);
  const page = found.slice(startIndex - 1, startIndex - 1 + count);
  return renderList(found.length, readFound(page, context), request, context);
}

/** Writes the number of resources last, because a page ends early if its resources are large. */
async function* renderList(
  totalResults: number,
  batches: AsyncIterable<Batch>,
  { startIndex, projection }: ListRequest,
  context: PushContext,
): AsyncGenerator<string> {
  const head = JSON.stringify({ schemas: [LIST_SCHEMA], totalResults, startIndex });
  yield `${head.slice(0, -1)},"Resources":[`;
  let shown = 0;
  let bytes = 0;
  for await (const { size, parts } of renderEach(batches, projection, context)) {
    bytes += size;
    if (shown > 0 && bytes > LARGEST_PAGE_BYTES) break;
    if (shown > 0) yield ',';
    yield* parts;
    shown++;
  }
  yield `],"itemsPerPage":${shown}}`;
}

interface RenderedResource {
  /** Approximate number of bytes. */
  readonly size: number;
  readonly parts: Iterable<string> | AsyncIterable<string>;
}

async function* renderEach(
  batches: AsyncIterable<Batch>,
  projection: ListRequest['projection'],
  context: PushContext,
): AsyncGenerator<RenderedResource> {
  for await (const { kind, rows } of batches) {
    const project = compileProjection(kind.type, projection);
    const withMembers = kind.type.name === 'Group' && isAsked(kind.type, projection, 'members');
    weighRows(rows, context);
    for (const [index, resource] of kind.render(context, rows, [], true).entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      const members = withMembers ? context.store.countMembers(context.source, row.id) : 0;
      const text = JSON.stringify(project(resource));
      yield {
        size: Buffer.byteLength(text) + members * BYTES_OF_MEMBER,
        parts: withMembers ? renderMembersInto(text, row, project, context) : [text],
      };
    }
    await breathe();
  }
}

/** Weighs rows before they are rendered, because afterwards their garbage already exists. */
function weighRows(rows: readonly PushRow[], { weigh }: PushContext): void {
  for (const { size } of rows) if (size > LARGE_ROW) weigh(size);
}

async function* readInOrder(
  kind: ResourceKind,
  { startIndex, count }: ListRequest,
  { store, source }: PushContext,
): AsyncGenerator<Batch> {
  const first = count === 0 ? null : store.seqAt(source, kind.type.name, startIndex - 1);
  let seq = first === null ? 0 : first - 1;
  for (let left = first === null ? 0 : count; left > 0; ) {
    const rows = store.after(source, kind.type.name, seq, Math.min(left, AT_ONCE));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield { kind, rows };
    left -= rows.length;
    seq = last.seq;
  }
}

async function* readFound(page: readonly ListedResource[], { store, source }: PushContext): AsyncGenerator<Batch> {
  let seqs: number[] = [];
  let size = 0;
  for (const [index, one] of page.entries()) {
    seqs.push(one.seq);
    size += one.size;
    const next = page[index + 1];
    if (next?.kind === one.kind && seqs.length < AT_ONCE && size + next.size < LARGEST_BATCH) continue;
    yield { kind: one.kind, rows: store.bySeq(source, one.kind.type.name, seqs) };
    seqs = [];
    size = 0;
  }
}

/** Examines only the rows that an indexed part of the filter selects, else all of them, one step at a time. */
async function findMatches(
  kind: ResourceKind,
  request: ListRequest,
  context: PushContext,
  found: ListedResource[],
): Promise<void> {
  const { filter, sortBy } = request;
  const isMatch = filter === null ? () => true : compileFilter(filter, kind.type);
  const members = sortBy !== null && /member/i.test(sortBy) ? 'all' : findNamedMembers(filter);
  // The groups of people are read only if the request uses them.
  const isWhole = /group|meta/i.test(`${JSON.stringify(filter)} ${sortBy}`);
  const readKey = sortBy === null ? () => null : compileSortKey(kind, sortBy);
  const lookups = filter === null ? null : findLookups(filter, kind.type);
  // A group is examined with all its members, so each step examines one group.
  const step = kind.type.name === 'Group' && members === 'all' ? 1 : STEP;
  const batches = lookups === null ? readAll(kind, step, context) : readLookedUp(kind, lookups, context);
  for await (const rows of batches) {
    weighRows(rows, context);
    const rendered = kind.render(context, rows, members, isWhole);
    for (const [index, { seq, size }] of rows.entries()) {
      const resource = rendered[index];
      if (resource !== undefined && isMatch(resource)) found.push({ kind, seq, size, sortKey: readKey(resource) });
    }
  }
}

async function* readLookedUp(
  { type }: ResourceKind,
  lookups: NonNullable<ReturnType<typeof findLookups>>,
  { store, source, isGone }: PushContext,
): AsyncGenerator<readonly PushRow[]> {
  const found = lookups.flatMap(({ column, value }) => store.findHeads(source, type.name, ...toColumn(column, value)));
  const ordered = [...new Set(found.map(({ seq }) => seq))].toSorted((a, b) => a - b);
  for (let at = 0; at < ordered.length && !isGone(); at += FEW) {
    if (at > 0) await breathe();
    yield store.bySeq(source, type.name, ordered.slice(at, at + FEW));
  }
}

async function* readAll(
  { type }: ResourceKind,
  step: number,
  { store, source, isGone }: PushContext,
): AsyncGenerator<readonly PushRow[]> {
  for (let seq = 0; !isGone(); ) {
    const rows = store.after(source, type.name, seq, step);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    seq = last.seq;
    await breathe();
  }
}

function toColumn(column: LookupColumn, value: string): readonly [PushColumn, string] {
  if (column === 'userName' || column === 'displayName') return ['name', foldPushed(value)];
  if (column === 'email') return ['email', foldPushed(value)];
  return [column === 'id' || column === 'member' ? column : 'externalId', value];
}

/** Reads the value to sort by; null if there is none. For a list, this is its primary value, else its first. */
function compileSortKey(kind: ResourceKind, sortBy: string): (resource: JsonObject) => string | null {
  const path = findPath(kind.type, sortBy);
  const attribute = path?.sub ?? path?.attribute ?? null;
  if (path === null || attribute === null) return () => null;
  const compared = comparedPart(attribute);
  const at = compared === null || compared === attribute ? path : { ...path, sub: compared };
  const fold = (value: Json): string => {
    const text = String(value);
    const start = text.length <= SORTED_CHARACTERS ? text : copy(text.slice(0, SORTED_CHARACTERS));
    return compared?.caseExact === true ? start : start.toLowerCase();
  };
  return (resource) => {
    const main = readValues(resource, { ...path, sub: null }).find(isPrimary);
    const [first = null] = isJsonObject(main) ? [main[at.sub?.name ?? '']] : readValues(resource, at);
    return first === null || typeof first === 'object' ? null : fold(first);
  };
}

/** Copies a text, because a slice keeps the complete original in memory. */
function copy(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Resources without a value come last, with `descending` first (RFC 7644, 3.4.2.3). */
function sortFound(found: ListedResource[], descending: boolean): void {
  const turn = descending ? -1 : 1;
  found.sort((a, b) => {
    if (a.sortKey === b.sortKey) return a.seq - b.seq;
    if (a.sortKey === null) return turn;
    if (b.sortKey === null) return -turn;
    return a.sortKey < b.sortKey ? -turn : turn;
  });
}
