import { asSyncError } from '../../base/errors.js';
import { canonicalJson, type Json, textOf } from '../../model/json.js';
import { plural } from '../../model/plural.js';
import { listTexts } from '../../model/raw-text.js';
import { sha256 } from '../../model/sha256.js';
import type { Connector, ConnectorContext, KnownRows } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import type { Credentials } from '../http/credentials.js';
import type { ChangesRule } from '../listing/changes.js';
import { describeBlindSpot } from '../listing/describe-end.js';
import { readEndMemory } from '../listing/end-memory.js';
import { isCountClear, type PagesSoFar } from '../listing/judge-end.js';
import { createListedConnector, keyOf, type ListedRow, type ListedStream } from '../listing/listed-connector.js';
import { readListing, type TakeRow } from '../listing/listing.js';
import type { Question } from '../listing/question.js';
import { compilePointer } from '../rows/pointer.js';
import { compileObjectReader, type RowShape, rejectCell } from '../rows/records.js';
import { compileDeleted, compileDeletedKey } from './deleted.js';
import type { Dialect } from './dialect.js';
import type { IncrementalConfig, ListedStreamConfig } from './listed-stream.js';
import { describeRules } from './listing-rules.js';
import { listMergeProperties, type MergeSign } from './merges.js';
import { rememberMerges } from './remember-merges.js';
import { openCrm, SYSTEMS } from './systems.js';

/** One stream of a CRM that is asked over HTTP, as configured or as a vendor has it. `name` is `crm.companies`. */
export function createCrmConnector(
  name: string,
  config: ListedStreamConfig,
  context: ConnectorContext,
  credentials?: Credentials,
): Connector {
  const { read: dialect } = SYSTEMS[config.dialect];
  const { merges } = dialect;
  const asked: Asked = { config };
  const merged = rememberMerges(openRows(name, config, context), merges);
  const judge = compileJudge({ source: name, ...config, timezone: context.timezone }, config);
  const at = stripQuery(dialect.whole(config)[0]?.call.url ?? config.baseUrl);
  const stream: ListedStream = {
    name,
    http: openCrm(config, context, 'read', credentials),
    rules: describeRules(dialect, config.next),
    isEndTrusted: config.isEndTrusted ?? false,
    at,
    rows: merged.rows,
    mayBeEmpty: config.mayBeEmpty ?? false,
    changes: describeChanges(config.incremental, dialect),
    isIdFinal: false,
    passes: 1,
    prepare: async () => ({
      whole: () => dialect.whole(asked.config),
      changes: (since) => dialect.changes(asked.config, since),
      judge: (row, place, position, question) => merged.note(row, judge.read(row, place, position, question)),
      remake: (row, _, position) => ({ made: judge.make(row, at, position), print: canonicalJson(row) }),
    }),
    placeOf: () => at,
  };
  const listed = createListedConnector(stream, context.clock);
  return {
    ...listed,
    async read(take, signal) {
      const evidence = await askTolerantly(asked, merges, () => listed.read(take, signal));
      merged.take(take);
      return evidence;
    },
    probe: (signal) =>
      askTolerantly(asked, merges, () => probe(stream, dialect.whole(asked.config)[0], judge.read, signal)),
  };
}

/** What is asked for the time being. */
interface Asked {
  config: ListedStreamConfig;
}

/** What is kept are rows as they came, so that another question makes them others. */
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
  const time = isNumber ? Number(value) * (unit === 'seconds' ? 1_000 : 1) : Date.parse(String(value));
  return Number.isFinite(time) ? time : null;
}

type JudgeRow = (row: Json, place: string, position: number, question: Question) => ListedRow;

/** A row as a record or a rejected one; neither where it says that its record is deleted. */
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

/** Some systems, or some rights, lack the properties that show merges: everything else is read without them. */
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

/** The first page, and of a list that we page through ourselves what follows a count that may be the page's own. */
async function probe(stream: ListedStream, question: Question | undefined, read: JudgeRow, signal?: AbortSignal) {
  const { at, rules } = stream;
  if (question === undefined) return { at, detail: 'nothing is asked' };
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
