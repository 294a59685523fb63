import { Refusal, type Route } from '../route.js';
import { FILES, isSigned } from '../signed-links.js';
import { readParameter } from '../values.js';

/** Where the signed links of reports and attachments lead: no key, no rate limit, but a signature that expires. */
export const FILE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: `${FILES}/:file_id`,
    access: 'read',
    isSigned: true,
    handle: (world, call) => {
      const id = call.params.file_id ?? '';
      const expires = readParameter(call.query, 'expires') ?? '';
      if (!isSigned(world, id, expires, readParameter(call.query, 'signature') ?? '')) {
        throw new Refusal(403, 'the link is not signed, or has expired: read the record again for a new one');
      }
      const file = world.store.files.get(id);
      if (!file) throw new Refusal(404, 'file not found');
      const bytes = Buffer.from(file.base64, 'base64');
      return { status: 200, file: { bytes, contentType: file.content_type, name: file.file_name } };
    },
  },
];
