import { discardFile, showFile, writePartialFile } from '../../connectors/drop/partial-file.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { DeliveryWork, LaidDocument } from '../../model/delivery.js';
import type { DocumentFormat } from '../../model/document-kinds.js';
import { ServiceError } from '../../service/service-error.js';
import { createSpool, type Spool } from '../reports/spool.js';
import { checkDocument } from './check-document.js';
import { checkFree, removeOwn } from './document-files.js';
import type { ListedRecord } from './document-kind.js';
import type { DueDocument } from './queue-documents.js';

export interface DocumentDesk {
  readonly store: DropStore;
  /** The local folder for unfinished files. */
  readonly spools: string;
  readonly format: DocumentFormat;
  /** The name of the manifest in the folder. */
  readonly manifest: string;
  /** Returns the current time, as ISO 8601. */
  now(): string;
  /** Records the file being written. */
  note(work: DeliveryWork): void;
  /** Records that the document is delivered and no file is being written, in one transaction with the audit entry. */
  settle(key: string, laid: LaidDocument, how: 'delivered' | 'unchanged'): void;
}

/** The number of attempts to download a file. */
const FETCHES = 3;
const NOTHING_LAID: DeliveryWork = { slotMs: 0, tickets: {}, names: [], laid: null };

/**
 * Delivers one record's document as a file with its final name:
 *
 *     fetch ─► is the name free? ─► write under a temporary name ─► show ─► remove the old name ─► settle
 *                                  │ noted                 noted │
 *
 * | died after | the next process |
 * |---|---|
 * | fetching, or writing in part | removes the partial file, and fetches again |
 * | writing the complete file | continues by showing it; makes no call to the service |
 * | showing, or removing the old name | settles it |
 */
export async function deliverDocument(
  { listed, file, before }: DueDocument,
  asked: string,
  desk: DocumentDesk,
): Promise<'delivered' | 'unchanged'> {
  const { store, spools } = desk;
  const spool = await createSpool(spools, 'bytes', store.locate(file));
  try {
    await fetchWhole(spool, listed, store.locate(file), desk.format);
    const { bytes, sha256 } = spool.facts();
    const { key, stamp, words } = listed;
    const laid = { file, sha256, bytes, stamp, asked, externalId: words.external_id ?? '', at: desk.now() };
    const old = before?.laid ?? null;
    if (old !== null && old.file === file && old.sha256 === sha256) {
      desk.settle(key, { ...laid, at: old.at }, 'unchanged');
      return 'unchanged';
    }
    await checkFree(store, file, { key, before: old, manifest: desk.manifest });
    await makeFolders(store, file);
    desk.note({ ...NOTHING_LAID, names: [file] });
    await writePartialFile(store, { name: file, size: bytes, bytes: spool.content });
    desk.note({ ...NOTHING_LAID, names: [file], document: { key, laid } });
    await showAndSettle({ key, laid }, old, desk);
    return 'delivered';
  } finally {
    await spool.close();
  }
}

/** Finishes or discards an earlier process's unfinished file. */
export async function resumeDocument(
  work: DeliveryWork | null,
  find: (key: string) => LaidDocument | null,
  desk: DocumentDesk,
): Promise<'delivered' | 'nothing'> {
  if (work === null) return 'nothing';
  if (work.document === undefined) {
    for (const name of work.names) await discardFile(desk.store, name);
    return 'nothing';
  }
  await showAndSettle(work.document, find(work.document.key), desk);
  return 'delivered';
}

async function showAndSettle(
  { key, laid }: { readonly key: string; readonly laid: LaidDocument },
  old: LaidDocument | null,
  desk: DocumentDesk,
): Promise<void> {
  await showFile(desk.store, { name: laid.file, size: laid.bytes });
  if (old !== null && old.file !== laid.file) await removeOwn(desk.store, old);
  desk.settle(key, laid, 'delivered');
}

async function fetchWhole(spool: Spool, listed: ListedRecord, place: string, format: DocumentFormat): Promise<void> {
  for (let fetches = 1; ; fetches += 1) {
    const file = await listed.fetch();
    try {
      return await spool.add(checkDocument(file, format, place));
    } catch (error) {
      if (!(error instanceof ServiceError && error.fault === 'network') || fetches === FETCHES) throw error;
    } finally {
      await file.cancel();
    }
  }
}

async function makeFolders(store: DropStore, file: string): Promise<void> {
  const parts = file.split('/').slice(0, -1);
  for (const [i] of parts.entries()) await store.mkdir(parts.slice(0, i + 1).join('/'));
}
