import { isJsonObject, type Json } from '../../../../model/json.js';
import type { HttpCall } from '../../../http/http-source.js';
import type { ListingPage, PageStep, Question } from '../../../listing/question.js';
import { buildQuestion, type Dialect, listPlaces } from '../../dialect.js';
import type { ListedStreamConfig } from '../../listed-stream.js';
import { listMergeProperties, type MergeSign } from '../../merges.js';
import { buildAddress } from '../../next-page.js';

/** The most that one page of a list, and of a search, may have. */
const LIST_PAGE = 100;
const SEARCH_PAGE = 200;
/** An account may search five times per second, all its tools together: one of the five is left to others. */
const SEARCH_DISTANCE_MS = 250;
/** What the vendor calls the time of the last change: contacts kept the name of the first interface. */
const MODIFIED: Readonly<Record<string, string>> = { contacts: 'lastmodifieddate' };

const HANDLES = [400, 404];

/** The survivor names those that went into it, and has a new id itself. */
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
 * CRM objects, v3. A whole read lists what is there, then the recycle bin: only what is in it is deleted. Changes come from
 * the search, which ends at 10,000 results; asked for by rising id, each page begins after the last id of the one before, so
 * that no page ever is behind that end, and rows that change meanwhile shift nothing.
 */
export const READ: Dialect = {
  merges: MERGES,
  whole: (stream) => [list(stream, false), list(stream, true)],
  changes: (stream, { timeMs }) => [search(stream, timeMs), list(stream, true)],
  exhausted: (status, body) =>
    status === 429 && isJsonObject(body) && body.policyName === 'DAILY' ? 'the calls of the day (policy DAILY)' : null,
};

function listProperties(stream: ListedStreamConfig): readonly string[] {
  const columns = listPlaces(stream).flatMap((place) => /^\/properties\/([^/]+)/.exec(place)?.[1] ?? []);
  return [...new Set([...columns, ...listMergeProperties(stream, MERGES)])];
}

function list(stream: ListedStreamConfig, archived: boolean): Question {
  const url = buildAddress(`${stream.baseUrl}/crm/v3/objects/${encodeURIComponent(stream.path)}`, {
    limit: String(LIST_PAGE),
    archived: String(archived),
    properties: listProperties(stream).join(','),
  });
  return buildQuestion(stream, { url, handles: HANDLES }, { listsDeleted: archived });
}

function search(stream: ListedStreamConfig, timeMs: number): Question {
  const url = `${stream.baseUrl}/crm/v3/objects/${encodeURIComponent(stream.path)}/search`;
  const modified = MODIFIED[stream.path] ?? 'hs_lastmodifieddate';
  const askAfter = (id: string): HttpCall => ({
    method: 'POST',
    url,
    handles: HANDLES,
    distanceMs: SEARCH_DISTANCE_MS,
    body: {
      filterGroups: [
        {
          filters: [
            { propertyName: modified, operator: 'GTE', value: String(timeMs) },
            { propertyName: 'hs_object_id', operator: 'GT', value: id },
          ],
        },
      ],
      sorts: [{ propertyName: 'hs_object_id', direction: 'ASCENDING' }],
      properties: listProperties(stream),
      limit: SEARCH_PAGE,
    },
  });
  const next = ({ answer, count, lastRow, call: { list } }: ListingPage): PageStep => {
    const id = readId(lastRow);
    const total = isJsonObject(answer.body) ? answer.body.total : undefined;
    // The total of a page is of what comes after the last id.
    if (id === null || (typeof total === 'number' && total <= count)) return { end: null };
    return { call: { ...askAfter(id), ...(list === undefined ? {} : { list }) } };
  };
  return buildQuestion(stream, askAfter('0'), { next });
}

function readId(row: Json | undefined): string | null {
  return isJsonObject(row) && typeof row.id === 'string' ? row.id : null;
}
