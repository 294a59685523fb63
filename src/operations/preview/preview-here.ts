import { type PreviewOptions, wirePreview } from '../../app/wire-preview.js';
import { isoNow } from '../../base/clock.js';
import { asSyncError, SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { type EditedConfig, loadEdited, type WrittenPair } from '../../config/edited/load-edited.js';
import { canonicalJson, type Json } from '../../model/json.js';
import type { Change } from '../../model/plan.js';
import type { Preview, PreviewChange } from '../../model/preview.js';
import { sha256 } from '../../model/sha256.js';
import { type DerivedPreview, derivePreview } from '../../planning/derive-preview.js';
import { evidences } from '../../planning/reads/evidence.js';
import type { StreamRead } from '../../planning/staging/read-streams.js';
import { listDifferences } from '../../report/sections/differences.js';
import { clip } from '../../report/writers/style.js';
import type { Stores } from '../../store/open-stores.js';
import { makePreviewCopy } from '../../store/preview-copy.js';
import { joinNumbers, tallyPreview } from './tally-preview.js';

/** The order that the preview process reads. */
export interface PreviewOrder extends WrittenPair {
  /** Folder with the data pushed by identity providers; null if that data is in the state. */
  readonly pushed: string | null;
  readonly values: boolean;
}

/** Maximum number of changes to list with values. */
const MOST_CHANGES = 100;
/** Maximum length of a value. A review comment shows even less. */
const LONGEST_VALUE = 1_000;

/**
 * Derives the plan twice from one copy of the state: under the current configuration and under the edited one. Neither
 * derivation contacts another system. The caller holds the preview lock and removes the copy.
 *
 * @throws SyncError SYNC_PREVIEW_REFUSED, SYNC_PREVIEW_RECORDS, SYNC_CONFIG_INVALID, and errors from reading a source's
 * file
 */
export async function previewHere(order: PreviewOrder, options: PreviewOptions): Promise<Preview> {
  const loaded = loadEdited(order);
  return await deriveBoth(order, loaded, options).catch((thrown: unknown) => {
    throw namePaths(asSyncError(thrown), loaded.paths);
  });
}

async function deriveBoth(
  order: PreviewOrder,
  { inForce, edited, paths }: EditedConfig,
  options: PreviewOptions,
): Promise<Preview> {
  const copy = makePreviewCopy(inForce.state, order.pushed);
  if (copy === null) throw nothingKnown(inForce.file);
  const now = isoNow(options.clock);
  const known = new Set<string>();
  const before = await derive(inForce, (stores, derived) => {
    refuseUnread(inForce, stores, derived);
    if (order.values) for (const change of stores.work.inOrder('all')) known.add(printOf(change));
    return tallyPreview(stores, derived);
  });
  return await derive(edited, (stores, derived) => {
    refuseUnkept(derived);
    const after = tallyPreview(stores, derived);
    return { at: now, paths, ...joinNumbers(before, after), ...listReads(derived), ...listNews(stores) };
  });

  async function derive<T>(config: Config, look: (stores: Stores, derived: DerivedPreview) => T): Promise<T> {
    const app = await wirePreview({ ...config, state: copy as string }, options);
    try {
      return look(app.stores, await derivePreview(app, now));
    } finally {
      await app.close();
    }
  }

  function listNews({ work }: Stores): Pick<Preview, 'changes' | 'more'> {
    if (!order.values) return {};
    const changes: PreviewChange[] = [];
    let news = 0;
    for (const change of work.inOrder('all')) {
      if (known.has(printOf(change))) continue;
      news += 1;
      if (news <= MOST_CHANGES) changes.push(showChange(change));
    }
    return { changes, more: news - changes.length };
  }
}

/** A fingerprint that is equal for changes that do the same to the same object, even under different configurations. */
function printOf({ entity, action, key, target, after }: Change): string {
  return sha256(canonicalJson([entity, action, key, target, after as Json]));
}

function showChange(change: Change): PreviewChange {
  const { entity, action, key, label } = change;
  const show = (value: string | null): string | null => (value === null ? null : clip(value, LONGEST_VALUE));
  const fields = listDifferences(change).map(({ field, before, after }) => ({
    field,
    before: show(before),
    after: show(after),
  }));
  return { entity, action, key, label, fields };
}

function readsOf({ staged }: DerivedPreview): readonly StreamRead[] {
  const reads = staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
  return reads.filter(({ source }, at) => reads.findIndex((one) => one.source === source) === at);
}

/** Lists the reads, and the entities that could not be derived for a reason other than a guard on their source. */
function listReads(derived: DerivedPreview): Pick<Preview, 'stopped' | 'sources'> {
  const sources = evidences(readsOf(derived)).map(({ source, rows, complete }) => ({ source, rows, complete }));
  const stopped = derived.staged.flatMap(({ entity, deciding, enriching }) =>
    [...deciding, ...enriching].flatMap(({ error }) =>
      error === null || error.trip !== undefined ? [] : [{ entity, message: error.message }],
    ),
  );
  return { sources, stopped };
}

/** @throws SyncError the error of a source that failed, because there is nothing to compare then */
function refuseUnread(config: Config, { mirror }: Stores, derived: DerivedPreview): void {
  if (config.users !== null && mirror.mark('users.full_read_at') === null) throw nothingKnown(config.file);
  const failed = readsOf(derived).find(({ error }) => error !== null && error.trip === undefined)?.error;
  if (failed) throw failed;
}

/** @throws SyncError SYNC_PREVIEW_RECORDS for a source whose records are not stored under the edited configuration */
function refuseUnkept(derived: DerivedPreview): void {
  const unkept = readsOf(derived).find(({ error }) => error?.code === 'SYNC_PREVIEW_RECORDS')?.error;
  if (unkept) throw unkept;
}

/** Adds the paths that differ from the current configuration to the error, even if nothing can be derived. */
function namePaths(error: SyncError, paths: readonly string[]): SyncError {
  if (error.code !== 'SYNC_PREVIEW_RECORDS') return error;
  const { code, message, place = '', remedy } = error;
  const problems = paths.map((path) => ({ place: path, message: 'this differs from the current configuration' }));
  return new SyncError(code, { message, place, remedy, problems });
}

function nothingKnown(place: string): SyncError {
  return new SyncError('SYNC_PREVIEW_RECORDS', {
    message: 'This cannot be previewed yet: no run has read the sources and the service.',
    place,
    remedy: 'Wait for the first run, or start one.',
  });
}
