import { foldText, splitHeader } from './header-words.js';
import data from './meanings.json' with { type: 'json' };

/** A word of a status: at work, gone, not there yet, or of an account, which says nothing sure of the person. */
export type Standing = 'here' | 'left' | 'later' | 'doubtful';

const PHRASES: ReadonlyMap<string, Standing> = new Map(
  Object.entries(data.standings).flatMap(([standing, text]) =>
    text.split(',').map((phrase) => [foldText(phrase), standing as Standing] as const),
  ),
);
const LEFT_WORDS: ReadonlySet<string> = new Set(data.left.split(' '));
/** `Active - Leave of absence`: the first word says it, and the rest how. */
const LEADING = /^(?:acti|akti|ativ|atti|akty|employed|leave|suspended|future|prehire)/;
/** Of the codes that ADP, PeopleSoft and SAP write, those that mean the same everywhere. */
const CODES: ReadonlyMap<string, Standing> = new Map([
  ['a', 'here'],
  ['l', 'here'],
  ['p', 'here'],
  ['t', 'left'],
  ['r', 'left'],
  ['d', 'left'],
  ['i', 'left'],
]);

/** Null where the word is not known. */
export function standingOf(text: string): Standing | null {
  const known = PHRASES.get(foldText(text));
  if (known !== undefined) return known;
  const words = splitHeader(text);
  if (words.some((word) => LEFT_WORDS.has(word))) return 'left';
  const [first = ''] = words;
  return LEADING.test(first) ? (PHRASES.get(first) ?? null) : null;
}

/** The same of a list of words, which may be letters: `A` is a word of a status only next to another of its letters. */
export function readStandings(words: readonly string[]): ReadonlyMap<string, Standing | null> {
  const isCoded = words.some((word) => /^a$/i.test(word)) && words.every((word) => word.length === 1);
  return new Map(words.map((word) => [word, isCoded ? (CODES.get(word.toLowerCase()) ?? null) : standingOf(word)]));
}
