import { type Call, SYSTEM_NAMES, type SystemName } from './door.js';

export interface Size {
  readonly calls: number;
  readonly writes: number;
}

/** The calls of a run, by system. */
export type Sizes = Readonly<Record<SystemName, Size>>;

/** The calls that an earlier run with a fault may have left. */
export const LITTLE: Sizes = {
  service: { calls: 12, writes: 2 },
  'identity provider': { calls: 3, writes: 1 },
  CRM: { calls: 4, writes: 2 },
};

export function measure(taken: Taken): Sizes {
  return bySystem((name) => ({
    calls: taken[name].length,
    writes: taken[name].filter(({ isWrite }) => isWrite).length,
  }));
}

/** The calls since the last look, by system. */
export type Taken = Readonly<Record<SystemName, readonly Call[]>>;

export function bySystem<T>(make: (name: SystemName) => T): Readonly<Record<SystemName, T>> {
  return Object.fromEntries(SYSTEM_NAMES.map((name) => [name, make(name)])) as Record<SystemName, T>;
}
