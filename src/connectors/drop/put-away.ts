import type { ReadEvidence } from '../../model/source.js';
import type { DeliveryMemory } from '../connector.js';
import { matchesPattern } from './file-names.js';
import type { FileFacts } from './file-system.js';
import { nameManifest } from './manifest.js';
import { sortByAge } from './newest.js';
import type { FileRules } from './resolve-file-rules.js';
import { type DropStore, statOther } from './store.js';

const ARCHIVE = 'archive';

/** Identifies a delivery as `name|size|mtimeMs`; other deliveries differ in at least one part. */
export function nameDelivery(name: string, { size, mtimeMs }: FileFacts): string {
  return `${name}|${size}|${Math.round(mtimeMs)}`;
}

/**
 * Archives or deletes deliveries that earlier runs have used, together with the files next to them. The newest delivery
 * stays, because every run reads it until a newer one arrives. Deliveries that no run has used also stay, regardless of
 * their names.
 *
 * @param used the name of the delivery that this run has read
 */
export async function putAwayOlder(
  store: DropStore,
  { pattern, rules }: { readonly pattern: string; readonly rules: Pick<FileRules, 'after' | 'manifest' | 'newest'> },
  used: string,
  isTaken: (delivery: string) => boolean,
): Promise<void> {
  if (rules.after === 'leave') return;
  const names = await store.list();
  const matching = names.filter((name) => matchesPattern(name, pattern));
  const sorted = sortByAge(
    matching,
    rules.newest,
    rules.newest === 'modified' ? await store.times(matching) : new Map(),
  );
  const older = sorted.slice(0, Math.max(0, sorted.indexOf(used)));
  for (const name of older) {
    const facts = await statOther(store, name);
    if (facts === null || !isTaken(nameDelivery(name, facts))) continue;
    const beside = [`${name}.done`, ...(rules.manifest === null ? [] : [nameManifest(rules.manifest.pattern, name)])];
    // The delivery is put away last, so that the next run still finds the files that an error leaves behind.
    for (const one of [...beside.filter((file) => names.includes(file)), name]) {
      if (rules.after === 'delete') {
        await store.delete(one);
      } else {
        await store.mkdir(ARCHIVE);
        await store.putAway(one, ARCHIVE);
      }
    }
  }
}

/** The remembered facts about a source's deliveries, in the form of a read's evidence. */
export function describeMemory(
  { isTaken, sameSince, replacedContent }: DeliveryMemory,
  source: string,
  { staleAfterMs }: Pick<FileRules, 'staleAfterMs'>,
  { delivery, digest, nowMs }: { readonly delivery: string; readonly digest: string; readonly nowMs: number },
): Pick<ReadEvidence, 'takenBefore' | 'staleSince' | 'replaced'> {
  const since = staleAfterMs === null ? null : sameSince(source, digest);
  const isStale = staleAfterMs !== null && since !== null && nowMs - Date.parse(since) >= staleAfterMs;
  const replaced = replacedContent(source, digest);
  return {
    ...(replaced === null ? {} : { replaced }),
    ...(isTaken(source, delivery, digest) ? { takenBefore: true } : {}),
    ...(isStale ? { staleSince: since } : {}),
  };
}
