import type { Json } from '../../../model/json.js';
import { describeRefusal } from '../../http/send-records.js';
import { splitPointer } from '../../rows/pointer.js';
import type { WriteBackRequest } from '../../write-back-config.js';
import type { ListedStreamShape } from '../listed-stream.js';
import { readWords } from '../listing-rules.js';
import { buildAddress } from '../next-page.js';
import { DONE, placeOf, type WriteStrategy } from '../write-strategy.js';
import { fillBody, nestCells } from './body-template.js';

/** Writes to a stream as its configuration specifies, with one call per record. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: (stream) => `${requestOf(stream).method} ${requestOf(stream).path}`,
  build(stream, [sent = { record: '', cells: {} }]) {
    const { method, path, body } = requestOf(stream);
    const filled = path.replaceAll('{key}', encodeURIComponent(sent.record));
    return {
      method,
      url: buildAddress(`${stream.baseUrl}${filled}`, stream.query),
      headers: stream.headers,
      body: body === null ? nestCells(sent.cells, (column) => placeOf(stream, column)) : fillBody(body as Json, sent),
      handles: [400, 403, 404, 405, 409, 410, 412, 413, 415, 422, 428],
    };
  },
  judge: () => [DONE],
  refusal: ({ status, body }) => ({
    message: describeRefusal('The CRM', status, readWords(body)),
    properties: [],
  }),
  encode: (value) => value,
  property: (_, column) => column,
  whyNotWritable(stream, column, place) {
    const { body } = requestOf(stream);
    if (body === null) {
      const isOfList = splitPointer(place).some((step) => /^\d+$/.test(step));
      return isOfList ? `\`${place}\` is an item of a list; specify with \`write_back.body\` how to set it` : null;
    }
    const text = JSON.stringify(body);
    if (text.includes('"{cells}"') || text.includes(`{cells.${column}}`)) return null;
    return `\`write_back.body\` has no place for this value: add \`{cells.${column}}\` or \`{cells}\``;
  },
  findKeyProblem: () => null,
};

function requestOf(stream: ListedStreamShape): WriteBackRequest {
  return stream.writeBack?.request ?? { method: 'PATCH', path: `${stream.path}/{key}`, body: null };
}
