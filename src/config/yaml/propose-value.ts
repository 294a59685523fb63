/** Likely meanings of a rejected value, by the value that the schema expects. */
const PROPOSALS: readonly (readonly [
  expected: RegExp,
  propose: (found: string) => string | null,
  otherwise: string,
])[] = [
  [/^expected a length of time/, proposeDuration, 'Write a number with its unit, as in `30s`.'],
  [/^expected a size/, proposeSize, 'Write a number with its unit, as in `64MiB`.'],
  [/^expected an address/, proposeAddress, 'Write the complete address, as in `https://acme.example.com`.'],
  [/^http:/, (found) => found.replace(/^http:/, 'https:'), 'Write the address with https://.'],
  [/^`\/api\/v1` is not/, (found) => found.replace(/\/api\/v1\/?$/, ''), 'Leave it out.'],
  [/^a secret is named by `env` or/, () => null, 'Remove one of the two.'],
  [/^a secret needs/, () => null, 'Write `{ env: NAME }` or `{ file: PATH }`.'],
  [
    /^this is not a valid name for an environment variable/,
    () => null,
    'Put the secret into an environment variable, and write its name, as in `{ env: TALENT_API_KEY }`.',
  ],
];

/** Proposes a value in a sentence; null if there is no proposal for the message. */
export function proposeValue(message: string, found: unknown): string | null {
  const row = PROPOSALS.find(([expected]) => expected.test(message));
  if (row === undefined) return null;
  const [, propose, otherwise] = row;
  const meant = typeof found === 'string' || typeof found === 'number' ? propose(String(found).trim()) : null;
  return meant === null ? otherwise : `Write \`${meant}\`.`;
}

const SIGNS: readonly (readonly [words: RegExp, sign: string])[] = [
  [/^(semicolon|semikolon|strichpunkt)$/i, ';'],
  [/^(comma|komma)$/i, ','],
  [/^(tab|tabs|tabulator|tsv|\\t)$/i, '\t'],
  [/^(pipe|bar|vertical bar)$/i, '|'],
];

/** Returns the character that a word names, in quotes. */
export function proposeSign(found: string): string | null {
  const sign = SIGNS.find(([words]) => words.test(found.trim()))?.[1];
  return sign === undefined ? null : JSON.stringify(sign);
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(ms|milliseconds?)$/i, 'ms'],
  [/^(|s|secs?|seconds?)$/i, 's'],
  [/^(m|mins?|minutes?)$/i, 'm'],
  [/^(h|hrs?|hours?)$/i, 'h'],
  [/^(d|days?)$/i, 'd'],
];

function proposeDuration(found: string): string | null {
  const [, number, word = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(found) ?? [];
  if (number === undefined) return null;
  if (/^(w|weeks?)$/i.test(word)) return `${Number(number) * 7}d`;
  const unit = UNITS.find(([words]) => words.test(word))?.[1];
  return unit === undefined ? null : `${number}${unit}`;
}

function proposeSize(found: string): string | null {
  const [, number, letter = 'M'] = /^([1-9]\d*)\s*([KMG])?i?B?$/i.exec(found) ?? [];
  return number === undefined ? null : `${number}${letter.toUpperCase()}iB`;
}

function proposeAddress(found: string): string | null {
  return /^[\w-]+(\.[\w-]+)+(:\d+)?(\/[\w./-]*)?$/.test(found) ? `https://${found}` : null;
}
