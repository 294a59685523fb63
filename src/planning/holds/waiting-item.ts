import { sortNaturally } from '../../model/compare-texts.js';
import type { Acknowledgement } from '../../model/desired.js';
import { sha256 } from '../../model/sha256.js';
import type { WaitingItem, WaitingKind } from '../../model/waiting.js';

/** The number of keys shown for one cause. */
export const KEYS_TOLD = 5;

export function acknowledgedBy(known: Acknowledgement | undefined): Pick<WaitingItem, 'acknowledged'> {
  return known === undefined ? {} : { acknowledged: known };
}

export function nameItem(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts));
}

export function firstOf(keys: readonly string[]): readonly string[] {
  return sortNaturally(keys, (key) => key).slice(0, KEYS_TOLD);
}

export function plainItem(kind: WaitingKind, of: string, count: number) {
  return { kind, of, count, id: nameItem(kind, of), code: null, since: null, until: null, keys: [] };
}
