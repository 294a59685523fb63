import { createHash } from 'node:crypto';
import { type Clock, isoNow } from '../../base/clock.js';
import type { Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import type { GoneRow } from '../../model/source.js';
import type { Connector, ConnectorContext, KnownRows, TakeBatch } from '../connector.js';
import { refuseOffline } from '../offline.js';
import type { ConnectorRow } from '../rows/records.js';
import { buildLiveEvidence, isKeylessAlone, judgeCompleteness, RowSink } from '../rows/row-sink.js';
import { type ChangesRule, findSince, Watch } from './changes.js';
import { readEndMemory, saveEndMemory } from './end-memory.js';
import { Keeping } from './keeping.js';
import { type ListingPurpose, type ListingSystem, readListing, type TakeRow } from './listing.js';
import { overlookLength } from './overlook-length.js';
import type { ChangesSince, Question } from './question.js';

const BATCH_ROWS = 1_000;
/** The name of the mark that says if the last read succeeded. */
const SOUND = 'sound';

/** The identity and the content of a row in a listing. */
export interface ListedRow {
  /** The id of the row; null if the row has no reliable id. */
  readonly id: string | null;
  /** The result of reading the row; null if its record is deleted. */
  readonly made: ConnectorRow | null;
  /** The relevant content of the row, independent of the order of its properties. */
  readonly print: string;
  /** True if the row is of a kind that the stream does not contain. It counts for its page, but is not delivered. */
  readonly isOther?: true;
}

/** The parts that are specific to one stream of a system that lists rows over HTTP. */
export interface ListedStream extends ListingSystem {
  readonly name: string;
  readonly mayBeEmpty: boolean;
  /** The address of the list, without credentials and query. */
  readonly at: string;
  /** The rows of earlier reads, stored separately for each question. */
  readonly rows: KnownRows;
  /** The rules for asking for changes, which are merged into the stored rows; null if every read is complete. */
  readonly changes: ChangesRule | null;
  /** True if rows are also stored for the next complete read. */
  readonly keepsRows?: boolean;
  /**
   * True if a row with a known id counts as the same row regardless of its content. Otherwise, a row with different
   * content is also delivered.
   */
  readonly isIdFinal: boolean;
  /** The number of times a listing is read before doubts about it count. */
  readonly passes: number;
  /** Creates records from stored rows without a call; null if the rows alone are not enough. */
  readonly remake: PreparedRead['remake'] | null;
  /** Loads the data that a read needs in advance. */
  prepare(signal?: AbortSignal): Promise<PreparedRead>;
  /** Returns the place of a record if only its id is known. */
  placeOf(id: string): string;
}

export interface PreparedRead {
  /** Returns the questions of a complete read, in order. */
  whole(): readonly Question[];
  changes(since: ChangesSince): readonly Question[];
  judge(row: Json, at: string, position: number, question: Question): ListedRow;
  /** Merges a changed row into the known row, for systems that return only changed properties. */
  overlay?(row: Json, find: (id: string) => Json): Json;
  /** Creates a record from a stored row. */
  remake(row: Json, id: string, position: number): Pick<ListedRow, 'made' | 'print'>;
  /** Called after a listing that looks complete. Returns the reason why it cannot be trusted, or null if it can. */
  confirm?(round: number, signal?: AbortSignal): Promise<string | null>;
}

interface ListedRead {
  readonly stream: ListedStream;
  readonly prepared: PreparedRead;
  readonly sink: RowSink;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

interface ReadResult {
  readonly because: string | null;
  readonly digest: string;
  readonly kind: 'partial' | 'unproven' | 'keyless' | 'whole';
}

/** Reads the changes since the last read if they can be trusted; otherwise reads everything. */
export function createListedConnector(
  stream: ListedStream,
  { clock, rests, isOffline = false }: Pick<ConnectorContext, 'clock' | 'rests' | 'isOffline'>,
): Pick<Connector, 'name' | 'mayBeEmpty' | 'read' | 'close'> {
  const { name, mayBeEmpty, at } = stream;
  return {
    name,
    mayBeEmpty,
    async read(take, signal) {
      const readAt = isoNow(clock);
      const sink = new RowSink(take);
      const mayRest = rests?.(name) === true;
      const known = isOffline ? tellKept(stream, sink) : mayRest && tellKnown(stream, sink, clock);
      const { because, digest, kind } = known || (await ask(stream, sink, clock, signal));
      takeGone(stream, take);
      return buildLiveEvidence({ source: name, at, readAt, digest }, sink.counts, because, kind);
    },
    close: () => stream.http.close(),
  };
}

async function ask(stream: ListedStream, sink: RowSink, clock: Clock, signal?: AbortSignal): Promise<ReadResult> {
  const { rows } = stream;
  rows.setMark(SOUND, '');
  const read = { stream, prepared: await stream.prepare(signal), sink, clock, signal };
  const result = (await readChanges(read).catch(overlookLength)) ?? (await readWhole(read));
  if (result.because === null || result.kind === 'partial') rows.setMark(SOUND, '1');
  return result;
}

async function readWhole(read: ListedRead): Promise<ReadResult> {
  const { stream, prepared, sink, clock, signal } = read;
  const { rows, changes: rule } = stream;
  const round = Number(rows.mark('round') ?? 0) + 1;
  rows.setMark('round', String(round));
  const watch = rule === null ? null : new Watch(rows, rule, null, clock);
  const keeping = new Keeping(rows, round, rule !== null || stream.keepsRows === true);
  const taker = takeWhole(read, watch, keeping);
  let [because, last, isUnproven]: [string | null, Json, boolean] = [null, null, true];
  for (const [index, question] of prepared.whole().entries()) {
    const purpose = { signal, memory: readEndMemory(rows, index) };
    const listing = await readProven(stream, question, taker.of(question), purpose);
    saveEndMemory(rows, index, listing.memory);
    because ??= listing.because;
    isUnproven &&= listing.because === null || listing.isUnproven;
    if (rule?.readLink?.(listing.last) != null) last = listing.last;
  }
  keeping.flush();
  let doubt = judgeCompleteness(sink.counts, because, stream.mayBeEmpty);
  const isKeyless = isKeylessAlone(sink.counts, because);
  const contradiction = doubt === null || isKeyless ? ((await prepared.confirm?.(round, signal)) ?? null) : null;
  doubt = contradiction ?? doubt;
  if (doubt === null) rows.forgetUnseen(round);
  sink.flush();
  if (doubt === null && taker.areIdsUnique()) watch?.save(isoNow(clock), last);
  return { because: doubt, digest: taker.digest(), kind: nameDoubt() };

  function nameDoubt(): ReadResult['kind'] {
    if (because !== null && isUnproven) return 'unproven';
    return isKeyless && contradiction === null ? 'keyless' : 'whole';
  }
}

/**
 * Reads a listing, and reads it again if rows were added or removed in the meantime. A repeated read requires that all
 * rows have ids.
 */
async function readProven(stream: ListedStream, question: Question, take: TakeRow, purpose: ListingPurpose) {
  let listing = await readListing(stream, question, take, purpose);
  for (let passes = 1; passes < stream.passes && listing.mayPass && listing.keyless === 0; passes++) {
    listing = await readListing(stream, question, take, purpose);
  }
  return listing;
}

/**
 * Delivers the rows of a complete read. A repeated, unchanged row is delivered once. If the repeated row has changed,
 * both are delivered, unless the id alone decides. A row without an id is recognised by its key, or without a key by its
 * content.
 */
function takeWhole({ stream: { isIdFinal }, prepared, sink }: ListedRead, watch: Watch | null, keeping: Keeping) {
  const delivered = new Map<string, string>();
  const content = createHash('sha256');
  let areUnique = true;
  const takeMade = (row: Json, id: string | null, made: ConnectorRow, print: string): string => {
    const known = id ?? `without an id: ${keyOf(made) ?? sha256(print)}`;
    const short = isIdFinal && id !== null ? '' : sha256(print).slice(0, 16);
    if (delivered.get(known) === short) return known;
    content.update(print);
    sink.add(made);
    areUnique &&= id !== null && !delivered.has(known);
    delivered.set(known, short);
    if (id === null) return known;
    watch?.see(row, id);
    keeping.add({ id, key: keyOf(made), body: row });
    return known;
  };
  const of = (question: Question) => (row: Json, place: string, position: number) => {
    const { id, made, print, isOther } = prepared.judge(row, place, position, question);
    if (made !== null) return takeMade(row, id, made, print);
    if (id !== null && isOther !== true && !delivered.has(id)) keeping.bury(id);
    return id;
  };
  return { of, areIdsUnique: () => areUnique, digest: () => content.digest('hex') };
}

/** Delivers the known rows without a call; null after a failed read, or if the next read has to be complete. */
function tellKnown({ rows, changes, remake }: ListedStream, sink: RowSink, clock: Clock): ReadResult | null {
  if (changes === null || remake === null || rows.mark(SOUND) !== '1') return null;
  if (findSince(rows, changes, clock) === null) return null;
  const digest = deliverKnown(rows, remake, sink);
  sink.flush();
  return { because: 'it was not read, because another source signalled a change', digest, kind: 'partial' };
}

/**
 * Delivers stored rows of any age, even if the stream keeps them for another reason.
 *
 * @throws SyncError SYNC_PREVIEW_RECORDS
 */
function tellKept({ at, rows, changes, keepsRows, remake }: ListedStream, sink: RowSink): ReadResult {
  const isKept = changes !== null || keepsRows === true;
  if (!isKept || remake === null || rows.mark(SOUND) !== '1') throw refuseOffline(at);
  const digest = deliverKnown(rows, remake, sink);
  sink.flush();
  return { because: 'only the records of earlier reads were used', digest, kind: 'partial' };
}

/** Reads the changes since the last read and merges them into the known rows; null if the changes cannot be trusted. */
async function readChanges({ stream, prepared, sink, clock, signal }: ListedRead): Promise<ReadResult | null> {
  const { rows, changes: rule } = stream;
  const since = rule === null ? null : findSince(rows, rule, clock);
  if (rule === null || since === null) return null;
  const watch = new Watch(rows, rule, since.witness, clock);
  // Rows are stored even if the response is rejected in the end, because they are current.
  const keeping = new Keeping(rows, Number(rows.mark('round') ?? 0), true);
  let last: Json = null;
  const purpose = { signal, isPart: true, memory: readEndMemory(rows, 0) };
  for (const question of prepared.changes(since)) {
    const take = takeChanged(question, prepared, watch, keeping);
    const listing = await readListing(stream, question, take, purpose);
    keeping.flush();
    if (listing.because !== null) return null;
    last = listing.last;
  }
  if (!watch.isHonest) return null;
  const digest = deliverKnown(rows, prepared.remake, sink);
  // Rows are flushed before the mark is saved, so that the next run requests rows again that the receiver has not taken.
  sink.flush();
  watch.save(null, last);
  const because = `only changes since ${since.text} were requested; the last complete read was at ${since.wholeAt}`;
  return { because, digest, kind: 'partial' };
}

function takeChanged(question: Question, prepared: PreparedRead, watch: Watch, keeping: Keeping): TakeRow {
  return (came, place, position) => {
    const row = prepared.overlay?.(came, (id) => keeping.find(id)) ?? came;
    const { id, made, isOther } = prepared.judge(row, place, position, question);
    if (id === null || isOther === true) return id;
    if (made === null) keeping.bury(id);
    else {
      watch.see(row, id);
      keeping.add({ id, key: keyOf(made), body: row });
    }
    return id;
  };
}

/** @returns the digest of all known rows */
function deliverKnown(rows: KnownRows, remake: PreparedRead['remake'], sink: RowSink): string {
  const content = createHash('sha256');
  let position = 0;
  for (const { id, body } of rows.each()) {
    const { made, print } = remake(body, id, ++position);
    content.update(print);
    if (made !== null) sink.add(made);
  }
  return content.digest('hex');
}

function takeGone({ name, rows, placeOf }: ListedStream, take: TakeBatch): void {
  let gone: GoneRow[] = [];
  const flush = (): void => {
    if (gone.length > 0) take({ records: [], rejected: [], gone });
    gone = [];
  };
  for (const { id, key } of rows.gone()) {
    if (gone.push({ key, place: { source: name, at: placeOf(id), line: 1 } }) >= BATCH_ROWS) flush();
  }
  flush();
}

export function keyOf(made: ConnectorRow): string | null {
  return 'record' in made ? made.record.key : made.rejected.key;
}
