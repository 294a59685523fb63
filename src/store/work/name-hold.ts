import type { Hold } from '../../model/desired.js';
import { canonicalJson } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';

/**
 * The id of a hold, by what is held and not by where it stood: the next delivery has another name, and other lines. Only of
 * a row without a key is the line all that tells it from others.
 */
export function nameHold({ entity, key, place, code, reason, conflict, about }: Hold): string {
  if (conflict !== undefined) return conflict;
  const line = key === '?' ? (/:(\d+)$/.exec(place)?.[1] ?? '') : '';
  const said = about ?? withoutPlaces(reason, place);
  return sha256(canonicalJson([entity, key, code, line, said]));
}

/** `hr employees-2025.csv:17`, of this record and of others. */
const PLACE = /\S+ \S+\.\w+:\d+/g;

function withoutPlaces(reason: string, place: string): string {
  return place
    .split(' and ')
    .reduce((text, one) => (one === '' ? text : text.replaceAll(one, '')), reason)
    .replace(PLACE, '');
}
