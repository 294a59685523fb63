import type { Dialect } from './dialect.js';
import type { Preset } from './preset.js';
import type { WriteStrategy } from './write-strategy.js';

/** The rules for reading and writing a system that are not in the configuration. */
export interface ListedSystem {
  /** The noun in messages, such as `CRM`. */
  readonly noun: string;
  readonly read: Dialect;
  readonly write: WriteStrategy;
  /** The reason why an absence from a complete list proves nothing; null or missing if absences count. */
  readonly absence?: string | null;
}

/** A system with predefined streams and columns. */
export interface Vendor extends Omit<ListedSystem, 'noun'> {
  readonly preset: Preset;
}

/** Returns a system. The configuration has checked that it exists. */
export function findSystem<System>(systems: Readonly<Record<string, System>>, dialect: string): System {
  const system = systems[dialect];
  if (system === undefined) throw new Error(`no system is called ${dialect}`);
  return system;
}
