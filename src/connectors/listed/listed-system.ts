import type { Dialect } from './dialect.js';
import type { Preset } from './preset.js';
import type { WriteStrategy } from './write-strategy.js';

/** How a system is read and written to, beyond the configuration. */
export interface ListedSystem {
  /** For people: `CRM`. */
  readonly noun: string;
  readonly read: Dialect;
  readonly write: WriteStrategy;
  /** Why an absence from a complete list proves nothing; null or absent if it does prove something. */
  readonly absence?: string | null;
}

/** A system whose streams ship with their columns. */
export interface Vendor extends Omit<ListedSystem, 'noun'> {
  readonly preset: Preset;
}

/** Returns a system that the configuration has checked to exist. */
export function findSystem<System>(systems: Readonly<Record<string, System>>, dialect: string): System {
  const system = systems[dialect];
  if (system === undefined) throw new Error(`no system is called ${dialect}`);
  return system;
}
