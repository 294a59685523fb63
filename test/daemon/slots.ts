import type { Fleet } from './fleet.js';

/** The slots of a tenant's runs, in order. */
export function slotsOf(fleet: Fleet, tenant: string): readonly string[] {
  return fleet.log.filter((one) => one.msg === 'run starts' && one.tenant === tenant).map(({ slot }) => String(slot));
}
