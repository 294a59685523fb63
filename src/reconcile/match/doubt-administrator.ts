import { type MatchKey, nameMatchKey } from '../../model/comparison.js';
import type { Desired } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import type { Json } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { personalFields } from '../../model/person-fields.js';
import { isAdministrator } from '../../model/power.js';

const ADDRESSES: ReadonlySet<string> = new Set(personalFields('address'));

/**
 * True if a record that matches an administrator only by an address may be about another person. The names must match
 * as well; a missing name does not match.
 */
export function isDoubtedAdministrator(
  { entity, values }: Pick<Desired, 'entity' | 'values'>,
  observed: Observed,
  { match, by }: { readonly match: readonly MatchKey[]; readonly by: string },
): boolean {
  if (!isAccount(entity) || !isAdministrator(observed)) return false;
  const fields = match.find((key) => nameMatchKey(key) === by)?.fields ?? [];
  return fields.some((name) => ADDRESSES.has(name)) && !agrees(values.name, observed.values.name);
}

/** True if the names agree: `Berg, Anna` agrees with `Anna Berg`, and with `Anna Maria Berg`. */
function agrees(here: Json | undefined, there: Json | undefined): boolean {
  const [one, other] = [partsOf(here), partsOf(there)].sort((a, b) => a.size - b.size);
  if (one === undefined || other === undefined || one.size === 0) return false;
  return (one.size > 1 || other.size === 1) && [...one].every((part) => other.has(part));
}

function partsOf(name: Json | undefined): ReadonlySet<string> {
  if (typeof name !== 'string') return new Set();
  const plain = foldKey(name.normalize('NFKD').replace(/\p{M}/gu, ''));
  return new Set(plain.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== ''));
}
