import { refuse } from '../fields/refusal.js';
import type { Call } from './call.js';

/** More than a picture may have, so that the response to a larger one can name its limit. */
export const MOST_FORM_BYTES = 32 * 1024 * 1024;

export interface Upload {
  readonly file_name: string;
  readonly content_type: string;
  readonly bytes: Buffer;
}

/** The raw body of a form that contains files. */
export type SentForm = Pick<Call, 'contentType' | 'bytes' | 'boundary'>;

/** A field of a form. If it has a file name, it is a file. */
interface FormPart {
  readonly name: string;
  readonly file_name: string | undefined;
  readonly content_type: string;
  readonly bytes: Buffer;
}

/** Reads a content type: `multipart/form-data; boundary=…`. */
export function readContentType(header: string): Pick<SentForm, 'contentType' | 'boundary'> {
  const contentType = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return { contentType, boundary: /boundary="?([^";]+)"?/i.exec(header)?.[1] };
}

/** Returns the file of a form (spec, Conventions 1). Another content type is 415, a form without a file is 400. */
export function requireUpload(sent: SentForm): Upload {
  if (sent.contentType !== 'multipart/form-data') refuse(415, 'Content-Type must be multipart/form-data');
  return findUpload(sent) ?? refuse(400, 'the form has no part with a file');
}

/** Finds the uploaded file. If the user chose none, browsers send an empty file without a name. */
function findUpload(sent: SentForm): Upload | undefined {
  for (const { file_name, content_type, bytes } of listFormParts(sent)) {
    if (file_name !== undefined && (file_name !== '' || bytes.length > 0)) return { file_name, content_type, bytes };
  }
  return undefined;
}

/** Returns all fields of a form except files. */
export function readFormFields(sent: SentForm): URLSearchParams {
  const fields = new URLSearchParams();
  for (const { name, file_name, bytes } of listFormParts(sent))
    if (file_name === undefined) fields.append(name, bytes.toString('utf8'));
  return fields;
}

function* listFormParts({ bytes: body, boundary }: SentForm): Generator<FormPart> {
  if (body === undefined || boundary === undefined) return;
  const mark = Buffer.from(`--${boundary}`);
  let start = body.indexOf(mark);
  while (start !== -1) {
    const end = body.indexOf(mark, start + mark.length);
    if (end === -1) return;
    const part = readFormPart(body.subarray(start + mark.length, end));
    if (part) yield part;
    start = end;
  }
}

/** Reads a part, which consists of CRLF, headers, an empty line, the content and CRLF. */
function readFormPart(part: Buffer): FormPart | undefined {
  const gap = part.indexOf('\r\n\r\n');
  if (gap === -1) return undefined;
  const headers = part.subarray(0, gap).toString('utf8');
  const content_type = /^content-type:\s*(\S+)/im.exec(headers)?.[1] ?? 'application/octet-stream';
  const name = /\bname="([^"]*)"/i.exec(headers)?.[1] ?? '';
  const file_name = /\bfilename="([^"]*)"/i.exec(headers)?.[1];
  return { name, file_name, content_type, bytes: part.subarray(gap + 4, part.length - 2) };
}
