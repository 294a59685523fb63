import { isJsonObject, type Json, type JsonObject, listOf, objectOf, textOf } from '../../../model/json.js';
import { findRows } from '../../formats/find-rows.js';
import type { HttpAnswer, HttpCall } from '../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import { fewAtATime } from '../../listed/few-at-a-time.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import { overlookLength } from '../../listing/overlook-length.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The largest page of the list, and the maximum number of ids in one address. */
const PAGE = 2_500;
const BATCH = 100;
const HANDLES = [400, 404, 406, 422];
const DAY_MS = 86_400_000;
/** The time spans for which a complete read asks for changes and deletions. The shorter span is used if the feed is too long. */
const CHANGED_MS = [30 * DAY_MS, DAY_MS / 24];
const DELETED_MS = 365 * DAY_MS;
/** The time after which fields from a separate call per person are read again. It is shorter than the time span of the feed. */
const FRESH_MS = 20 * DAY_MS;
/** The property of a kept row with the time when its fields were read. */
const READ_AT = '@read';

/** The fields of every record in the list. */
const STANDARD = ['employeeId', 'firstName', 'lastName', 'preferredName', 'jobTitleName', 'status'];
/** Fields about work that the list includes on request. Other fields take one call per person. */
const LISTED: ReadonlySet<string> = new Set([
  ...STANDARD,
  ...['workEmail', 'workPhone', 'workPhoneExtension', 'mobilePhone', 'employeeNumber', 'displayName', 'pronouns'],
  ...['departmentId', 'departmentName', 'divisionId', 'divisionName', 'locationId', 'locationName', 'teams'],
  ...['reportsToId', 'reportsToName', 'isManager', 'jobTitleId', 'hireDate', 'originalHireDate', 'linkedinUrl'],
  ...['employmentStatusId', 'employmentStatusName', 'employmentStatusEffectiveDate', 'employmentType'],
  ...['terminationDate', 'terminationType', 'contractEndDate', 'probationEndDate', 'jobInformationEffectiveDate'],
]);
/** Fields that come from the feed of changes. */
const OF_FEED: ReadonlySet<string> = new Set(['lastChanged', 'action']);

type AskFeed = (call: HttpCall) => Promise<HttpAnswer>;

/**
 * Reads the list of employees, active or not, and the times of their last changes from the feed of changes. The feed
 * also reports deletions. Between complete reads, only the feed is read, and the people in it are read by id.
 */
export const READ: Dialect = {
  whole: (stream, startedMs) => [list(stream, startedMs), listDeleted(stream, startedMs)],
  changes: (stream, { timeMs }) => [listChanged(stream, timeMs)],
  isThrottled: (status, _, headers) => status === 503 && headers.get('retry-after') !== null,
};

function list(stream: ListedStreamConfig, startedMs: number): Question {
  let asked: Promise<ReadonlyMap<string, string>> | null = null;
  return buildQuestion(stream, buildList(stream, { 'page[limit]': String(PAGE) }), {
    pageSize: PAGE,
    async *complete(rows, ask, find) {
      asked ??= askTimes(stream, startedMs, ask);
      yield* readRows(stream, rows, { ask, find, times: await asked, nowMs: startedMs });
    },
  });
}

/**
 * Reads the times of people's last changes. The feed is a single object, which becomes too long after some 40,000
 * changes; then no times are known.
 */
async function askTimes(stream: ListedStreamConfig, nowMs: number, ask: AskFeed): Promise<ReadonlyMap<string, string>> {
  for (const backMs of CHANGED_MS) {
    const answer = await ask(buildFeed(stream, nowMs - backMs)).catch(overlookLength);
    if (answer !== null) return readTimes(readFeed(answer.body));
  }
  return new Map();
}

function readTimes(entries: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ id, lastChanged }) => [textOf(id), textOf(lastChanged)]));
}

function listDeleted(stream: ListedStreamConfig, startedMs: number): Question {
  return buildQuestion(stream, buildFeed(stream, startedMs - DELETED_MS, 'deleted'), {
    listsDeleted: true,
    findRows: ({ body }) => readFeed(body).map((entry) => ({ ...entry, action: 'deleted' })),
    readTotal: () => null,
    next: () => ({ end: 'only' }),
  });
}

function listChanged(stream: ListedStreamConfig, sinceMs: number): Question {
  return buildQuestion(stream, buildFeed(stream, sinceMs), {
    findRows: ({ body }) => readFeed(body),
    readTotal: () => null,
    next: () => ({ end: 'only' }),
    async *complete(entries, ask, find) {
      const changed = entries.map(objectOf);
      yield changed.filter(isDeleted);
      const times = readTimes(changed);
      const ids = changed.filter((entry) => !isDeleted(entry)).map(({ id }) => textOf(id));
      for (let from = 0; from < ids.length; from += BATCH) {
        const named = ids.slice(from, from + BATCH);
        const call = buildList(stream, { 'filter[ids]': named.join(','), 'page[limit]': String(BATCH) });
        const answer = await ask({ ...call, list: { depth: 1 } });
        for await (const rows of answer.batches(findRows(answer.body, '/data', answer.at))) {
          yield* readRows(stream, rows, { ask, find, times, nowMs: sinceMs });
        }
      }
    },
  });
}

function isDeleted({ action }: JsonObject): boolean {
  return textOf(action).toLowerCase() === 'deleted';
}

function buildList(stream: ListedStreamConfig, query: Readonly<Record<string, string>>): HttpCall {
  const fields = listFields(stream).filter((name) => LISTED.has(name) && !STANDARD.includes(name));
  return {
    url: buildAddress(`${stream.baseUrl}${stream.path}`, { fields: fields.join(','), ...query }),
    handles: HANDLES,
  };
}

function buildFeed({ baseUrl, path }: ListedStreamConfig, sinceMs: number, type?: 'deleted'): HttpCall {
  const since = `${new Date(Math.max(0, sinceMs)).toISOString().slice(0, 19)}Z`;
  const url = buildAddress(`${baseUrl}${path}/changed`, { since, ...(type === undefined ? {} : { type }) });
  return { url, handles: HANDLES };
}

/** Reads `{ employees: { "3": { id, action, lastChanged } } }`; `employees` is an empty list if there are no changes. */
function readFeed(body: Json): readonly JsonObject[] {
  return Object.values(objectOf(objectOf(body).employees)).filter(isJsonObject);
}

function listFields(stream: ListedStreamConfig): readonly string[] {
  return [...new Set(listPlaces(stream).map((place) => splitPointer(place)[0] ?? ''))];
}

interface RowsOf {
  readonly ask: AskFeed;
  /** Returns the row with an id from an earlier read. */
  readonly find: (id: string) => Json;
  /** Id → time of the person's last change, within the time span of the feed. */
  readonly times: ReadonlyMap<string, string>;
  /** The time of the read, or an earlier time. */
  readonly nowMs: number;
}

/**
 * Adds the time of the last change and the fields that the list lacks, and removes the fields that the key may not see. For a person
 * who has not changed, the added fields come from the earlier read.
 */
function readRows(stream: ListedStreamConfig, rows: readonly Json[], { ask, find, times, nowMs }: RowsOf) {
  const more = listFields(stream).filter((name) => !LISTED.has(name) && !OF_FEED.has(name));
  const isFresh = (known: JsonObject, changed: string | null): boolean =>
    times.size > 0 &&
    nowMs - Number(known[READ_AT] ?? 0) < FRESH_MS &&
    (changed ?? known.lastChanged) === known.lastChanged;
  return fewAtATime(rows.map(objectOf), async (row) => {
    const id = textOf(row.employeeId);
    const lastChanged = times.get(id) ?? null;
    if (more.length === 0) return hideRestricted({ ...row, lastChanged });
    const known = objectOf(find(id));
    if (isFresh(known, lastChanged)) {
      const kept = [...more, 'lastChanged', READ_AT].map((name) => [name, known[name] ?? null] as const);
      return { ...hideRestricted(row), ...Object.fromEntries(kept) };
    }
    const detail = await askDetail(stream, id, more, ask);
    return { ...hideRestricted({ ...row, ...detail, lastChanged }), [READ_AT]: nowMs };
  });
}

async function askDetail({ baseUrl, path }: ListedStreamConfig, id: string, names: readonly string[], ask: AskFeed) {
  const url = buildAddress(`${baseUrl}${path}/${encodeURIComponent(id)}`, { fields: names.join(',') });
  const { body } = await ask({ url, at: `${baseUrl}${path}/{id}`, handles: HANDLES });
  const { id: _id, ...fields } = objectOf(body);
  return fields;
}

/** Removes fields that the key may not see. Their values are null like those of empty fields, but the record names them. */
function hideRestricted({ _restrictedFields: restricted, ...row }: JsonObject): JsonObject {
  const hidden = new Set(listOf(restricted));
  if (hidden.size === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name)));
}
