import type { KnownPerson } from './answers.js';
import type { SampleRow } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';

/** A way to read a field from columns of a sample. */
export interface FieldCandidate {
  /** The expression for the configuration. */
  readonly expression: string;
  /** The columns as named in messages: `"Location"`. */
  readonly from: string;
  /** How clearly the header names this field, from 0 to 1. */
  readonly cover: number;
  /** Returns the value of the expression for a row; empty if there is none. */
  readonly read: (row: SampleRow) => string;
}

export interface Weighed extends FieldCandidate {
  /** Number of people who have a value in the account. */
  readonly of: number;
  readonly equal: number;
  /** Number of people who would get another value. Filling an empty value does not count. */
  readonly changes: number;
  /** The first change: the value of the account and the value of the file. */
  readonly example: readonly [string, string] | null;
}

/**
 * How certain the choice of a column is:
 * - `proved`: the people of the account confirm it.
 * - `fits`: header and content agree, and no known person would change.
 * - `likely`: the header fits, but some known people would change, so it is applied to new people only.
 * - `doubtful`: a person must check it.
 * - `none`: no column fits.
 */
export type Verdict =
  | {
      readonly kind: 'proved' | 'fits' | 'likely' | 'doubtful';
      readonly chosen: Weighed;
      readonly rival: Weighed | null;
    }
  | { readonly kind: 'none' };

/** Minimum number of known people that can prove something. */
export const LEAST_KNOWN = 5;
/** From this number of people, a few may have other values. */
const MANY_KNOWN = 20;
const MOST_EQUAL = 0.9;
const RIVAL_EQUAL = 0.5;
/** Cover of a header that clearly names this field only. */
export const SURE_COVER = 0.9;
const LEAST_COVER = 0.5;

/**
 * Chooses the column of a field. The people of the account decide before the headers do.
 *
 * @param held the account's value; null or empty for none
 */
export function weighColumns(
  candidates: readonly FieldCandidate[],
  known: readonly MatchedRow[],
  held: (person: KnownPerson) => string | null,
  kept: readonly SampleRow[],
): Verdict {
  const judged = candidates.map((candidate) => count(candidate, known, held));
  return prove(judged, known, held, kept) ?? judgeHeaders(judged, kept);
}

function count(
  candidate: FieldCandidate,
  known: readonly MatchedRow[],
  held: (person: KnownPerson) => string | null,
): Weighed {
  let [of, equal, changes] = [0, 0, 0];
  let example: readonly [string, string] | null = null;
  for (const { row, person } of known) {
    const [before, after] = [held(person) ?? '', candidate.read(row)];
    if (before === '') continue;
    of++;
    if (before === after) equal++;
    else if (after !== '') {
      changes++;
      example ??= [before, after];
    }
  }
  return { ...candidate, of, equal, changes, example };
}

function prove(
  judged: readonly Weighed[],
  known: readonly MatchedRow[],
  held: (person: KnownPerson) => string | null,
  kept: readonly SampleRow[],
): Verdict | null {
  const [best, ...others] = [...judged].sort((a, b) => b.equal - a.equal || b.cover - a.cover);
  if (best === undefined || best.of < LEAST_KNOWN) return null;
  if (best.equal < best.of * (best.of < MANY_KNOWN ? 1 : MOST_EQUAL)) return null;
  const rivals = others.filter(
    (other) =>
      other.equal >= best.of * RIVAL_EQUAL && !isBeaten(other, best, known, held) && !readsSame(other, best, kept),
  );
  const [rival] = rivals.sort((a, b) => b.cover - a.cover);
  if (rival === undefined || best.cover > rival.cover) return { kind: 'proved', chosen: best, rival: null };
  const isTwin = rival.equal === best.equal && rival.cover > best.cover;
  return isTwin ? { kind: 'proved', chosen: rival, rival: null } : { kind: 'doubtful', chosen: best, rival };
}

/** True if, for each known person, the winner is right whenever exactly one of the two is. This must happen at least once. */
function isBeaten(
  loser: FieldCandidate,
  winner: FieldCandidate,
  known: readonly MatchedRow[],
  held: (person: KnownPerson) => string | null,
): boolean {
  let wins = 0;
  for (const { row, person } of known) {
    const before = held(person) ?? '';
    if (before === '') continue;
    const [right, wrong] = [winner.read(row) === before, loser.read(row) === before];
    if (wrong && !right) return false;
    if (right && !wrong) wins++;
  }
  return wins > 0;
}

function readsSame(one: FieldCandidate, other: FieldCandidate, rows: readonly SampleRow[]): boolean {
  return rows.every((row) => one.read(row) === other.read(row));
}

/** Judges by headers alone. Two equally clear headers with different cells make the choice doubtful. */
function judgeHeaders(judged: readonly Weighed[], kept: readonly SampleRow[]): Verdict {
  const [best, ...others] = judged
    .filter(({ cover }) => cover >= LEAST_COVER)
    // Even a few known people can exclude a column.
    .sort((a, b) => Number(a.changes > a.equal) - Number(b.changes > b.equal) || b.cover - a.cover);
  if (best === undefined) return { kind: 'none' };
  const rival = others.find((other) => other.cover >= best.cover && !readsSame(other, best, kept)) ?? null;
  const isClear = best.cover >= SURE_COVER && rival === null;
  const fits = best.changes === 0 && (isClear || best.of >= LEAST_KNOWN);
  // Some people may have got another value since.
  const isLikely = !fits && isClear && best.changes <= best.equal;
  const otherwise = isLikely ? 'likely' : 'doubtful';
  return { kind: fits ? 'fits' : otherwise, chosen: best, rival };
}

/** `1 of 3 known people have another title in the account, such as "A" for "B": they keep it, …` */
export function describeKept(chosen: Weighed, thing: string): string {
  return `${describeOthers(chosen, thing)}: they keep it, and nobody gets a new one later; remove \`apply: empty\` to change that`;
}

/** `1 of 3 known people have another title in the account, such as "A" for "B"` */
export function describeOthers({ of, changes, example }: Weighed, thing: string): string {
  const [before, after] = (example ?? []).map((text) => JSON.stringify(text));
  return `${changes} of ${of} known people have another ${thing} in the account, such as ${before} for ${after}`;
}

/** `would change 27 of 30 known titles, "A" to "B" for one`. */
export function describeDoubt({ chosen, rival }: { chosen: Weighed; rival: Weighed | null }, things: string): string {
  const { of, changes, example } = chosen;
  if (changes > 0 && example !== null) {
    const [before, after] = example.map((text) => JSON.stringify(text));
    return `would change ${changes} of ${of} known ${things}, such as ${before} to ${after}`;
  }
  if (rival !== null) return `${chosen.from} or ${rival.from}`;
  return `no column says clearly that it has the ${things}`;
}

/** `371 of 398 are equal; 27 would change`; null if nothing would change. */
export function noteChanges({ equal, of, changes, example }: Weighed): string | null {
  if (changes === 0 || example === null) return null;
  const [before, after] = example.map((text) => JSON.stringify(text));
  return `${equal} of ${of} are equal; ${changes} would change, such as ${before} to ${after}`;
}
