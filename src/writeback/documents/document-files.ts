import { SyncError } from '../../base/errors.js';
import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { type ExistingFile, findFile } from '../../connectors/drop/deliver-once.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { DocumentRecord, LaidDocument } from '../../model/delivery.js';
import { isJsonObject, type Json, objectOf } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import type { Stores } from '../../store/open-stores.js';
import { DOCUMENT_KINDS } from './document-kinds.js';

/** Checks if a name in the folder is free, belongs to the delivered file, or belongs to another file. */
export function lookAtFile(
  store: DropStore,
  { file, bytes, sha256: hash }: Pick<LaidDocument, 'file' | 'bytes' | 'sha256'>,
): Promise<ExistingFile> {
  return findFile(store, file, { size: bytes, sha256: hash });
}

/**
 * Checks that a document may be written under a name. The name must be free or belong to an unchanged file of this
 * delivery. If the state does not know the file, for example after a restore, a matching entry in the manifest also
 * counts.
 *
 * @throws SyncError SYNC_DOCUMENT_TAKEN
 */
export async function checkFree(
  store: DropStore,
  file: string,
  { key, before, manifest }: { readonly key: string; readonly before: LaidDocument | null; readonly manifest: string },
): Promise<void> {
  if ((await store.stat(file)) === null) return;
  if (before?.file === file && (await lookAtFile(store, before)) !== 'other') return;
  const noted = before?.file === file ? null : await findInManifest(store, manifest, { key, file });
  if (noted !== null && (await lookAtFile(store, noted)) !== 'other') return;
  const message =
    before?.file === file
      ? 'The document was changed after it was delivered, and is not replaced.'
      : 'Another file has the name of the document, and is not replaced.';
  throw new SyncError('SYNC_DOCUMENT_TAKEN', {
    message,
    place: store.locate(file),
    remedy: 'Move that file away, or give the documents other names by `deliver.name`; a later run delivers it.',
  });
}

/**
 * Removes a delivered file if it is unchanged.
 * @returns false if the file was changed and therefore stays
 */
export async function removeOwn(store: DropStore, laid: LaidDocument): Promise<boolean> {
  const found = await lookAtFile(store, laid);
  if (found === 'same') await store.delete(laid.file);
  return found !== 'other';
}

/** Names the manifest with an ending that no document has. */
export function nameManifest(delivery: string): string {
  return `${delivery}.manifest.json`;
}

/**
 * Builds the manifest, a list of the folder's files for other programs. It contains no creation time, so equal files
 * give equal text.
 */
export function manifestOf(
  { name, kind, format, language }: DocumentDelivery,
  records: readonly DocumentRecord[],
): { readonly text: string; readonly hash: string } {
  const about = { delivery: name, of: DOCUMENT_KINDS[kind].of, format, language };
  const files = records
    .flatMap(({ key: id, laid }) => (laid === null ? [] : [{ id, laid }]))
    .sort((a, b) => (a.laid.file < b.laid.file ? -1 : 1))
    .map(({ id, laid: { file, externalId, sha256, bytes, stamp, at } }) => ({
      file,
      id,
      ...(externalId === '' ? {} : { external_id: externalId }),
      sha256,
      bytes,
      changed: stamp.split(' ')[0] ?? '',
      delivered: at,
    }));
  const lines = files.map((file) => `    ${JSON.stringify(file)}`).join(',\n');
  const head = JSON.stringify(about).slice(0, -1);
  const text = `${head},\n  "files": [\n${lines}\n  ]\n}\n`;
  return { text, hash: sha256(text) };
}

/**
 * Writes the manifest if its text changed.
 * @returns the hash of the manifest in the folder; null if there is none
 */
export async function keepManifest(
  delivery: DocumentDelivery,
  { stores }: { readonly stores: Pick<Stores, 'documents'> },
  { store, known }: { readonly store: DropStore; readonly known: string | null },
): Promise<string | null> {
  const records = stores.documents.of(delivery.name);
  if (known === null && records.every(({ laid }) => laid === null)) return null;
  const { text, hash } = manifestOf(delivery, records);
  if (hash !== known) await store.put(nameManifest(delivery.name), text);
  return hash;
}

/**
 * Finds a file in the manifest. Someone else may have written the manifest, so callers must compare the file's content
 * with the entry.
 */
async function findInManifest(
  store: DropStore,
  name: string,
  { key, file }: { readonly key: string; readonly file: string },
): Promise<Pick<LaidDocument, 'file' | 'sha256' | 'bytes'> | null> {
  const document = objectOf(await readJson(store, name).catch(() => null));
  const files: readonly Json[] = Array.isArray(document.files) ? document.files : [];
  const entry = files.find((one) => isJsonObject(one) && one.file === file && one.id === key);
  const { sha256: hash, bytes } = objectOf(entry);
  if (typeof hash !== 'string' || typeof bytes !== 'number') return null;
  return { file, sha256: hash, bytes };
}

const LONGEST_MANIFEST = 64 << 20;

async function readJson(store: DropStore, name: string): Promise<Json> {
  const facts = await store.stat(name);
  if (facts === null || facts.size > LONGEST_MANIFEST) return null;
  const file = await store.open(name);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.bytes()) chunks.push(chunk);
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } finally {
    await file.close();
  }
}
