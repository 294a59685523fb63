import type { ConnectorContext } from '../connector.js';
import { formatWait, refuseUnsettled } from './faults.js';
import type { FileFacts } from './file-system.js';
import { type DropStore, isSameFile } from './store.js';

/** The maximum time that a typed command waits for a file. If the file needs longer, the command says when to try again. */
const LONGEST_WAIT_MS = 120_000;

export interface Settling {
  /** The name of the source under which the observed state of its files is remembered. */
  readonly source: string;
  readonly store: DropStore;
  readonly settleMs: number;
  readonly context: Pick<ConnectorContext, 'clock' | 'deliveries' | 'onUnsettled'>;
}

/**
 * The time for which a file without a manifest, a trailer or `.done` must stay unchanged before it counts as complete,
 * in milliseconds; 0 for a complete file.
 *
 * | the file                                                          | complete                  |
 * |-------------------------------------------------------------------|---------------------------|
 * | changed at least `settle` ago, allowing for different clocks      | now                       |
 * | size, time and inode as in any run's look at least `settle` ago   | now                       |
 * | anything else, including a time in the future                     | `settle` after that look  |
 */
export function restOf({ source, store, settleMs, context }: Settling, name: string, facts: FileFacts): number {
  if (settleMs === 0) return 0;
  const now = context.clock.now();
  const ageMs = now - facts.mtimeMs;
  if (ageMs - store.clockErrorMs >= settleMs) return 0;
  const print = `${facts.size}|${Math.round(facts.mtimeMs)}|${facts.inode}`;
  const since = context.deliveries.unchangedSince(source, name, print, now);
  const byLook = settleMs - (now - since);
  const byAge = ageMs >= 0 && store.clockErrorMs === 0 ? settleMs - ageMs : byLook;
  return Math.max(0, Math.min(byLook, byAge));
}

/**
 * Resolves once the file may be read. A typed command waits and prints the reason; a run of the daemon leaves the file
 * to the next run.
 *
 * @throws SyncError SYNC_SOURCE_UNSETTLED
 */
export async function waitUntilWhole(
  settling: Settling,
  name: string,
  facts: FileFacts,
  signal?: AbortSignal,
): Promise<void> {
  const { source, store, settleMs, context } = settling;
  const at = store.locate(name);
  const restMs = restOf(settling, name, facts);
  if (restMs === 0 || (await store.stat(`${name}.done`)) !== null) return;
  if (context.onUnsettled === null || restMs > LONGEST_WAIT_MS) throw refuseUnsettled(at, { restMs, settleMs });
  context.onUnsettled(
    `Waiting ${formatWait(restMs)} for ${at} (${source}): the sender may still be writing it. To avoid the wait, put an empty \`<file>.done\` next to it, or shorten \`settle\`.`,
  );
  await context.clock.sleep(restMs, signal);
  const now = await store.stat(name);
  if (now === null || !isSameFile(now, facts)) throw refuseUnsettled(at, { restMs: settleMs, settleMs });
}
