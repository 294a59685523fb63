import { Readable } from 'node:stream';
import { isSigned, NEUTRAL_PICTURE } from '../answers/signed-links.js';
import { type Call, type CallHandler, OtherAnswer } from '../calls/call.js';
import { chooseTemplate, requireTemplate } from '../documents/choose-look.js';
import { describeCv } from '../documents/describe-cv.js';
import { describeProject } from '../documents/describe-project.js';
import type { Paper } from '../documents/paper.js';
import { FILE_KINDS, renderDocument } from '../documents/render-document.js';
import { toIsoCode } from '../fields/languages.js';
import { Refusal, refuse } from '../fields/refusal.js';
import { readParameter } from '../fields/values.js';
import { requireCv } from '../records/cvs.js';
import { readStoredFile } from '../store/stored-files.js';
import { requireProject } from './projects.js';
import { findTailoredReference } from './proposal-contents.js';

/** Finds the record in the path and checks permissions. @returns a function that renders the record in a language */
type FindRecord = (call: Call) => (language: string) => Paper;

/**
 * Returns a document of the record's current state. The download limit counts only documents that are rendered for clients, not
 * rejected requests.
 */
export function downloads(find: FindRecord): CallHandler {
  return (call) => {
    const describe = find(call);
    const { world, params, mode, isOtherHands } = call;
    const { language_code: language = '', filetype = '' } = params;
    if (!Object.hasOwn(FILE_KINDS, filetype)) refuse(400, 'filetype must be pdf, docx or pptx');
    const iso = toIsoCode(language, mode);
    if (iso === undefined || !world.account.languages.includes(iso)) {
      return refuse(400, `${language} is not a language of the account in the active code mode`);
    }
    const retryAfter = isOtherHands ? undefined : world.downloads.take(world.clock.now());
    if (retryAfter !== undefined) {
      throw new Refusal(429, 'downloads are limited to 1 every 2 seconds and 10 per minute', {}, retryAfter);
    }
    return renderDocument(describe(iso), filetype).then((file) => new OtherAnswer({ file }));
  };
}

export function findCvDocument(call: Call): ReturnType<FindRecord> {
  const owned = requireCv(call, 'this key may not download the CVs of others');
  const { template_id: wanted } = call.params;
  const template = wanted === undefined ? chooseTemplate(call.world, owned.user) : requireTemplate(call.world, wanted);
  return (language) => describeCv(call.world, owned, language, template);
}

export function findTailoredDocument(call: Call): ReturnType<FindRecord> {
  return findProjectDocument(call, findTailoredReference(call, call.params.reference_id).project);
}

export function findProjectDocument(call: Call, project = requireProject(call)): ReturnType<FindRecord> {
  const template = requireTemplate(call.world, call.params.template_id ?? '');
  return (language) => describeProject(call.world, project, language, template);
}

/** A PNG with one grey pixel. */
const NEUTRAL_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mM4AwAAzgDNee7qPQAAAABJRU5ErkJggg==',
  'base64',
);
const NEUTRAL_FILE = {
  ...{ bytes: NEUTRAL_PNG, size: NEUTRAL_PNG.length, contentType: 'image/png' },
  ...{ name: 'no-picture.png', standIn: 'no-picture' },
};

/**
 * Returns the target of a signed link to a report or attachment. It needs no key and has no rate limit, but the signature
 * expires.
 */
export function getFile({ world, params, query }: Call): OtherAnswer {
  const { file_id = '' } = params;
  const expires = readParameter(query, 'expires') ?? '';
  if (!isSigned(world, file_id, expires, readParameter(query, 'signature') ?? '')) {
    refuse(403, 'the link is not signed, or has expired: read the record again for a new one');
  }
  if (file_id === NEUTRAL_PICTURE) return new OtherAnswer({ file: NEUTRAL_FILE });
  const file = world.store.files.get(file_id) ?? refuse(404, 'file not found');
  const { content_type: contentType, file_name: name, size } = file;
  const bytes = Readable.from(readStoredFile(world.store, file));
  return new OtherAnswer({ file: { bytes, size, contentType, name, standIn: `file-${file.id}` } });
}
