import { isLink } from '../../model/entity.js';
import { foldKey } from '../../model/observed.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/** So many pairs are named. */
const EXAMPLES = 3;

/** A whole number as it is, `1001`, and as spreadsheets and other programs write it: `1001.0`, `1,001`, `'1001`. */
const WHOLE_NUMBER = /^'?(\d{1,3}(?:[.,' ]\d{3})+|\d+)(?:[.,]0{1,2})?$/;

/**
 * Keys that nobody knows and that are known ones in another writing: a spreadsheet has cut leading zeros, changed
 * capitals, or made numbers of them. These are no new people and no renumbering, and taken for either they would cost accounts.
 */
export function* judgeKeysReformatted({
  entity,
  source,
  stores: { work },
}: SuspectRead): Generator<void, Doubt | null> {
  // A link is named by the words for its two ends, and goes along when they are written otherwise.
  if (isLink(entity)) return null;
  const lost = new Map<string, string>();
  for (const key of work.lostKeys(entity)) lost.set(foldWriting(key), key);
  yield;
  if (lost.size === 0) return null;
  const examples: string[] = [];
  let found = 0;
  for (const key of work.freshKeys(entity, source)) {
    const known = lost.get(foldWriting(key));
    if (known === undefined) continue;
    found += 1;
    if (examples.length < EXAMPLES) examples.push(`"${known}" is "${key}" now`);
  }
  if (found === 0) return null;
  return {
    limit: 0,
    found,
    cause: 'keys reformatted',
    detail: `${found === 1 ? '1 new key is a known one' : `${found} new keys are known ones`} in another writing (leading zeros, capitals, signs in numbers): ${examples.join(', ')}`,
    remedy: 'Export the key column as text, written as it was.',
  };
}

function foldWriting(key: string): string {
  const folded = foldKey(key);
  const digits = WHOLE_NUMBER.exec(folded)?.[1]?.replace(/\D/g, '');
  return (digits ?? folded).replace(/^0+(?=.)/, '');
}
