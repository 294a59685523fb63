import { type Change, movesLink, SOURCE_KEY } from '../model/plan.js';
import { LINK } from '../model/undo.js';
import type { Stores } from '../store/open-stores.js';

/**
 * Moves a link to another key or to an object without a link, or removes it. Runs in the transaction that records the
 * end, before anything is stored under the new key. A key that is linked again may also be matched again.
 */
export function moveLink(
  { links, pins }: Pick<Stores, 'links' | 'pins'>,
  change: Pick<Change, 'action' | 'entity' | 'before' | 'after'>,
  serviceId: string,
  { run, at }: { readonly run: string; readonly at: string },
): void {
  if (!movesLink(change)) return;
  const { entity, before, after } = change;
  const [from, to] = [before[SOURCE_KEY], after[SOURCE_KEY]];
  if (typeof from === 'string' && typeof to === 'string') links.move(entity, from, to, { run, at });
  else if (typeof to === 'string') links.link({ entity, sourceKey: to, serviceId, origin: 'adopted', run, at });
  else if (typeof from === 'string') links.unlink(entity, from);
  if (typeof to === 'string') pins.unpin(entity, to, LINK);
}
