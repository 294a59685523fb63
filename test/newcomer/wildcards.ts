/**
 * The parts that differ between runs and are never compared: each kind matches any text of its kind. If a page shows
 * `…`, anything
 * may follow, and a line with only `…` matches any lines.
 */
const KINDS: readonly (readonly [name: string, pattern: string])[] = [
  ['stamp', '\\b[a-z]?\\d{8}T\\d{6,9}Z(?:-[0-9a-f]{6}\\b)?'],
  ['moment', '\\b\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d(?::\\d\\d)?(?:\\.\\d+)?(?: UTC|Z)?'],
  ['uuid', '\\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b'],
  ['id or digest', '\\b[0-9a-f]{12,64}\\b'],
  ['duration', '\\b(?:an? |\\d+(?:\\.\\d+)? ?)(?:ms|s|seconds?|minutes?|min)\\b'],
  ['size', '\\b\\d+(?:\\.\\d+)? (?:[KM]iB|bytes)\\b'],
  ['process', '\\(\\w+: \\w+, process \\d+ on [\\w.-]+\\)'],
  ['number of a process', '"pid":\\d+'],
];

const ANY_KIND = new RegExp(KINDS.map(([, pattern]) => `(${pattern})`).join('|'), 'g');

interface Token {
  readonly kind: string;
  readonly pattern: string;
  readonly text: string;
}

function listTokens(text: string): readonly (Token | string)[] {
  const parts: (Token | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(ANY_KIND)) {
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    parts.push(text.slice(end, match.index), { kind: kind?.[0] ?? '', pattern: kind?.[1] ?? '', text: match[0] });
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/** Replaces everything that differs between runs with the name of its kind. */
export function hideWhatDiffers(text: string): string {
  return listTokens(text)
    .map((part) => (typeof part === 'string' ? part : `‹${part.kind}›`))
    .join('');
}

/**
 * Compares the actual output with a page.
 *
 * @returns the actual text for each id and time on the page; null if the two differ
 */
export function matchShown(shown: string, printed: string, isWhole: boolean): ReadonlyMap<string, string> | null {
  const tokens: string[] = [];
  const lines = shown.split('\n').slice(0, -1);
  const pattern = lines.map((line) => {
    if (line.trim() === '…') return '(?:.*\\n)*?';
    const parts = listTokens(line).map((part) => {
      if (typeof part === 'string') return part.split('…').map(escapePattern).join('.*');
      tokens.push(part.text);
      return `(${part.pattern})`;
    });
    return `${parts.join('')} *\\n`;
  });
  const match = new RegExp(`^${pattern.join('')}${isWhole ? '$' : ''}`).exec(printed);
  return match === null ? null : new Map(tokens.map((token, index) => [token, match[index + 1] ?? '']));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
