import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import type { NamedHold } from '../model/desired.js';
import { openPlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { nameHold } from '../store/work/name-hold.js';
import type { CommandContext } from './context.js';
import { withStores } from './with-stores.js';

export interface ListedHold extends NamedHold {
  /** Whether a person may say which side is right. */
  readonly decidable: boolean;
}

/** What the newest plan or run has set aside and nobody has decided since, with what is acknowledged of it by now. */
export function readHolds(
  context: CommandContext,
): Promise<{ readonly plan: string; readonly holds: readonly ListedHold[] }> {
  const file = findPlanFile(plansFolder(context.config), null, 'all');
  return withStores(context, async (stores) => {
    const document = await openPlanDocument(file, stores.planKey());
    const known = stores.acknowledgements.inForce(isoNow(context.clock));
    const holds: ListedHold[] = [];
    for await (const { acknowledged: _then, ...hold } of document.holds()) {
      const { conflict } = hold;
      if (conflict !== undefined && stores.outbox.resolution(conflict) !== null) continue;
      // Plans of earlier versions have no ids.
      const id = hold.id ?? nameHold(hold);
      const acknowledged = known.get(id);
      holds.push({
        ...hold,
        id,
        decidable: conflict !== undefined,
        ...(acknowledged === undefined ? {} : { acknowledged }),
      });
    }
    return { plan: document.meta.plan, holds };
  });
}

/** @throws SyncError SYNC_HOLD_UNKNOWN where no hold, or several, begin with `id` */
export async function findHold(context: CommandContext, id: string): Promise<ListedHold> {
  const { plan, holds } = await readHolds(context);
  const found = holds.filter((hold) => hold.id.startsWith(id));
  const [hold] = found;
  if (hold !== undefined && new Set(found.map((one) => one.id)).size === 1) return hold;
  throw new SyncError('SYNC_HOLD_UNKNOWN', {
    message: found.length > 1 ? `"${id}" names ${found.length} holds.` : `Nothing is held as "${id}".`,
    place: plan,
    remedy: '`talent-sync holds list` shows what is held, with their ids.',
  });
}
