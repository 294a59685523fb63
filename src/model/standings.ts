import { foldText, splitHeader } from './fold-words.js';
import data from './standings.json' with { type: 'json' };

const STANDINGS = ['here', 'kind', 'away', 'left', 'later', 'doubtful'] as const;
/** A word of a status: at work, the kind of work, on leave, gone, not there yet, or of an account, which says nothing sure of the person. */
export type WorkStanding = (typeof STANDINGS)[number];

const PHRASES: ReadonlyMap<string, WorkStanding> = new Map(
  STANDINGS.flatMap((standing) => data[standing].split(',').map((phrase) => [foldText(phrase), standing] as const)),
);
/** Each of them says so, whatever stands next to it. */
const LEFT_WORDS: ReadonlySet<string> = new Set(data.leftWords.split(' '));
const NOT_YET =
  /\b(?:not yet|noch nicht|ikke begynt|ej börjat|nog niet|pas encore|todavía no|ancora non|jeszcze nie)\b/i;
/** `Inactive - Leave`: who is away comes back. */
const AWAY =
  /^(?:leave|loa|elternzeit|mutterschutz|permisjon|tjanstledig|foraldraledig|orlov|barsel|conge|verlof|urlop|sabbatical)$/;
/** `Active - Leave of absence`: the first word says it, and the rest how. */
const LEADING = /^(?:acti|akti|ativ|atti|akty|employed|leave|suspended|future|prehire)/;
/** Of the codes that ADP, PeopleSoft and SAP write, those that mean the same everywhere. */
const CODES: ReadonlyMap<string, WorkStanding> = new Map([
  ['a', 'here'],
  ['l', 'away'],
  ['p', 'away'],
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
export function readStanding(text: string): WorkStanding | null {
  const known = PHRASES.get(foldText(text));
  if (known !== undefined) return known;
  const words = splitHeader(text);
  if (NOT_YET.test(text)) return 'later';
  if (words.some((word) => AWAY.test(word))) return 'away';
  if (words.some((word) => LEFT_WORDS.has(word))) return 'left';
  const [first = ''] = words;
  return LEADING.test(first) ? (PHRASES.get(first) ?? null) : null;
}

/** The same of a list of words, which may be letters: `A` is a word of a status only next to another of its letters. */
export function readStandings(words: readonly string[]): ReadonlyMap<string, WorkStanding | null> {
  const isCoded = words.some((word) => /^a$/i.test(word)) && words.every((word) => word.length === 1);
  return new Map(words.map((word) => [word, isCoded ? (CODES.get(word.toLowerCase()) ?? null) : readStanding(word)]));
}

/** Whether a word says that somebody is at work: no rule has to name it. */
export function saysPresent(word: string): boolean {
  return ['here', 'kind'].includes(readStanding(word) ?? '') || /^(?:a|yes|true)$/i.test(word.trim());
}
