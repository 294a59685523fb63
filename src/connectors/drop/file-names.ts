import { compareTexts } from '../../model/compare-texts.js';

/**
 * True if a name matches a pattern. `*` matches any characters, `?` one character, and any other character itself. The
 * loop returns only to the last star, so no pattern can cause long backtracking as in a regular expression.
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

/** True if at least one name could match both patterns. */
export function haveCommonName(a: string, b: string): boolean {
  // `can[i][j]` is true if a name can match both the rest of `a` from i and the rest of `b` from j. The table is filled
  // from the ends to the starts.
  const can = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => false));
  const at = (i: number, j: number): boolean => can[i]?.[j] ?? false;
  const canFrom = (i: number, j: number): boolean => {
    const [x, y] = [a[i], b[j]];
    // A star either ends or consumes the opposite character; both are one step on one side.
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

/**
 * Compares names in natural order. Runs of digits are compared as numbers, so `part-10` comes after `part-9`. Everything
 * else is compared by code unit.
 */
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
/** Matches a date or a time with its separators, and the number that a browser appends to a name. */
export const CHANGING_PART = new RegExp(
  `(?:(?:\\d+|(?<![a-z])${MONTH}(?![a-z])|(?<=[\\d\\s])[ap]m(?![a-z])|(?<=\\d[-_ ]?)(?:[ecmp][sd]t|gmt|bst|utc|cest?|mes?z)(?![a-z]))[-_.T:, ]*)+`,
  'gi',
);

/** Returns the letters that all deliveries share: `userscsv` for `users_* AM.csv` and `users_11_18_2026 3_42_11 PM.csv`. */
export function lastingName(name: string): string {
  return name
    .replaceAll(/[*?]/g, '0')
    .replaceAll(CHANGING_PART, '')
    .replaceAll(/[^\p{L}]/gu, '')
    .toLowerCase();
}
