import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import type { CertainPair } from '../store/work/finding-store.js';

/** What is written down is said with the run that found it. */
interface AdoptingRun {
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
  readonly contextOf: ContextOf;
  /** Gives other work its turn. */
  readonly pause: () => Promise<void>;
}

/**
 * Writes down what planning found to be certain: matches of records and unlinked objects, which from now on count as
 * owned, linked pairs with nothing left to do, which are passed over until one side moves, and pins that hold no longer.
 * Each is certain by itself: a run that is cut off in between leaves the rest to the next one, which finds the same.
 */
export async function adoptAndAgree(stores: Stores, run: AdoptingRun): Promise<void> {
  const { state, work, pins } = stores;
  state.transaction(() => {
    for (const { entity, key, path } of work.unpinned()) pins.unpin(entity, key, path);
  });
  for (const pairs of work.certainPairs()) {
    state.transaction(() => {
      for (const pair of pairs) settlePair(pair, stores, run);
    });
    await run.pause();
  }
}

function settlePair(
  { entity, key, adopted, agreed }: CertainPair,
  { links }: Pick<Stores, 'links'>,
  { run, at, contextOf }: AdoptingRun,
): void {
  if (adopted !== null) {
    // A link to a project is named by its two ends: when one gets another name, it goes along.
    const before = adopted.isTaken ? links.findByServiceId(entity, adopted.id) : null;
    if (before !== null && before.sourceKey !== key) links.unlink(entity, before.sourceKey);
    const pair = { entity, sourceKey: key, serviceId: adopted.id, origin: 'adopted', run, at } as const;
    if (agreed !== null && links.linkEqual(pair, { ...agreed, contextHash: contextOf(entity) })) return;
    links.link(pair);
  }
  if (agreed !== null) links.agree(entity, key, { ...agreed, contextHash: contextOf(entity) });
}
