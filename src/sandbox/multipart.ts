import { type Call, refuse } from './route.js';

export interface Upload {
  readonly file_name: string;
  readonly content_type: string;
  readonly bytes: Buffer;
}

/** The file of a form (spec, Conventions 1): 415 for another body, 400 for a form without one. */
export function requireUpload({ contentType, bytes, boundary }: Call): Upload {
  if (contentType !== 'multipart/form-data') refuse(415, 'Content-Type must be multipart/form-data');
  return parseUpload(bytes, boundary) ?? refuse(400, 'the form has no part with a file');
}

/** The first file of a `multipart/form-data` body; undefined where there is none. */
export function parseUpload(body: Buffer | undefined, boundary: string | undefined): Upload | undefined {
  if (body === undefined || boundary === undefined) return undefined;
  const mark = Buffer.from(`--${boundary}`);
  let start = body.indexOf(mark);
  while (start !== -1) {
    const end = body.indexOf(mark, start + mark.length);
    if (end === -1) return undefined;
    const upload = parsePart(body.subarray(start + mark.length, end));
    if (upload) return upload;
    start = end;
  }
  return undefined;
}

/** A part is CRLF, headers, an empty line, the content, CRLF. */
function parsePart(part: Buffer): Upload | undefined {
  const gap = part.indexOf('\r\n\r\n');
  if (gap === -1) return undefined;
  const headers = part.subarray(0, gap).toString('utf8');
  const name = /filename="([^"]*)"/i.exec(headers)?.[1];
  if (name === undefined) return undefined;
  const content_type = /^content-type:\s*(\S+)/im.exec(headers)?.[1] ?? 'application/octet-stream';
  return { file_name: name, content_type, bytes: Buffer.from(part.subarray(gap + 4, part.length - 2)) };
}
