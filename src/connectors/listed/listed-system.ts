import type { Dialect } from './dialect.js';
import type { Preset } from './preset.js';
import type { WriteStrategy } from './write-strategy.js';

/** How a system is asked and written to, beyond what is in the configuration. */
export interface ListedSystem {
  /** As people call it: `CRM`. */
  readonly noun: string;
  readonly read: Dialect;
  readonly write: WriteStrategy;
  /** Why absence from a complete list proves nothing; null or absent where it does. */
  readonly absence?: string | null;
}

/** One whose streams ship with their columns. */
export interface Vendor extends Omit<ListedSystem, 'noun'> {
  readonly preset: Preset;
}

/** The rules that a configuration has checked to be there. */
export function findSystem<System>(systems: Readonly<Record<string, System>>, dialect: string): System {
  const system = systems[dialect];
  if (system === undefined) throw new Error(`no system is called ${dialect}`);
  return system;
}
