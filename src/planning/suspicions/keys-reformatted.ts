import { cleanLine } from '../../model/clean-text.js';
import { type Entity, isLink } from '../../model/entity.js';
import { foldLooks } from '../../model/look-alikes.js';
import { foldKey } from '../../model/observed.js';
import { isScientific } from '../../model/sheet-number.js';
import type { Stores } from '../../store/open-stores.js';
import type { Doubt, SuspectRead } from './suspicion.js';

/** The number of pairs that the message names. */
const EXAMPLES = 3;
/** The number of keys with unusual characters that are compared with the keys of existing records. */
const MOST_STRANGE = 50;

/** An integer such as `1001`, also in the forms of spreadsheets and other programs: `1001.0`, `1,001`, `'1001`. */
const WHOLE_NUMBER = /^'?(\d{1,3}(?:[.,' ]\d{3})+|\d+)(?:[.,]0{1,2})?$/;
/** Printable ASCII. A key with any other character may only look like another key. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Suspects unknown keys that are known keys in another form. A spreadsheet has removed leading zeros, changed case or
 * formatted keys as numbers; or a letter belongs to another script. They mean neither new people nor a renumbering;
 * treating them in this way would cost people their accounts. A number that a spreadsheet has shortened is never a key,
 * known or not.
 */
export function* judgeKeysReformatted({
  entity,
  source,
  stores: { work },
}: SuspectRead): Generator<void, Doubt | null> {
  // The key of a link consists of the words for its two ends, so it changes with the spelling of these words.
  if (isLink(entity)) return null;
  const lost = new Map<string, string>();
  for (const key of work.lostKeys(entity)) lost.set(foldWriting(key), key);
  yield;
  const short: string[] = [];
  const pairs: string[] = [];
  let strange = 0;
  for (const key of work.freshKeys(entity, source)) {
    if (isScientific(key)) short.push(key);
    const known = lost.size === 0 ? undefined : lost.get(foldWriting(key));
    if (known !== undefined) pairs.push(`"${cleanLine(known)}" is ${showKey(key)} now`);
    else if (!PLAIN.test(key) && strange < MOST_STRANGE) {
      strange += 1;
      pairs.push(
        ...findBeside(entity, key, work).map((other) => `"${other}" exists, and ${showKey(key)} looks the same`),
      );
    }
  }
  if (short.length > 0) return doubtShortened(short);
  return pairs.length === 0 ? null : doubtRewritten(pairs);
}

function doubtRewritten(pairs: readonly string[]): Doubt {
  const found = pairs.length;
  return {
    limit: 0,
    found,
    cause: 'keys reformatted',
    detail: `${found === 1 ? '1 new key is a known key' : `${found} new keys are known keys`} written differently (leading zeros, capitals or signs in numbers, as a spreadsheet changes them, or letters that look alike): ${pairs.slice(0, EXAMPLES).join(', ')}`,
    remedy: 'Export the key column as text, in its original form.',
  };
}

function doubtShortened(keys: readonly string[]): Doubt {
  const count = keys.length === 1 ? '1 key is' : `${keys.length} keys are`;
  return {
    limit: 0,
    found: keys.length,
    cause: 'keys reformatted',
    detail: `a spreadsheet has shortened the keys: ${count} written like "${keys[0]}", which may stand for several numbers`,
    remedy: 'Export the key column as text, from the system itself: such a file no longer has the full numbers.',
  };
}

/** Finds at most one existing record under a key that looks the same. */
function findBeside(entity: Entity, key: string, work: Stores['work']): readonly string[] {
  const looks = foldLooks(key);
  return work
    .findStaged(entity, looks)
    .filter((other) => other !== key && foldLooks(other) === looks)
    .slice(0, 1);
}

/** Appends the list of look-alike characters. */
function showKey(key: string): string {
  return `"${cleanLine(key)}"${PLAIN.test(key) ? '' : ` (${listStrange(key)})`}`;
}

function listStrange(key: string): string {
  const signs = new Set([...key].filter((sign) => !PLAIN.test(sign)));
  return [...signs]
    .slice(0, EXAMPLES)
    .map((sign) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join(', ');
}

function foldWriting(key: string): string {
  const folded = foldKey(foldLooks(key));
  const digits = WHOLE_NUMBER.exec(folded)?.[1]?.replace(/\D/g, '');
  return (digits ?? folded).replace(/^0+(?=.)/, '');
}
