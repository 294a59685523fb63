import { createHash } from 'node:crypto';
import { isoNow } from '../../clock.js';
import { asSyncError } from '../../errors.js';
import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import { listTexts } from '../../model/raw-text.js';
import { sha256 } from '../../model/sha256.js';
import type { GoneRow, ReadEvidence } from '../../model/source.js';
import { BadCell } from '../cells/cells.js';
import type { Connector, ConnectorContext, TakeBatch } from '../connector.js';
import type { Credentials } from '../http/credentials.js';
import { createHttpSource, stripQuery } from '../http/http-source.js';
import { createChanges, type Watch } from '../listing/changes.js';
import { compileDeleted, compileDeletedKey } from '../listing/deleted.js';
import type { Question } from '../listing/dialect.js';
import { keepInBatches } from '../listing/keeping.js';
import { readListing } from '../listing/listing.js';
import { compileTotal } from '../listing/next-page.js';
import { compilePointer } from '../rows/pointer.js';
import { compileObjectReader, rejectCell } from '../rows/records.js';
import { buildLiveEvidence, buildRowSink, judgeCompleteness, type RowSink } from '../rows/row-sink.js';
import type { ListedStreamConfig } from './listed-stream.js';
import { listMergeProperties } from './merges.js';
import { SYSTEMS } from './systems.js';

const BATCH_ROWS = 1_000;

/** One stream of a CRM that is asked over HTTP, as configured or as a vendor has it. `name` is `crm.companies`. */
export function createListedConnector(
  name: string,
  stream: ListedStreamConfig,
  context: ConnectorContext,
  credentials?: Credentials,
): Connector {
  const { clock } = context;
  const { read: dialect, merges } = SYSTEMS[stream.dialect];
  const http = createHttpSource(
    {
      system: 'CRM',
      access: stream.access,
      accept: 'application/json',
      right: `read ${stream.path}`,
      addressHint: "Check the source's `base_url` and the stream's `path`.",
      exhausted: dialect.exhausted,
    },
    context,
    credentials,
  );
  const shape = { source: name, key: stream.key, columns: stream.columns, timezone: context.timezone };
  const readRow = compileObjectReader(shape);
  const isDeleted = compileDeleted(stream.deleted, shape);
  const readDeletedKey = compileDeletedKey(stream.deleted);
  const findLink = dialect.changesLink === null ? null : compilePointer(dialect.changesLink);
  const isKept = stream.incremental !== null;
  // What is kept are rows as they came, so that another question makes them others.
  const { access: _access, prefer: _prefer, writeBack: _writeBack, mayBeEmpty = false, ...asked } = stream;
  const rows = context.knownRows(`${name} ${sha256(canonicalJson(asked as unknown as Json)).slice(0, 16)}`);
  const changes = createChanges(rows, stream.incremental, findLink !== null, clock);
  const at = stripQuery(dialect.whole(stream)[0]?.call.url ?? stream.baseUrl);

  let asks = stream;
  // Record → the one that it was merged into; read from changes as well, which never tell of it again.
  const merged = new Map<string, string>(JSON.parse(rows.mark('merged') ?? '[]') as readonly [string, string][]);

  /** A row as a record or a rejected one, and whether it says that its record is deleted. */
  function judge(row: Json, place: string, line: number, question: Question | null) {
    const made = readRow(row, { source: name, at: place, line });
    const deleted = question?.listsDeleted === true || isDeleted(row, 'record' in made ? made.record.cells : null);
    if (deleted === true && readDeletedKey !== null) return { key: readDeletedKey(row), deleted, made: null };
    const key = 'record' in made ? made.record.key : made.rejected.key;
    // What went into another record may still be listed, out of use: it is gone like any other.
    if (key !== null && noteMerge(row, key)) return { key, deleted: true, made: null };
    if (!(deleted instanceof BadCell) || key === null) return { key, deleted: deleted === true, made };
    const rejected = rejectCell(shape, key, { source: name, at: place, line }, 'deleted', deleted, listTexts(row));
    return { key, deleted: false, made: { rejected } };
  }

  /** Remembers what a row says of a merge; whether the row itself went into another one. */
  function noteMerge(row: Json, key: string): boolean {
    const merge = merges !== null && isJsonObject(row) ? merges.read(row) : null;
    if (merge === null) return false;
    if ('into' in merge) merged.set(key, merge.into);
    else for (const from of merge.from) merged.set(from, key);
    return 'into' in merge && merge.into !== key;
  }

  /** Some systems, or some rights, lack what tells of merges; nothing else is to fail for it. */
  async function askTolerantly<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const names = listMergeProperties(asks, merges);
      const { code, message } = asSyncError(error);
      if (code !== 'SYNC_SOURCE_UNREADABLE' || !names.some((name) => message.includes(name))) throw error;
      asks = { ...stream, merges: false };
      return ask();
    }
  }

  function deliver(made: ReturnType<typeof readRow>, sink: RowSink): void {
    if ('record' in made) sink.accept(made.record);
    else sink.reject(made.rejected);
  }

  /** Everything there is. A row that comes again as it was is the same one; as another, both are delivered. */
  async function readWhole(sink: RowSink, signal?: AbortSignal) {
    const round = Number(rows.mark('round') ?? 0) + 1;
    rows.setMark('round', String(round));
    const watch = changes.watch(null);
    const keeping = keepInBatches(rows, round, isKept);
    const delivered = new Map<string, string>();
    const content = createHash('sha256');
    let [because, last, areKeysUnique]: [string | null, Json, boolean] = [null, null, true];
    for (const question of dialect.whole(asks)) {
      const listing = await readListing(http, dialect, question, takeRow(question), signal);
      because ??= listing.because;
      last = listing.last;
    }
    keeping.flush();
    const doubt = judgeCompleteness(sink.counts, because, mayBeEmpty);
    if (doubt === null) rows.forgetUnseen(round);
    sink.flush();
    if (doubt === null && areKeysUnique) watch.save(isoNow(clock), readLink(last));
    return { because: doubt, digest: content.digest('hex'), isPartial: false };

    function takeRow(question: Question) {
      return (row: Json, place: string, position: number): string | null => {
        const { key, deleted, made } = judge(row, place, position, question);
        const print = canonicalJson(row);
        if (key !== null && deleted) {
          if (!delivered.has(key)) keeping.bury(key);
          return key;
        }
        if (made === null) return key;
        const short = sha256(print).slice(0, 16);
        if (key !== null && delivered.get(key) === short) return key;
        content.update(print);
        deliver(made, sink);
        if (key === null) return key;
        areKeysUnique &&= !delivered.has(key);
        delivered.set(key, short);
        watch.see(row, key);
        keeping.add(key, row);
        return key;
      };
    }
  }

  /** What changed since the last read, laid over what is known; null when that cannot be trusted. */
  async function readChanges(sink: RowSink, signal?: AbortSignal) {
    const since = changes.since();
    if (since === null) return null;
    const watch = changes.watch(since.witness);
    // Kept as they come, also should the answer not be believed in the end: they are the rows as they are now.
    const keeping = keepInBatches(rows, Number(rows.mark('round') ?? 0), isKept);
    let last: Json = null;
    for (const question of dialect.changes(asks, since)) {
      const listing = await readListing(http, dialect, question, keepRow(question, watch, keeping), signal);
      keeping.flush();
      if (listing.because !== null) return null;
      last = listing.last;
    }
    if (since.witness !== null && !watch.hasSeenWitness()) return null;
    const content = createHash('sha256');
    let position = 0;
    for (const { body } of rows.each()) {
      content.update(canonicalJson(body));
      deliver(readRow(body, { source: name, at, line: ++position }), sink);
    }
    // Only now: what a user of the stream has not taken is asked for again.
    sink.flush();
    watch.save(null, readLink(last));
    const from = since.link === null ? new Date(since.timeMs).toISOString() : 'the last read';
    return {
      because: `only what changed since ${from} was asked for; the last whole read was at ${since.wholeAt}`,
      digest: content.digest('hex'),
      isPartial: true,
    };
  }

  function keepRow(question: Question, watch: Watch, keeping: ReturnType<typeof keepInBatches>) {
    return (row: Json, place: string, position: number): string | null => {
      const { key, deleted } = judge(row, place, position, question);
      if (key === null) return null;
      if (deleted) {
        keeping.bury(key);
        return key;
      }
      watch.see(row, key);
      keeping.add(key, row);
      return key;
    };
  }

  function readLink(last: Json): string | null {
    const link = findLink?.(last);
    return typeof link === 'string' && link !== '' ? link : null;
  }

  function takeGone(take: TakeBatch): void {
    let gone: GoneRow[] = [];
    const flush = (): void => {
      if (gone.length > 0) take({ records: [], rejected: [], gone });
      gone = [];
    };
    for (const { key } of rows.gone()) {
      if (gone.push({ key, place: { source: name, at, line: 1 } }) >= BATCH_ROWS) flush();
    }
    flush();
    if (merged.size === 0) return;
    rows.setMark('merged', JSON.stringify([...merged]));
    take({ records: [], rejected: [], merged: [...merged].map(([from, into]) => ({ from, into })) });
  }

  return {
    name,
    mayBeEmpty,
    read: async (take, signal): Promise<ReadEvidence> => {
      const readAt = isoNow(clock);
      const sink = buildRowSink(take);
      const { because, digest, isPartial } = await askTolerantly(
        async () => (await readChanges(sink, signal)) ?? (await readWhole(sink, signal)),
      );
      takeGone(take);
      return buildLiveEvidence({ source: name, at, readAt, digest }, sink.counts, because, isPartial);
    },
    probe: async (signal) => {
      const [question] = dialect.whole(asks);
      if (question === undefined) return { at, detail: 'nothing is asked' };
      const sink = buildRowSink(() => {});
      const only: Question = { ...question, next: () => ({ end: null }) };
      const listing = await readListing(
        http,
        dialect,
        only,
        (row, place, position) => {
          const { key, made } = judge(row, place, position, question);
          if (made !== null) deliver(made, sink);
          return key;
        },
        signal,
      );
      const total = compileTotal(question.total)(listing.last);
      const { rows: count, rejected } = sink.counts;
      const many = total === null ? `${count} rows on the first page` : `${total} rows`;
      return { at, detail: rejected === 0 ? many : `${many}, ${rejected} of the first page rejected` };
    },
    close: () => http.close(),
  };
}
