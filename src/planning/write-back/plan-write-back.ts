import type { Config } from '../../config/config.js';
import type { GuardTrip } from '../../model/plan.js';
import { judgeNumber, withCount } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';
import type { Derivation } from '../derive-plan.js';
import { CONFIG_FACT } from '../guard-facts.js';
import { createGuardNumbers } from '../holds/guard-numbers.js';
import { createHeldMemory, describeSince, type HeldByGuard } from '../holds/held-memory.js';
import { deriveWriteBack, type WriteBackPlanning } from './derive-write-back.js';
import { holdDeclinedCells } from './hold-declined-cells.js';

/** Plans the write-backs and applies the guards to them. */
export function planWriteBacks(
  context: WriteBackPlanning,
  derivation: Pick<Derivation, 'settingsOf' | 'now'>,
): readonly GuardTrip[] {
  const { stores, config } = context;
  const { work, history } = stores;
  deriveWriteBack(context, derivation);
  const declined = holdDeclinedCells(context, derivation.now);
  const approvals = history.approvalsAt(derivation.now);
  for (const [changeId, { id, who, reason }] of approvals)
    work.approveWriteBack(changeId, `${id} by ${who}: ${reason || 'no reason given'}`);
  const trips = holdOverwritten(config, stores, derivation.now);
  const again = createHeldMemory(stores, { approvals, timezone: config.timezone, now: derivation.now }).holdAgain(
    'source',
  );
  work.propagateToWriteBack();
  return [...declined, ...trips, ...again.map(describeAgain)];
}

function describeAgain({ guard, found, held, since = '' }: HeldByGuard): GuardTrip {
  return { guard, limit: 0, found, held, cause: 'real events', detail: describeSince(since) };
}

/** If many records lose their values in one run, the service may show nothing, or a mapping may be wrong. */
function holdOverwritten({ sourceGuards, digest }: Config, stores: Stores, now: string): readonly GuardTrip[] {
  const { work, history } = stores;
  const numbers = createGuardNumbers(stores, now);
  const before = history.fact(CONFIG_FACT);
  const isEdited = before !== null && before !== digest;
  return Object.entries(work.overwritten()).flatMap(([source, count]): readonly GuardTrip[] => {
    const limit = sourceGuards[source];
    if (limit === undefined) return [];
    const scope = `sources.${source}`;
    const excess = judgeNumber({ scope, what: 'overwrite', inRun: count }, limit, numbers);
    if (excess === null) return [];
    const guard = `${scope}.overwrite`;
    const held = work.withholdWriteBack(source, { by: 'guard', name: guard });
    const cause = isEdited ? 'configuration changed' : 'real events';
    const detail = isEdited
      ? 'the configuration differs from that of the last applied run'
      : `${count} of ${work.backed(source)} linked records of ${source} would lose their values, and the configuration is unchanged`;
    return [{ ...withCount({ guard, ...excess }, { cause, detail }), held }];
  });
}
