import type { Dialect } from './dialect.js';
import type { Preset } from './vendors/preset.js';
import type { WriteStrategy } from './vendors/write-strategy.js';

/** How a CRM is asked and written to, beyond what is in the configuration. */
export interface CrmSystem {
  readonly read: Dialect;
  readonly write: WriteStrategy;
}

/** One whose streams ship with their columns. */
export interface Vendor extends CrmSystem {
  readonly preset: Preset;
}
