import type { Config } from '../../config/config.js';
import type { GuardTrip } from '../../model/plan.js';
import { effectiveLimit } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';
import type { Derivation } from '../derive-plan.js';
import { CONFIG_FACT } from '../guard-facts.js';
import { deriveWriteBack, type WriteBackPlanning } from './derive-write-back.js';

/** Derives what is written back, and lets the guards judge it. */
export function planWriteBacks(
  context: WriteBackPlanning,
  derivation: Pick<Derivation, 'settingsOf' | 'now'>,
): readonly GuardTrip[] {
  const { stores, config } = context;
  const { work, history } = stores;
  deriveWriteBack(context, derivation);
  for (const [changeId, { id, who, reason }] of history.approvalsAt(derivation.now))
    work.approveWriteBack(changeId, `${id} by ${who}: ${reason || 'no reason given'}`);
  const trips = holdOverwritten(config, stores);
  work.propagateToWriteBack();
  return trips;
}

/** Many records that lose what they say at once look like a service that shows nothing, or a mapping that went wrong. */
function holdOverwritten({ sourceGuards, digest }: Config, { work, history }: Stores): readonly GuardTrip[] {
  const before = history.fact(CONFIG_FACT);
  const isEdited = before !== null && before !== digest;
  return Object.entries(work.overwritten()).flatMap(([source, found]): readonly GuardTrip[] => {
    const limit = sourceGuards[source];
    if (limit === undefined) return [];
    const backed = work.backed(source);
    const allowed = effectiveLimit(limit, backed);
    if (found <= allowed) return [];
    const guard = `sources.${source}.overwrite`;
    const held = work.withholdWriteBack(source, { by: 'guard', name: guard });
    return [
      {
        guard,
        limit: allowed,
        found,
        held,
        cause: isEdited ? 'configuration changed' : 'real events',
        detail: isEdited
          ? 'the configuration differs from the one of the last applied run'
          : `${found} of ${backed} linked records of ${source} would lose what they say, and the configuration is unchanged`,
      },
    ];
  });
}
