import { isJsonObject, type Json } from '../../../model/json.js';
import { quoteWords } from '../../http/send-records.js';
import { buildAddress } from '../../listing/next-page.js';
import { splitPointer } from '../../rows/pointer.js';
import type { WriteBackRequest } from '../../write-back-config.js';
import type { CrmFeedConfig } from '../feed-config.js';
import { DONE, placeOf, type WriteStrategy, type WrittenFeed } from '../vendors/write-strategy.js';
import { fillBody, nestCells } from './body-template.js';

/** A feed that is written to as its configuration says: one call a record. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: (feed) => `${requestOf(feed).method} ${requestOf(feed).path}`,
  build(feed, [told = { record: '', cells: {} }]) {
    const { method, path, body } = requestOf(feed);
    const filled = path.replaceAll('{key}', encodeURIComponent(told.record));
    return {
      method,
      url: buildAddress(`${feed.baseUrl}${filled}`, feed.query),
      headers: feed.headers,
      body: body === null ? nestCells(told.cells, (column) => placeOf(feed, column)) : fillBody(body as Json, told),
      handles: [400, 403, 404, 405, 409, 410, 412, 413, 415, 422, 428],
    };
  },
  judge: ({ status }) => (status >= 400 ? null : [DONE]),
  refusal({ status, body }) {
    const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
    const words = isJsonObject(error) ? quoteWords(error.message ?? error.detail ?? error.title) : null;
    return { message: `The feed answered ${status}${words === null ? '' : `: ${words}`}`, properties: [] };
  },
  encode: (value) => value,
  property: (_, column) => column,
  whyNotWritable(feed, column, place) {
    const { body } = requestOf(feed);
    if (body === null) {
      const isOfList = splitPointer(place).some((step) => /^\d+$/.test(step));
      return isOfList ? `\`${place}\` is an item of a list; say with \`write_back.body\` how it is set` : null;
    }
    const text = JSON.stringify(body);
    if (text.includes('"{cells}"') || text.includes(`{cells.${column}}`)) return null;
    return `\`write_back.body\` has no place for it: add \`{cells.${column}}\` or \`{cells}\``;
  },
  findKeyProblem: () => null,
};

function requestOf(feed: WrittenFeed | CrmFeedConfig): WriteBackRequest {
  return feed.writeBack?.request ?? { method: 'PATCH', path: `${feed.path}/{key}`, body: null };
}
