import { Readable } from 'node:stream';
import { requireCv } from '../cvs.js';
import { toIsoCode } from '../languages.js';
import { type Call, type CallHandler, OtherAnswer, Refusal, refuse } from '../route.js';
import { isSigned } from '../signed-links.js';
import { readStoredFile } from '../stored-files.js';
import { readParameter } from '../values.js';
import { findTailoredReference } from './proposal-contents.js';

/**
 * Everything about a download but the document: who may have it, whether it exists, and how often. Refused requests take no
 * place in the download rate: it limits what is rendered.
 */
export function downloads(check: (call: Call) => void): CallHandler {
  return (call) => {
    check(call);
    const { world, params, mode } = call;
    const { language_code: language = '', filetype = '' } = params;
    if (!['pdf', 'docx', 'pptx'].includes(filetype)) refuse(400, 'filetype must be pdf, docx or pptx');
    const iso = toIsoCode(language, mode);
    if (iso === undefined || !world.account.languages.includes(iso)) {
      refuse(400, `${language} is not a language of the account in the active code mode`);
    }
    const retryAfter = world.downloads.take(world.clock.now());
    if (retryAfter !== undefined) {
      throw new Refusal(429, 'downloads are limited to 1 every 2 seconds and 10 per minute', {}, retryAfter);
    }
    return refuse(501, `this sandbox does not render documents: no ${filetype} of this record`);
  };
}

export function checkCv(call: Call): void {
  requireCv(call, 'this key may not download the CVs of others');
}

export function checkTailored(call: Call): void {
  findTailoredReference(call, call.params.reference_id);
}

/** Where the signed links of reports and attachments lead: no key, no rate limit, but a signature that expires. */
export function getFile({ world, params, query }: Call): OtherAnswer {
  const { file_id = '' } = params;
  const expires = readParameter(query, 'expires') ?? '';
  if (!isSigned(world, file_id, expires, readParameter(query, 'signature') ?? '')) {
    refuse(403, 'the link is not signed, or has expired: read the record again for a new one');
  }
  const file = world.store.files.get(file_id) ?? refuse(404, 'file not found');
  const { content_type: contentType, file_name: name, size } = file;
  const bytes = Readable.from(readStoredFile(world.store, file));
  return new OtherAnswer({ file: { bytes, size, contentType, name } });
}
