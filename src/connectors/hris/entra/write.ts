import type { Json } from '../../../model/json.js';
import { describeRefusal } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { nestCells } from '../../listed/plain/body-template.js';
import { DONE, joinLists, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';

/**
 * Matches properties that describe a person. Sign-in names, addresses, and the type and state of an account are left to
 * administrators.
 */
const WRITABLE =
  /^\/(givenName|surname|displayName|jobTitle|department|companyName|officeLocation|country|employeeId|employeeType|mobilePhone|businessPhones\/0|onPremisesExtensionAttributes\/extensionAttribute\d+|extension_\w+)$/;
const PHONES = '/businessPhones/0';

/** Sends one PATCH per user. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `PATCH ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => ({
    method: 'PATCH',
    url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
    body: buildBody(cells),
    handles: [400, 403, 404, 409, 412],
  }),
  judge: () => [DONE],
  refusal: ({ status, body }) => ({
    message: describeRefusal('Microsoft Graph', status, readWords(body)),
    properties: [],
  }),
  encode: (value, column) => (value === '' ? null : joinLists(value, column)),
  property: (place) => place,
  whyNotWritable(_, __, place) {
    if (WRITABLE.test(place)) return null;
    const [name = ''] = splitPointer(place);
    return name === 'manager'
      ? 'Microsoft Graph sets a manager by a link, not by a value'
      : `\`${name}\` is not among the properties that talent-sync changes in Microsoft Graph`;
  },
  findKeyProblem: (_, place) => (place === '/id' ? null : 'users of Microsoft Graph are written by their `id`'),
};

/** Builds the body of the call. The list of business phones has at most one entry. */
function buildBody(cells: Readonly<Record<string, Json>>): Json {
  const { [PHONES]: phone, ...rest } = cells;
  const phones = phone === undefined ? {} : { '/businessPhones': phone === null ? [] : [phone] };
  return nestCells({ ...rest, ...phones }, (place) => place);
}
