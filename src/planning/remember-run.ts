import { goInSteps } from '../base/clock.js';
import type { DerivedRun } from './derived-run.js';
import { noteNumbers } from './holds/guard-numbers.js';
import { forgetMoved } from './holds/hold-paused.js';
import { settleRestored } from './holds/hold-restored.js';
import { listWaiting } from './holds/list-waiting.js';
import { rememberHeld } from './holds/remember-held.js';
import { hasReadAll, settleDeclines } from './holds/settle-declines.js';
import type { RememberingTenant } from './reads/record-reads.js';
import { settleRemapped } from './remapped.js';

/** A tenant whose run may be stopped. */
export interface RememberingRun extends RememberingTenant {
  readonly refreshContext: { readonly signal: AbortSignal | undefined };
  /** The day used as today, if it is another one; such a run ends no decision. */
  readonly asOf?: string | null;
}

/**
 * Makes the conclusions of a run count from now on; a plan that is only viewed changes nothing. This comes after
 * everything that depends on an edited mapping (dropped pins, agreements) is on disk. If it is interrupted in between,
 * the next run finds the edit again.
 */
export async function rememberRun(
  tenant: RememberingRun,
  run: string,
  derived: DerivedRun,
  now: string,
): Promise<void> {
  const { config, stores } = tenant;
  derived.leavers.save(derived);
  settleRemapped(config, stores);
  noteNumbers(stores, now);
  const isToday = (tenant.asOf ?? null) === null;
  const mayEnd = isToday && derived.only === null;
  await goInSteps(rememberHeld(stores, derived, { run, at: now, mayEnd }), tenant.refreshContext.signal);
  if (isToday) {
    settleRestored(stores, derived, now);
    settleDeclines(stores, derived, now);
  }
  if (!isToday || derived.only !== null || derived.undoes !== null) return;
  forgetMoved(stores, derived.stopped);
  if (stores.acknowledgements.all().length > 0) forgetAcknowledged(tenant, derived, now);
}

/**
 * An acknowledgement ends with its hold; if the same hold occurs again, it is news. Only a run that has read everything
 * knows that a hold is gone.
 */
function forgetAcknowledged({ config, stores }: RememberingTenant, derived: DerivedRun, now: string): void {
  const { work, acknowledgements } = stores;
  if (!hasReadAll(derived)) return;
  const waiting = new Set(listWaiting({ config, stores }, now).flatMap(({ ids }) => ids));
  stores.state.transaction(() => {
    for (const id of acknowledgements.all()) if (!work.isHeldAs(id) && !waiting.has(id)) acknowledgements.forget(id);
  });
}
