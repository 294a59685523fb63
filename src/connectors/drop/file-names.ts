import { compareTexts } from '../../model/compare-texts.js';

/**
 * `*` any run of characters, `?` one character, everything else itself. A walk with one point of return instead of a regular
 * expression: it cannot backtrack for seconds, whatever the pattern.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  let n = 0;
  let p = 0;
  let star = -1;
  let retry = 0;
  while (n < name.length) {
    if (pattern[p] === '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      n++;
      p++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Whether there is a name that two patterns both match. */
export function haveCommonName(a: string, b: string): boolean {
  // From the ends to the starts: whether what is left of `a` from i and of `b` from j can be one name.
  const can = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => false));
  const at = (i: number, j: number): boolean => can[i]?.[j] ?? false;
  const canFrom = (i: number, j: number): boolean => {
    const [x, y] = [a[i], b[j]];
    // A star ends, or takes what is opposite: both are one step on one of the two sides.
    if (x === '*' || y === '*') return at(i + 1, j) || at(i, j + 1);
    if (x === undefined || y === undefined) return x === y;
    return (x === y || x === '?' || y === '?') && at(i + 1, j + 1);
  };
  for (let i = a.length; i >= 0; i--) {
    const row = can[i] ?? [];
    for (let j = b.length; j >= 0; j--) row[j] = canFrom(i, j);
  }
  return at(0, 0);
}

/** Natural order: runs of digits compare as numbers, so `part-10` comes after `part-9`, all else by code unit. */
export function compareNames(a: string, b: string): number {
  const left = splitDigits(a);
  const right = splitDigits(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareParts(left[i] ?? '', right[i] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length || compareTexts(a, b);
}

function splitDigits(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareTexts(a, b);
  const left = a.replace(/^0+/, '');
  const right = b.replace(/^0+/, '');
  return left.length - right.length || compareTexts(left, right);
}

const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|mrz|okt|dez|des|gen|mag|giu|lug|ago|set|ott|dic|ene|abr|fev|avr|juin|juil|aou|maj)[a-z]*';
/** A day or a time, with what stands between its parts, and the number that a browser writes behind a name. */
export const CHANGING_PART = new RegExp(
  `(?:(?:\\d+|(?<![a-z])${MONTH}(?![a-z])|(?<=[\\d\\s])[ap]m(?![a-z])|(?<=\\d[-_ ]?)(?:[ecmp][sd]t|gmt|bst|utc|cest?|mes?z)(?![a-z]))[-_.T:, ]*)+`,
  'gi',
);

/** The letters that each delivery has, of a name or a pattern: `userscsv` of `users_* AM.csv` and `users_11_18_2026 3_42_11 PM.csv`. */
export function lastingName(name: string): string {
  return name
    .replaceAll(/[*?]/g, '0')
    .replaceAll(CHANGING_PART, '')
    .replaceAll(/[^\p{L}]/gu, '')
    .toLowerCase();
}
