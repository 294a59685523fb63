import { isJsonObject, type Json } from '../../../../model/json.js';
import { findRows } from '../../../formats/find-rows.js';
import type { HttpCall } from '../../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../../listed/dialect.js';
import type { ListedStreamConfig } from '../../../listed/listed-stream.js';
import { listMergeProperties, type MergeSign } from '../../../listed/merges.js';
import { buildAddress } from '../../../listed/next-page.js';
import { placeOf } from '../../../listed/write-strategy.js';
import type { ListingPage, PageStep, Question } from '../../../listing/question.js';
import { addressObjects } from './address-objects.js';

/** The largest page sizes for a list and for a search. */
const LIST_PAGE = 100;
const SEARCH_PAGE = 200;
/** The number of records read by id in one call. */
const BATCH = 100;
/**
 * The maximum number of characters in the body of a search and in an address. Clients report a 414 for 8,000 characters
 * or more.
 */
const MOST_SEARCH = 3_000;
const MOST_ADDRESS = 8_000;
/**
 * The pause between searches. All tools of an account together may search five times per second; one search is left to
 * other tools.
 */
const SEARCH_DISTANCE_MS = 250;
/** The property with the time of the last change. Contacts kept the name from the first API version. */
const MODIFIED: Readonly<Record<string, string>> = { contacts: 'lastmodifieddate' };

/** The largest possible id, which has 64 bits. */
const LONGEST_ID = '9'.repeat(19);
/** Requests no further properties. HubSpot returns a default set if no property is named. */
const NO_MORE = ['hs_object_id'];

const HANDLES = [400, 404];

/** In HubSpot, the surviving record gets a new id and lists the records merged into it. */
const MERGES: MergeSign = {
  objects: null,
  properties: ['hs_merged_object_ids'],
  read({ id, properties }) {
    const text = isJsonObject(properties) ? properties.hs_merged_object_ids : null;
    const from = typeof text === 'string' ? text.split(/[;,]/).map((one) => one.trim()) : [];
    const others = from.filter((one) => one !== '' && one !== id);
    return others.length === 0 ? null : { from: others };
  },
};

/**
 * Reads CRM objects. A complete read lists the existing records, then the recycle bin, because only records in the bin
 * are deleted.
 *
 * Changes come from the search, which ends at 10,000 results. It is sorted by id, and each page begins after the last id
 * of the previous one. So no page is beyond the limit, and changes during the read do not move rows to other pages.
 *
 * If one call cannot name all properties, it asks for ids only, and further calls read the records by id.
 */
export const READ: Dialect = {
  merges: MERGES,
  whole: (stream) => [list(stream, false), list(stream, true)],
  changes: (stream, { timeMs }) => [search(stream, timeMs), list(stream, true)],
  exhausted: (status, body) =>
    status === 429 && isJsonObject(body) && body.policyName === 'DAILY' ? 'the calls of the day (policy DAILY)' : null,
};

function listProperties(stream: ListedStreamConfig, places: readonly string[]): readonly string[] {
  const columns = places.flatMap((place) => /^\/properties\/([^/]+)/.exec(place)?.[1] ?? []);
  return [...new Set([...columns, ...listMergeProperties(stream, MERGES)])];
}

function list(stream: ListedStreamConfig, archived: boolean): Question {
  const address = (properties: readonly string[]): string =>
    buildAddress(`${stream.baseUrl}${addressObjects(stream)}`, {
      limit: String(LIST_PAGE),
      archived: String(archived),
      properties: properties.join(','),
    });
  // For a deleted record, only the key is needed.
  const places = archived ? [placeOf(stream, stream.key)] : listPlaces(stream);
  const properties = listProperties(stream, places);
  const url = address(properties);
  const fits = url.length <= MOST_ADDRESS;
  const rest = { listsDeleted: archived, ...(fits ? {} : { complete: readById(stream, properties) }) };
  return buildQuestion(stream, { url: fits ? url : address(NO_MORE), handles: HANDLES }, rest);
}

function search(stream: ListedStreamConfig, timeMs: number): Question {
  const url = `${stream.baseUrl}${addressObjects(stream)}/search`;
  const modified = MODIFIED[stream.path] ?? 'hs_lastmodifieddate';
  const all = listProperties(stream, listPlaces(stream));
  const write = (id: string, properties: readonly string[]) => ({
    filterGroups: [
      {
        filters: [
          { propertyName: modified, operator: 'GTE', value: String(timeMs) },
          { propertyName: 'hs_object_id', operator: 'GT', value: id },
        ],
      },
    ],
    sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
    properties,
    limit: SEARCH_PAGE,
  });
  const fits = JSON.stringify(write(LONGEST_ID, all)).length <= MOST_SEARCH;
  const askAfter = (id: string): HttpCall => ({
    method: 'POST',
    url,
    handles: HANDLES,
    distanceMs: SEARCH_DISTANCE_MS,
    body: write(id, fits ? all : NO_MORE),
  });
  const next = ({ answer, count, lastRow, call: { list } }: ListingPage): PageStep => {
    const id = readId(lastRow);
    const total = isJsonObject(answer.body) ? answer.body.total : undefined;
    // The total counts only the records after the id at which the page begins.
    if (id === null || (typeof total === 'number' && total <= count)) return { end: 'said' };
    return { call: { ...askAfter(id), ...(list === undefined ? {} : { list }) }, way: 'own' };
  };
  return buildQuestion(stream, askAfter('0'), { next, ...(fits ? {} : { complete: readById(stream, all) }) });
}

/** Reads the complete rows of a list that could not name all properties. */
function readById(stream: ListedStreamConfig, properties: readonly string[]): NonNullable<Question['complete']> {
  const url = `${stream.baseUrl}${addressObjects(stream)}/batch/read`;
  return async function* complete(rows, ask) {
    for (let from = 0; from < rows.length; from += BATCH) {
      const inputs = rows.slice(from, from + BATCH).map((row) => ({ id: readId(row) ?? '' }));
      const body = { inputs, properties: [...properties] };
      const answer = await ask({ method: 'POST', url, body, handles: HANDLES, list: { depth: 1 } });
      yield* answer.batches(findRows(answer.body, '/results', answer.at));
    }
  };
}

function readId(row: Json | undefined): string | null {
  return isJsonObject(row) && typeof row.id === 'string' ? row.id : null;
}
