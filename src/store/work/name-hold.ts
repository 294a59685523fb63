import type { Hold } from '../../model/desired.js';
import { canonicalJson } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';

/**
 * Computes the id of a hold from its content instead of its place, because the next delivery has another name and other
 * lines. Only a row without a key is identified by its line.
 */
export function nameHold({ entity, key, place, code, reason, conflict, about }: Hold): string {
  if (conflict !== undefined) return conflict;
  const line = key === '?' ? (/:(\d+)$/.exec(place)?.[1] ?? '') : '';
  const said = about ?? withoutPlaces(reason, place);
  return sha256(canonicalJson([entity, key, code, line, said]));
}

/** A place such as `hr employees-2025.csv:17`, of this record or of others. */
const PLACE = /\S+ \S+\.\w+:\d+/g;

function withoutPlaces(reason: string, place: string): string {
  return place
    .split(' and ')
    .reduce((text, one) => (one === '' ? text : text.replaceAll(one, '')), reason)
    .replace(PLACE, '');
}
