import { foldText } from '../../model/fold-words.js';
import type { Answers, KnownPerson } from './answers.js';
import { readMidnight, YES } from './cell-values.js';
import { columnOf, read } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { listFilled, readCell } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import { type ColumnReading, readPlain, thenDo, WITHOUT_APOSTROPHE } from './readings.js';
import { coverColumn, VAGUE_COVER } from './recognise.js';
import { type FieldCandidate, LEAST_KNOWN, type Verdict, weighColumns } from './weigh.js';

export interface SettledKey {
  /** The sample with its key set. */
  readonly sample: Sample;
  /** How the number becomes the external id; `none` if it would overwrite existing ids of the account. */
  readonly verdict: Verdict;
  /** Expression that ranks several rows of one person; null if each person has one row. */
  readonly prefer: string | null;
  /** Matched rows, one per person. */
  readonly known: readonly MatchedRow[];
}

/**
 * Finds the number that stays with a person, because the account has it as external id or the header says so. Numbers of
 * contracts, positions and directory entries do not count, even if they are unique now.
 */
export function settleKey(
  sample: Sample,
  known: readonly MatchedRow[],
  email: ColumnGuess | null,
  { columns: said }: Answers,
): SettledKey {
  const given = columnOf(sample, said.id);
  const all =
    said.id === '' ? [] : sample.columns.filter((one) => couldBeNumber(sample, one) && !isShared(sample, one, email));
  const columns = given === undefined ? all : [given];
  const candidates = columns.flatMap((column): readonly FieldCandidate[] => {
    const plain = readPlain(sample, column);
    const cover = given === undefined ? coverNumber(sample, column) : 1;
    const bare = thenDo(sample, column, plain, WITHOUT_APOSTROPHE);
    const hasSign = sample.kept.some((row) => bare.read(row) !== plain.read(row));
    const isPadded = sample.kept.every((row) => /^\d{1,15}$/.test(plain.read(row)));
    return [
      { ...plain, cover: hasSign ? 0 : cover },
      ...(hasSign ? [{ ...bare, cover }] : []),
      ...(isPadded ? [{ ...withoutZeros(plain), cover: 0 }] : []),
    ];
  });
  const verdict = weighColumns(candidates, known, ({ externalId }) => externalId, sample.kept);
  const number = columns.find(({ name }) => verdict.kind !== 'none' && JSON.stringify(name) === verdict.chosen.from);
  if (number === undefined) return settle(sample, known, email, { kind: 'none' });
  const isWritten = (verdict.kind !== 'doubtful' && !isMixed(verdict)) || given !== undefined;
  const written: Verdict = isWritten ? verdict : { kind: 'none' };
  // A number that may be a national identity number is not stored as a key.
  const isKey = isWritten || coverNumber(sample, number) > VAGUE_COVER;
  const isUsed = email === null || (isKey && isFilled(sample, number, email));
  return settle(sample, known, isUsed ? number : email, written);
}

/** True if many people have the number as their id and others have another id, which may belong to another system. */
function isMixed(verdict: Verdict): boolean {
  return verdict.kind === 'likely' && verdict.chosen.of >= LEAST_KNOWN;
}

function settle(sample: Sample, known: readonly MatchedRow[], key: ColumnGuess | null, verdict: Verdict): SettledKey {
  // An interface returns one row per person and has its own key.
  if (key === null || sample.interface !== undefined) return { sample, verdict, prefer: null, known };
  const ranking = isUnique(sample, key) ? null : rank(sample);
  return {
    sample: withKey(sample, key, null),
    verdict,
    prefer: ranking === null ? null : read(sample, ranking.name),
    known: rankRows(known, ranking),
  };
}

/**
 * True if every row with an address has a number. A row without its key is held, and while a row is held, no one counts as
 * missing from the file.
 */
function isFilled({ kept }: Sample, number: ColumnGuess, email: ColumnGuess): boolean {
  return kept.every((row) => readCell(email)(row) === '' || readCell(number)(row) !== '');
}

/** Removes leading zeros: `00010204` becomes `10204`. */
function withoutZeros({ expression, from, read: text }: ColumnReading): ColumnReading {
  return { expression: `string(int(${expression}))`, from, read: (row) => text(row).replace(/^0+(?=.)/, '') };
}

function couldBeNumber(sample: Sample, { name, column, looks, filled }: ColumnGuess): boolean {
  if (name === sample.interface?.key) return true;
  return (
    column !== null && ['string', 'int'].includes(column.type) && looks.code >= 0.95 && looks.email < 0.5 && filled > 0
  );
}

function coverNumber(sample: Sample, column: ColumnGuess): number {
  if (sample.interface !== undefined) return Number(column.name === sample.interface.key);
  if (column.looks.object > 0.5 || isRowNumber(sample, column) || isLogin(sample, column)) return 0;
  // `ID` alone may be a row number that the system assigns. A longer header more likely means the number of the person.
  // National identity numbers are excluded, because the service does not store them.
  if (areBirthdays(sample, column)) return 0;
  return coverColumn(column, 'id').cover * (/^_?(?:id|nr|no|#)$/i.test(column.name.trim()) ? 0.95 : 1);
}

/** True for `1`, `2`, `3` in the order of the rows, under a header that means any kind of number. */
function isRowNumber({ kept }: Sample, column: ColumnGuess): boolean {
  const read = readCell(column);
  return GENERIC.test(column.name.trim()) && kept.length > 2 && kept.every((row, at) => read(row) === String(at + 1));
}

const GENERIC = /^_?(?:id|nr|no|number|#)\.?$/i;

/** True for national identity numbers, which begin with the date of birth and continue with more digits. */
function areBirthdays({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column)).map((text) => text.replaceAll(/[\s+-]/g, ''));
  return texts.length > 2 && texts.every((text) => /^\d{10,13}$/.test(text) && BIRTHDAYS.some((day) => day.test(text)));
}

const BIRTHDAYS = [
  /^(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])/,
  /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d/,
] as const;

/** True for log-ins, which are words without digits. */
function isLogin({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column));
  return texts.length > 0 && texts.every((text) => !/\d/.test(text));
}

/**
 * True if rows with the same number have different addresses. Such rows are different people, so the number identifies
 * something else.
 */
function isShared({ kept }: Sample, number: ColumnGuess, email: ColumnGuess | null): boolean {
  if (email === null) return false;
  const [read, address] = [readCell(number), readCell(email)];
  const owners = new Map<string, string>();
  return kept.some((row) => {
    const [text, owner] = [read(row), address(row)];
    const before = owners.get(text);
    if (text !== '' && owner !== '') owners.set(text, owner);
    return text !== '' && owner !== '' && before !== undefined && before !== owner;
  });
}

function isUnique({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column));
  return new Set(texts).size === texts.length;
}

function withKey(sample: Sample, { name }: ColumnGuess, keyNote: string | null): Sample {
  const columns = sample.columns.map((one) =>
    one.name === name && one.column !== null ? { ...one, column: { ...one.column, optional: false } } : one,
  );
  return { ...sample, columns, key: name, keyNote };
}

const MAIN = /prima|main|haupt|hoved|huvud|paa|principal|hoofd/;

/** Finds the column that ranks the rows of a person: the main job first, otherwise the latest start. */
function rank(sample: Sample): ColumnGuess | null {
  const main = sample.columns.find(({ name, column }) => column?.type === 'bool' && MAIN.test(foldText(name)));
  const start = columnOf(sample, sample.meanings.startDate);
  return main ?? (start?.column?.type === 'date' ? start : null);
}

/** Keeps the highest-ranked row of each person. */
function rankRows(known: readonly MatchedRow[], ranking: ColumnGuess | null): readonly MatchedRow[] {
  const read = ranking === null ? () => '' : readCell(ranking);
  const day = ranking?.column?.type === 'date' ? readMidnight(ranking) : null;
  const rankOf = ({ row }: MatchedRow): number => day?.(row) ?? (YES.test(read(row)) ? 1 : 0);
  const best = new Map<KnownPerson, MatchedRow>();
  for (const one of known) {
    const before = best.get(one.person);
    if (before === undefined || rankOf(one) > rankOf(before)) best.set(one.person, one);
  }
  return [...best.values()];
}
