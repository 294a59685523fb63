import type { ChangeResult } from '../../apply/apply-plan.js';
import type { PlannedChange } from '../../model/plan.js';
import type { SignalKind } from '../../model/signal.js';
import type { RunEnd } from '../../operations/run.js';
import type { CallRecord } from '../../service/call.js';

/** Receives the events of the tenants' runs as they happen. */
export interface TenantWatcher {
  onCall(tenant: string, call: CallRecord): void;
  onChange(tenant: string, change: PlannedChange, result: ChangeResult): void;
  /** @param end null if the run failed before its end */
  onRun(tenant: string, end: RunEnd | null, seconds: number): void;
  /** Slots of the schedule that passed without a separate run. */
  onMissed(tenant: string, slots: number): void;
  /** A run for a signalled change has ended. @param seconds since the signal */
  onSignal(tenant: string, kind: SignalKind, seconds: number): void;
  onReload(tenant: string, isGood: boolean): void;
}
