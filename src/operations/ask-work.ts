import type { TenantOperation } from './operation.js';
import type { ToldWork, WorkOrder } from './work-order.js';

/* Work that a daemon does in its turn. These operations are only sent to a daemon; a command next to the state does the work itself. */

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
