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
const NOT_YET =
  /\b(?:not yet|noch nicht|ikke begynt|ej börjat|nog niet|pas encore|todavía no|ancora non|jeszcze nie)\b/i;
/** `Inactive - Leave`: who is away comes back. */
const AWAY =
  /^(?:leave|loa|elternzeit|mutterschutz|permisjon|tjanstledig|foraldraledig|orlov|barsel|conge|verlof|urlop|sabbatical)$/;
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

/** A word for who does not work, which says that they have left only where no other does. */
export function isInactive(word: string): boolean {
  return /^(?:in|un|nie)(?:a[ck]t|att|akty)/.test(foldText(word)) || /^i$/i.test(word);
}

/** Null where the word is not known. */
export function standingOf(text: string): Standing | null {
  const known = PHRASES.get(foldText(text));
  if (known !== undefined) return known;
  const words = splitHeader(text);
  if (NOT_YET.test(text)) return 'later';
  if (words.some((word) => AWAY.test(word))) return 'here';
  if (words.some((word) => LEFT_WORDS.has(word))) return 'left';
  const [first = ''] = words;
  return LEADING.test(first) ? (PHRASES.get(first) ?? null) : null;
}

/** The same of a list of words, which may be letters: `A` is a word of a status only next to another of its letters. */
export function readStandings(words: readonly string[]): ReadonlyMap<string, Standing | null> {
  const isCoded = words.some((word) => /^a$/i.test(word)) && words.every((word) => word.length === 1);
  return new Map(words.map((word) => [word, isCoded ? (CODES.get(word.toLowerCase()) ?? null) : standingOf(word)]));
}
