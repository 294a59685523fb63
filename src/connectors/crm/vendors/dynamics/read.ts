import { followLink } from '../../../http/addresses.js';
import type { HttpCall } from '../../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../../listed/dialect.js';
import type { ListedStreamConfig } from '../../../listed/listed-stream.js';
import { isId, listMergeProperties, type MergeSign } from '../../../listed/merges.js';
import { buildAddress } from '../../../listed/next-page.js';
import type { Question } from '../../../listing/question.js';
import { splitPointer } from '../../../rows/pointer.js';

const PAGE = 1_000;
/** The preference that requests the displayed labels of stored numbers. */
const WORDS = 'odata.include-annotations="OData.Community.Display.V1.FormattedValue"';

/** In Dynamics, the record that disappeared in a merge names the surviving record. */
const MERGES: MergeSign = {
  objects: new Set(['accounts', 'contacts', 'leads', 'incidents']),
  properties: ['merged', '_masterid_value'],
  read({ merged, _masterid_value: master, masterid }) {
    const into = isId(master) ? master : masterid;
    return merged === true && isId(into) ? { into } : null;
  },
};

/**
 * Reads the OData API of Dataverse. A complete read turns on change tracking. Its last page then has a link to all later
 * changes, including deletions. When the link has expired, everything is read again. A listing with a filter cannot be
 * tracked.
 */
export const READ: Dialect = {
  merges: MERGES,
  whole: (stream) => [ask(stream)],
  changes: (stream, { link }) => {
    if (link === null) return [];
    // The link comes from an earlier run. Like any other link, it must stay under the configured address.
    const call = {
      ...buildCall(stream),
      url: followLink(`${stream.baseUrl}/api/data/${stream.version}/${stream.path}`, link),
    };
    return [buildQuestion(stream, call, { isContinued: true })];
  },
  changesLink: '/@odata.deltaLink',
  remedy: (words) => (/change.?tracking/i.test(words) ? SWITCH_ON : null),
};

const SWITCH_ON =
  'An administrator must switch it on for that table: Power Apps, Tables, the table, Properties, Advanced options, Track changes. Until then `incremental: { full_every: 0s }` in the stream reads everything each time.';

function ask(stream: ListedStreamConfig): Question {
  return buildQuestion(stream, buildCall(stream), { pageSize: PAGE });
}

function buildCall(stream: ListedStreamConfig): HttpCall {
  const places = listPlaces(stream).map((place) => (splitPointer(place)[0] ?? '').replace(/@.*$/, ''));
  const tracked = stream.incremental !== null && stream.filter === null ? ', odata.track-changes' : '';
  return {
    url: buildAddress(`${stream.baseUrl}/api/data/${stream.version}/${encodeURIComponent(stream.path)}`, {
      $select: [...new Set([...places, ...listMergeProperties(stream, MERGES)])].join(','),
      ...(stream.filter === null ? {} : { $filter: stream.filter }),
    }),
    headers: {
      prefer: `odata.maxpagesize=${PAGE}, ${WORDS}${tracked}`,
      'odata-version': '4.0',
      'odata-maxversion': '4.0',
    },
    handles: [400, 404],
  };
}
