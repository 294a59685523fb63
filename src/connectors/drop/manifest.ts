import { SyncError } from '../../errors.js';
import { cleanLine } from '../../model/clean-text.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { refuseCut } from './faults.js';
import type { FileRules } from './file-rules.js';
import type { DropStore } from './store.js';

const MAX_BYTES = 1_048_576;

/** What the sender says that the delivery is; null where it does not say. */
export interface Manifest {
  readonly at: string;
  readonly rows: number | null;
  readonly sha256: string | null;
}

/** @throws SyncError SYNC_SOURCE_UNSETTLED while the manifest is not there: the delivery is not finished */
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
      message: `The manifest ${cleanLine(name)} is not there yet.`,
      place: store.locate(file),
      remedy: 'Wait for the next run, or correct `manifest.pattern`.',
    });
  }
  if (facts.size > MAX_BYTES) throw refuseManifest(at, `it has ${facts.size} bytes`);
  const document = parse(await readWhole(store, name), at);
  const [count, hash] = [rows, sha256].map((pointer) => (pointer === null ? null : follow(document, pointer)));
  if (rows !== null && !/^\d{1,15}$/.test(String(count))) throw refuseManifest(at, `it has no whole number at ${rows}`);
  if (sha256 !== null && !(typeof hash === 'string' && /^[0-9a-f]{64}$/i.test(hash))) {
    throw refuseManifest(at, `it has no SHA-256 of 64 hex digits at ${sha256}`);
  }
  return {
    at,
    rows: rows === null ? null : Number(count),
    sha256: sha256 === null ? null : String(hash).toLowerCase(),
  };
}

/** @throws SyncError SYNC_SOURCE_CUT */
export function checkManifest(
  manifest: Manifest,
  found: { readonly rows: number; readonly sha256: string },
  at: string,
): void {
  if (manifest.sha256 !== null && manifest.sha256 !== found.sha256) {
    throw refuseCut(at, `its SHA-256 is ${found.sha256}, its manifest says ${manifest.sha256}`);
  }
  if (manifest.rows !== null && manifest.rows !== found.rows) {
    throw refuseCut(at, `it has ${found.rows} rows, its manifest says ${manifest.rows}`);
  }
}

export function nameManifest(pattern: string, file: string): string {
  return pattern.replaceAll('{file}', file).replaceAll('{stem}', file.replace(/\.[^.]*$/, ''));
}

async function readWhole(store: DropStore, name: string): Promise<string> {
  const file = await store.open(name);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of file.bytes()) chunks.push(chunk);
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

function parse(text: string, at: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw refuseManifest(at, 'it is not valid JSON');
  }
}

function follow(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of pointer.split('/').slice(1)) {
    value = isJsonObject(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  }
  return value;
}

function refuseManifest(at: string, problem: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `The manifest cannot be used: ${problem}.`,
    place: at,
    remedy: 'Have the sender write it as `manifest` in the configuration says, or correct that.',
  });
}
