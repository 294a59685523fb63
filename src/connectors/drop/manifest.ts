import { SyncError } from '../../base/errors.js';
import { cleanLine } from '../../model/clean-text.js';
import type { Json } from '../../model/json.js';
import { plural } from '../../model/plural.js';
import { compilePointer } from '../rows/pointer.js';
import { refuseCut } from './faults.js';
import type { FileRules } from './resolve-file-rules.js';
import type { DropStore } from './store.js';

const MAX_BYTES = 1_048_576;

/** The values that the sender states about a delivery; null for each missing value. */
export interface Manifest {
  readonly rows: number | null;
  /** The hash in lower-case hexadecimal. */
  readonly sha256: string | null;
}

/** @throws SyncError SYNC_SOURCE_UNSETTLED while the manifest is missing, because the delivery is not finished */
export async function readManifest(
  store: DropStore,
  file: string,
  { pattern, rows, sha256 }: NonNullable<FileRules['manifest']>,
): Promise<Manifest> {
  const name = nameManifest(pattern, file);
  const at = store.locate(name);
  const facts = await store.stat(name);
  if (facts === null) {
    throw new SyncError('SYNC_SOURCE_UNSETTLED', {
      message: `The manifest ${cleanLine(name)} does not exist yet.`,
      place: store.locate(file),
      remedy: 'Wait for the next run, or correct `manifest.pattern`.',
    });
  }
  if (facts.size > MAX_BYTES) throw refuseManifest(at, `it has ${facts.size} bytes`);
  const document = await readDocument(store, name);
  const find = (pointer: string | undefined, pattern: RegExp, what: string): string | null => {
    if (pointer === undefined) return null;
    const found = String(compilePointer(pointer)(document) ?? '');
    if (!pattern.test(found)) throw refuseManifest(at, `it has no ${what} at ${pointer}`);
    return found;
  };
  const count = find(rows, /^\d{1,15}$/, 'whole number');
  const hash = find(sha256, /^[0-9a-f]{64}$/i, 'SHA-256 of 64 hex digits');
  return { rows: count === null ? null : Number(count), sha256: hash === null ? null : hash.toLowerCase() };
}

/** @throws SyncError SYNC_SOURCE_CUT if the file differs from its manifest */
export function checkManifest(
  manifest: Manifest,
  found: { readonly rows: number; readonly sha256: string },
  at: string,
): void {
  if (manifest.sha256 !== null && manifest.sha256 !== found.sha256) {
    throw refuseCut(at, `its SHA-256 is ${found.sha256}, its manifest says ${manifest.sha256}`);
  }
  if (manifest.rows !== null && manifest.rows !== found.rows) {
    throw refuseCut(at, `it has ${plural(found.rows, 'row')}, its manifest says ${manifest.rows}`);
  }
}

export function nameManifest(pattern: string, file: string): string {
  return pattern.replaceAll('{file}', file).replaceAll('{stem}', file.replace(/\.[^.]*$/, ''));
}

async function readDocument(store: DropStore, name: string): Promise<Json> {
  const file = await store.open(name);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.bytes()) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    return JSON.parse(text.replace(/^\uFEFF/, '')) as Json;
  } catch (error) {
    throw error instanceof SyntaxError ? refuseManifest(store.locate(name), 'it is not valid JSON') : error;
  } finally {
    await file.close();
  }
}

function refuseManifest(at: string, problem: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `The manifest cannot be used: ${problem}.`,
    place: at,
    remedy: 'Have the sender write it as set in `manifest` of the configuration, or correct that setting.',
  });
}
