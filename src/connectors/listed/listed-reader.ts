import { asSyncError } from '../../base/errors.js';
import { canonicalJson, type Json, textOf } from '../../model/json.js';
import { plural } from '../../model/plural.js';
import { listTexts } from '../../model/raw-text.js';
import { sha256 } from '../../model/sha256.js';
import { spellODataTime } from '../cells/odata-dates.js';
import type { Connector, ConnectorContext, KnownRows, TakeBatch } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import type { Credentials } from '../http/credentials.js';
import type { HttpCall } from '../http/http-call.js';
import { type ChangesRule, forgetPlace } from '../listing/changes.js';
import { describeBlindSpot } from '../listing/describe-end.js';
import { readEndMemory } from '../listing/end-memory.js';
import { isCountClear, type PagesSoFar } from '../listing/judge-end.js';
import {
  createListedConnector,
  keyOf,
  type ListedRow,
  type ListedStream,
  type PreparedRead,
} from '../listing/listed-connector.js';
import { readListing, type TakeRow } from '../listing/listing.js';
import type { Question } from '../listing/question.js';
import { compilePointer } from '../rows/pointer.js';
import { compileObjectReader, type RowShape, rejectCell } from '../rows/records.js';
import { compileDeleted, compileDeletedKey } from './deleted.js';
import type { Dialect } from './dialect.js';
import { watchEmptied } from './emptied.js';
import type { IncrementalConfig, ListedStreamConfig } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { describeRules } from './listing-rules.js';
import { listMergeProperties, type MergeSign } from './merges.js';
import { openSystem } from './open-system.js';
import { rememberMerges } from './remember-merges.js';

/**
 * Creates the connector for one stream over HTTP, with the rules of the configuration or of a vendor. `name` is, for
 * example, `crm.companies`.
 */
export function createListedReader(
  name: string,
  config: ListedStreamConfig,
  system: ListedSystem,
  { credentials, ...context }: ListedContext,
): Connector {
  const { read: dialect } = system;
  const { merges, lookUp, overlay, isOther } = dialect;
  const { absence = null } = system;
  const asked: Asked = { config };
  const merged = rememberMerges(openRows(name, config, context), merges);
  const judge = compileJudge({ source: name, ...config, timezone: context.timezone }, config);
  const at = stripQuery(firstList(dialect, config, 0)?.call.url ?? config.baseUrl);
  const emptied = watchEmptied(context.filledColumns(name), config.columns, context.clock.now);
  const remake: PreparedRead['remake'] = (row, _, position) => ({
    made: judge.make(row, at, position),
    print: canonicalJson(row),
  });
  const stream: ListedStream = {
    name,
    http: openSystem(config, system, context, { purpose: 'read', credentials }),
    rules: describeRules(system, config.next),
    isEndTrusted: config.isEndTrusted ?? false,
    at,
    rows: merged.rows,
    mayBeEmpty: config.mayBeEmpty ?? false,
    changes: describeChanges(config.incremental, dialect),
    keepsRows: config.detail != null,
    isIdFinal: false,
    passes: 1,
    remake,
    prepare: async () => ({
      whole: () => dialect.whole(asked.config, context.clock.now()),
      changes: (since) => dialect.changes(asked.config, since),
      judge(row, place, position, question) {
        const listed = judge.read(row, place, position, question);
        if (listed.made !== null && isOther?.(asked.config, row) === true)
          return { ...listed, made: null, isOther: true };
        return merged.note(row, listed);
      },
      ...(overlay === undefined ? {} : { overlay }),
      remake,
      ...(lookUp === undefined
        ? {}
        : { confirm: (round, by) => buryMissing(stream, round, (id) => lookUp(asked.config, id), by) }),
    }),
    placeOf: () => at,
  };
  const listed = createListedConnector(stream, context);
  return {
    ...listed,
    async read(take, signal) {
      const takeSeen: TakeBatch = (batch) => {
        emptied.see(batch);
        take(batch);
      };
      const read = await askTolerantly(asked, merges, () => {
        emptied.begin();
        return listed.read(takeSeen, signal);
      });
      merged.take(take);
      const doubtful = emptied.list();
      if (doubtful.length > 0) forgetPlace(stream.rows);
      const evidence = doubtful.length === 0 ? read : { ...read, emptied: doubtful };
      if (!evidence.complete || absence === null) return evidence;
      return { ...evidence, complete: false, partial: true, incompleteBecause: absence };
    },
    settle: async ({ complete, partial }) => emptied.settle(complete || partial === true),
    async probe(signal) {
      const askFirst = () => probe(stream, firstList(dialect, asked.config, context.clock.now()), judge.read, signal);
      const found = await askTolerantly(asked, merges, askFirst);
      return absence === null ? found : { ...found, unproven: absence };
    },
  };
}

function firstList({ whole }: Dialect, config: ListedStreamConfig, startedMs: number): Question | undefined {
  return whole(config, startedMs).find(({ isStart }) => isStart !== true);
}

export interface ListedContext extends ConnectorContext {
  /** The credentials that all streams of the source share. */
  readonly credentials?: Credentials | undefined;
}

/** The configuration for requests. Merge properties are removed from it if the system rejects them. */
interface Asked {
  config: ListedStreamConfig;
}

/** The maximum number of records that are looked up one by one, because more would take too many calls for one read. */
const MOST_LOOK_UPS = 100;
/**
 * If more records than `MOST_LOOK_UPS` and a greater share than this are missing, the key may have lost its scope, so no
 * deletion is proved.
 */
const MOST_MISSING = 0.02;
const FOUND = 200;
const NOT_THERE = [404, 410];
/** The key has no permission to read the record, which proves nothing. */
const HIDDEN = 403;

/**
 * Looks up records that are missing from a complete list. A record that is not found counts as deleted, but only if a
 * record from the list is found by its id.
 */
async function buryMissing(
  { rows, http }: Pick<ListedStream, 'rows' | 'http'>,
  round: number,
  lookUp: (id: string) => HttpCall,
  signal: AbortSignal | undefined,
): Promise<null> {
  const ask = async (id: string): Promise<number> =>
    (await http.read({ ...lookUp(id), handles: [...NOT_THERE, HIDDEN] }, signal)).status;
  const most = Math.max(MOST_LOOK_UPS, Math.floor(rows.count() * MOST_MISSING));
  const missing = rows.unseen(round, most + 1);
  const shown = rows.shown(round);
  const mayAsk = missing.length > 0 && missing.length <= most && shown !== null;
  if (mayAsk && (await ask(shown)) === FOUND) {
    for (const { id } of missing.slice(0, MOST_LOOK_UPS)) {
      if (NOT_THERE.includes(await ask(id))) rows.bury([id]);
      else rows.forget([id]);
    }
  }
  // The remaining records are looked up after the next complete reads.
  rows.setAside(round);
  return null;
}

/** Opens the stored rows of a question. Rows are stored as received, so each question has separate rows. */
function openRows(name: string, config: ListedStreamConfig, { knownRows }: ConnectorContext): KnownRows {
  const {
    access: _access,
    prefer: _prefer,
    writeBack: _writeBack,
    mayBeEmpty: _mayBeEmpty,
    isEndTrusted: _isEndTrusted,
    ...asked
  } = config;
  return knownRows(`${name} ${sha256(canonicalJson(asked as unknown as Json)).slice(0, 16)}`);
}

function describeChanges(incremental: IncrementalConfig | null, { changesLink }: Dialect): ChangesRule | null {
  if (incremental === null) return null;
  const { modified, time, overlapMs, fullEveryMs } = incremental;
  const find = compilePointer(modified);
  return {
    fullEveryMs,
    overlapMs,
    readTime(row) {
      const timeMs = readTime(find(row), time);
      return timeMs === null ? null : { timeMs, text: null };
    },
    readLink: changesLink === undefined ? null : compileLink(changesLink),
  };
}

function compileLink(at: string): (last: Json) => string | null {
  const find = compilePointer(at);
  return (last) => textOf(find(last)) || null;
}

function readTime(value: Json | undefined, unit: IncrementalConfig['time']): number | null {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value));
  const time = isNumber ? Number(value) * (unit === 'seconds' ? 1_000 : 1) : Date.parse(spellODataTime(String(value)));
  return Number.isFinite(time) ? time : null;
}

type JudgeRow = (row: Json, place: string, position: number, question: Question) => ListedRow;

/** Turns a row into a record or a rejected row. A row that says that its record is deleted becomes neither. */
function compileJudge(shape: RowShape, { deleted: sign }: Pick<ListedStreamConfig, 'deleted'>) {
  const readRow = compileObjectReader(shape);
  const isDeleted = compileDeleted(sign, shape);
  const readDeletedKey = compileDeletedKey(sign);
  const { source } = shape;
  const make = (row: Json, at: string, line: number) => readRow(row, { source, at, line });
  const read: JudgeRow = (row, at, line, question) => {
    const print = canonicalJson(row);
    const made = make(row, at, line);
    const deleted = question.listsDeleted === true || isDeleted(row, 'record' in made ? made.record.cells : null);
    if (deleted === true && readDeletedKey !== null) return { id: readDeletedKey(row), made: null, print };
    const id = keyOf(made);
    if (deleted === false || id === null) return { id, made, print };
    if (deleted === true) return { id, made: null, print };
    return {
      id,
      made: {
        rejected: rejectCell(shape, { key: id, place: { source, at, line }, raw: listTexts(row) }, 'deleted', deleted),
      },
      print,
    };
  };
  return { make, read };
}

/** Repeats a request without the properties that show merges if the system or the permissions lack these properties. */
async function askTolerantly<T>(asked: Asked, merges: MergeSign | undefined, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const names = listMergeProperties(asked.config, merges);
    const { code, message } = asSyncError(error);
    if (code !== 'SYNC_SOURCE_UNREADABLE' || !names.some((name) => message.includes(name))) throw error;
    asked.config = { ...asked.config, merges: false };
    return ask();
  }
}

/**
 * Reads the first page. If the reader computes the place of the next page, it continues while the total may be that of
 * one page.
 */
async function probe(stream: ListedStream, question: Question | undefined, read: JudgeRow, signal?: AbortSignal) {
  const { at, rules } = stream;
  if (question === undefined) return { at, detail: 'no request is needed' };
  let rejected = 0;
  const take: TakeRow = (row, place, position) => {
    const { id, made } = read(row, place, position, question);
    if (made !== null && 'rejected' in made) rejected++;
    return id;
  };
  const purpose = { signal, memory: readEndMemory(stream.rows, 0), isEnough: isCountClear };
  const { pages, next, because } = await readListing(stream, question, take, purpose);
  const isTrusted = stream.isEndTrusted === true;
  const unproven = because ?? (pages === null || isTrusted ? null : describeBlindSpot(next, pages, rules.words));
  const many = pages === null ? 'no page' : describeCount(pages, because === null);
  const detail = rejected === 0 ? many : `${many}, ${rejected} of the first page rejected`;
  return { at, detail, ...(unproven === null ? {} : { unproven }) };
}

function describeCount({ first: { total }, pages, different }: PagesSoFar, isProven: boolean): string {
  if (total !== null && (total > different || (isProven && total === different))) return plural(total, 'row');
  return pages > 1 ? `at least ${plural(different, 'row')}` : `${plural(different, 'row')} on the first page`;
}
