import type { Config } from '../../config/config.js';
import type { Change, GuardTrip } from '../../model/plan.js';
import type { SourceChange } from '../../model/write-back.js';
import { effectiveLimit } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';
import type { Derivation } from '../derive-plan.js';
import { CONFIG_FACT } from '../guard-facts.js';
import { matchesOnly } from '../only.js';
import { deriveWriteBack, type WriteBackPlanning } from './derive-write-back.js';

/** Derives what is written back, narrows it to one object where that is asked for, and lets the guards judge it. */
export function planWriteBacks(
  context: WriteBackPlanning,
  derivation: Pick<Derivation, 'settingsOf' | 'now'>,
  only: string | null,
): readonly GuardTrip[] {
  const { stores, config } = context;
  const { work, history } = stores;
  deriveWriteBack(context, derivation);
  if (only !== null) {
    const matches = matchesOnly(only);
    work.keepOnlyWriteBack((change) => matches(asChange(change)));
  }
  for (const [changeId, { id, who, reason }] of history.approvalsAt(derivation.now))
    work.approveWriteBack(changeId, `${id} by ${who}: ${reason || 'no reason given'}`);
  const trips = holdOverwritten(config, stores);
  work.propagateToWriteBack();
  return trips;
}

/** As the selector of an object reads it. */
function asChange({ entity, key, label }: SourceChange): Change {
  return { entity, key, label, target: null, before: {}, after: {} } as unknown as Change;
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
