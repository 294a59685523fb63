import { followLink } from '../../../http/addresses.js';
import type { HttpCall } from '../../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../../listed/dialect.js';
import type { ListedStreamConfig } from '../../../listed/listed-stream.js';
import { isId, listMergeProperties, type MergeSign } from '../../../listed/merges.js';
import { buildAddress } from '../../../listed/next-page.js';
import type { Question } from '../../../listing/question.js';
import { splitPointer } from '../../../rows/pointer.js';

const PAGE = 1_000;
/** Asks for the labels that people see for stored numbers. */
const WORDS = 'odata.include-annotations="OData.Community.Display.V1.FormattedValue"';

/** The record that was merged away names the survivor. */
const MERGES: MergeSign = {
  objects: new Set(['accounts', 'contacts', 'leads', 'incidents']),
  properties: ['merged', '_masterid_value'],
  read({ merged, _masterid_value: master, masterid }) {
    const into = isId(master) ? master : masterid;
    return merged === true && isId(into) ? { into } : null;
  },
};

/**
 * OData of Dataverse. A complete read turns on change tracking: its last page has a link to the changes since then, deletions included.
 * Such a link expires; then everything is read again. A listing with a filter cannot be tracked.
 */
export const READ: Dialect = {
  merges: MERGES,
  whole: (stream) => [ask(stream)],
  changes: (stream, { link }) => {
    if (link === null) return [];
    // The link was kept from an earlier run; like any other, it must stay under the address.
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
