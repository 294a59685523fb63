import type { TenantOperation } from './operation.js';
import type { ToldWork, WorkOrder } from './work-order.js';

/* What a daemon does in its turn, and a command beside the state by itself: asked of a daemon alone. */

export const PLAN_NOW: TenantOperation<WorkOrder, ToldWork> = {
  name: 'planNow',
  needs: 'a turn',
  perform: failBesideState,
};
export const RUN_NOW: TenantOperation<WorkOrder, ToldWork> = {
  name: 'runNow',
  needs: 'a turn',
  perform: failBesideState,
};

function failBesideState(): never {
  throw new Error('asked beside the state');
}
