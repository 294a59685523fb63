import { ENTITIES } from '../model/entity.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import type { CertainPair } from '../store/work/finding-store.js';

/** The id of the run, which is stored with every result. */
interface AdoptingRun {
  readonly run: string;
  /** The time to store, as ISO 8601. */
  readonly at: string;
  readonly contextOf: ContextOf;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/**
 * Stores the planning results that are certain. Matched records and objects become linked and owned. Linked pairs with
 * equal values are skipped until one side changes. Pins that no longer apply are removed. Each result is stored
 * independently. If a run is interrupted, the next run stores the rest.
 */
export async function adoptAndAgree(stores: Stores, run: AdoptingRun): Promise<void> {
  const { state, work, pins, links } = stores;
  const { run: by, at, contextOf } = run;
  state.transaction(() => {
    for (const { entity, key, path } of work.unpinned()) pins.unpin(entity, key, path);
  });
  for (const entity of ENTITIES) {
    for (const pairs of work.equalPairs(entity)) {
      state.transaction(() => links.linkAllEqual(pairs, { run: by, at, contextHash: contextOf(entity) }));
      await run.pause();
    }
  }
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
    // The key of a project link consists of its two ends, so the link is renamed when an end is.
    const before = adopted.isTaken ? links.findByServiceId(entity, adopted.id) : null;
    if (before !== null && before.sourceKey !== key) links.unlink(entity, before.sourceKey);
    const pair = { entity, sourceKey: key, serviceId: adopted.id, origin: 'adopted', run, at } as const;
    if (agreed !== null && links.linkEqual(pair, { ...agreed, contextHash: contextOf(entity) })) return;
    links.link(pair);
  }
  if (agreed !== null) links.agree(entity, key, { ...agreed, contextHash: contextOf(entity) });
}
