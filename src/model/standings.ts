import { foldText, splitHeader } from './fold-words.js';
import data from './standings.json' with { type: 'json' };

const STANDINGS = ['here', 'kind', 'away', 'left', 'later', 'doubtful'] as const;
/**
 * The meaning of a status: at work, a kind of work, on leave, gone, not started yet, or about the account only. The last says
 * nothing about the person.
 */
export type WorkStanding = (typeof STANDINGS)[number];

const PHRASES: ReadonlyMap<string, WorkStanding> = new Map(
  STANDINGS.flatMap((standing) => data[standing].split(',').map((phrase) => [foldText(phrase), standing] as const)),
);
/** Words that mean that a person has left, whatever the other words say. */
const LEFT_WORDS: ReadonlySet<string> = new Set(data.leftWords.split(' '));
const NOT_YET =
  /\b(?:not yet|noch nicht|ikke begynt|ej börjat|nog niet|pas encore|todavía no|ancora non|jeszcze nie)\b/i;
/** Words for leave. They outweigh words for having left, as in `Inactive - Leave`, because people on leave come back. */
const AWAY =
  /^(?:leave|loa|elternzeit|mutterschutz|permisjon|tjanstledig|foraldraledig|orlov|barsel|conge|verlof|urlop|sabbatical)$/;
/** The first word decides and the others describe it, as in `Active - Leave of absence`. */
const LEADING = /^(?:acti|akti|ativ|atti|akty|employed|leave|suspended|future|prehire)/;
/** Codes with the same meaning in ADP, PeopleSoft and SAP. `D` means deceased in one system and dormant in another. */
const CODES: ReadonlyMap<string, WorkStanding> = new Map([
  ['a', 'here'],
  ['l', 'away'],
  ['p', 'away'],
  ['t', 'left'],
  ['r', 'left'],
  ['d', 'doubtful'],
  ['i', 'left'],
]);

/**
 * True for a word that describes people who do not work. It means that they have left only if no other word of the column says
 * so.
 */
export function isInactive(word: string): boolean {
  return /^(?:in|un|nie)(?:a[ck]t|att|akty)/.test(foldText(word)) || /^i$/i.test(word);
}

/** Returns the meaning of a status text; null if it is unknown. */
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

/** Like `readStanding`, for all words of a column. Single letters count as codes only if every word is one letter. */
export function readStandings(words: readonly string[]): ReadonlyMap<string, WorkStanding | null> {
  const isCoded = words.some((word) => /^a$/i.test(word)) && words.every((word) => word.length === 1);
  return new Map(words.map((word) => [word, isCoded ? (CODES.get(word.toLowerCase()) ?? null) : readStanding(word)]));
}

/** True for a word that describes people at work. No rule has to name such a word. */
export function saysPresent(word: string): boolean {
  return ['here', 'kind'].includes(readStanding(word) ?? '') || /^(?:a|yes|true)$/i.test(word.trim());
}
