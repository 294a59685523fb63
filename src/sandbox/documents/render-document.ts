import { toAsciiName } from '../answers/file-names.js';
import type { AnsweredFile } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import type { Paper, Rendered } from './paper.js';

interface FileKind {
  readonly contentType: string;
  /** Loads the library for a kind of document on the first request for it, because the library is large. */
  load(): Promise<(paper: Paper) => Promise<Rendered>>;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

export const FILE_KINDS: Readonly<Record<string, FileKind>> = {
  pdf: { contentType: 'application/pdf', load: async () => (await import('./write-pdf.js')).writePdf },
  docx: {
    contentType: `${OFFICE}.wordprocessingml.document`,
    load: async () => (await import('./write-docx.js')).writeDocx,
  },
  pptx: {
    contentType: `${OFFICE}.presentationml.presentation`,
    load: async () => (await import('./write-pptx.js')).writePptx,
  },
};

/** @param filetype one of FILE_KINDS */
export async function renderDocument(paper: Paper, filetype: string): Promise<AnsweredFile> {
  const kind = FILE_KINDS[filetype];
  if (kind === undefined) throw new Error(`There are no documents of the type ${filetype}.`);
  const write = await kind.load().catch(refuseWithoutWriters);
  const { bytes, missing } = await write(paper);
  const headers = missing.length === 0 ? {} : { 'x-missing-scripts': missing.join(', ') };
  const { head, standIn } = paper;
  const name = `${toAsciiName(head.name) ?? (head.name || standIn)}.${filetype}`;
  return { bytes, contentType: kind.contentType, name, standIn, headers };
}

/** Rejects the request if the Docker image lacks these libraries and the fonts, as the worker's does (Dockerfile). */
function refuseWithoutWriters(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
  refuse(501, 'this installation cannot render documents; the sandbox image can');
}
