import { foldText } from '../../model/fold-words.js';
import type { Answers } from './answers.js';
import { columnOf, isOptional } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { listFilled, readCell } from './kept-rows.js';
import type { MatchedRow } from './match-people.js';
import type { Sample } from './read-sample.js';
import {
  type ColumnReading,
  NAME_CASE,
  readAlways,
  readPlain,
  type Transform,
  TURN,
  thenDo,
  WITHOUT_STATUS,
} from './readings.js';
import { coverColumn, isOfOthers, saysLastFirst } from './recognise.js';
import { type FieldCandidate, type Verdict, weighColumns } from './weigh.js';

/** Matches headers of names that colleagues use instead of the legal name. */
const PREFERRED = /prefer|bevorzugt|known|nick|common|goes|call|ruf|kutsuma|tilltal|roep|chosen|usuel/i;
const MOST_COLUMNS = 4;

/** Chooses the columns that yield the names in the account. If the account does not decide it, the headers do. */
export function chooseName(sample: Sample, known: readonly MatchedRow[], answers: Answers): Verdict {
  const plain = [...joinParts(sample, answers), ...takeWhole(sample, answers)];
  const cleaned = plain.map((candidate) => clean(sample, candidate));
  const raw = plain.filter((candidate, at) => cleaned[at]?.expression !== candidate.expression);
  const all = [...cleaned, ...raw.map((candidate) => ({ ...candidate, cover: 0 }))];
  return weighColumns(all, known, ({ name }) => name, sample.kept);
}

/** Cleans names: capitals throughout are changed to normal case, and a status that some systems add is removed. */
function clean({ kept }: Sample, candidate: FieldCandidate): FieldCandidate {
  const texts = listFilled(kept, candidate.read);
  const shouted = texts.filter(isShouted);
  const decorated = texts.filter((text) => WITHOUT_STATUS.apply(text) !== text);
  const transforms = [
    ...(decorated.length > 0 ? [WITHOUT_STATUS] : []),
    ...(shouted.length * 2 > texts.length ? [NAME_CASE] : []),
  ];
  return transforms.reduce((reading: FieldCandidate, then) => append(reading, then), candidate);
}

function append(candidate: FieldCandidate, then: Transform): FieldCandidate {
  const { expression, read } = candidate;
  const isOne = /^record(?:\.\w+|\["[^"]*"\])$/.test(expression) || expression.endsWith(')');
  return {
    ...candidate,
    expression: `${isOne ? expression : `(${expression})`}${then.call}`,
    read: (row) => then.apply(read(row)),
  };
}

/** Joins first and last name, with a particle between them if a column provides it. */
function joinParts(sample: Sample, { columns }: Answers): readonly FieldCandidate[] {
  const listed = listParts(sample, 'firstName', columns.firstName);
  const [alone] = sample.columns.filter(
    ({ name, looks }) => name === sample.meanings.firstName && looks.turnedName <= 0.5,
  );
  const parts = listed.length === 0 && alone !== undefined ? [{ column: alone, cover: 0.95 }] : listed;
  const lasts = listParts(sample, 'lastName', columns.lastName);
  const particle = columnOf(sample, sample.meanings.nameParticle);
  const [only] = sample.columns.filter(({ name }) => name === sample.meanings.lastName);
  const surnames = lasts.length === 0 && only !== undefined ? [{ column: only, cover: 0.8 }] : lasts;
  const firsts = callPeople(
    sample,
    parts.map(({ column, cover }) => ({ column, cover, reading: readAlways(sample, column) })),
  );
  return firsts.flatMap((first) =>
    surnames.map((last): FieldCandidate => {
      const middle = particle === undefined ? [] : [readAlways(sample, particle)];
      const rest = readRest(sample, first.column, last.column);
      const readings = [first.reading, ...middle, rest ?? readAlways(sample, last.column)];
      const texts = readings.map(({ expression }) => expression);
      const list = `[${texts.join(', ')}].filter(n, n != "").join(" ")`;
      const joined = rest === null ? texts.join(' + " " + ') : texts.join(' + ');
      return {
        expression: particle === undefined ? joined : list,
        from: readings.map(({ from }) => from).join(' and '),
        cover: Math.min(first.cover, last.cover),
        read: (row) =>
          readings
            .map(({ read }) => read(row).trim())
            .filter((text) => text !== '')
            .join(' '),
      };
    }),
  );
}

/** Handles last names in capitals after first names that are not. The leading space makes `" DE VRIES"` the rest of a name. */
function readRest(sample: Sample, first: ColumnGuess, last: ColumnGuess): ColumnReading | null {
  if (isInCapitals(sample, first) || !isInCapitals(sample, last)) return null;
  const { expression, from, read } = readAlways(sample, last);
  return {
    expression: `(" " + ${expression})${NAME_CASE.call}`,
    from,
    read: (row) => NAME_CASE.apply(` ${read(row)}`),
  };
}

function isInCapitals({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column));
  return texts.filter(isShouted).length * 2 > texts.length;
}

function isShouted(text: string): boolean {
  return /\p{L}{3}/u.test(text) && text === text.toUpperCase();
}

interface FirstName extends NameColumn {
  readonly reading: ColumnReading;
}

/** Uses a person's preferred name if there is one, otherwise the first name. */
function callPeople(sample: Sample, firsts: readonly FirstName[]): readonly FirstName[] {
  const usual = firsts.find(({ column }) => !PREFERRED.test(column.name));
  if (usual === undefined) return firsts;
  const called = sample.columns.filter(
    (column) =>
      PREFERRED.test(column.name) && isOptional(sample, column.name) && column.looks.name >= 0.7 && column.filled > 0,
  );
  const both = called.map((column): FirstName => {
    const own = readPlain(sample, column);
    return {
      column,
      cover: 0.95 * usual.cover,
      reading: {
        expression: `${own.expression}.orValue(${usual.reading.expression})`,
        from: `${own.from} or ${usual.reading.from}`,
        read: (row) => own.read(row) || usual.reading.read(row),
      },
    };
  });
  return [...firsts.filter(({ column }) => !called.includes(column)), ...both];
}

interface NameColumn {
  readonly column: ColumnGuess;
  readonly cover: number;
}

function listParts(sample: Sample, meaning: 'firstName' | 'lastName', said: string | undefined): readonly NameColumn[] {
  const given = columnOf(sample, said);
  if (given !== undefined) return [{ column: given, cover: 1 }];
  return sample.columns
    .filter((column) => !isOfOthers(column))
    .map((column): NameColumn => {
      const { cover } = coverColumn(column, meaning);
      return { column, cover: cover * (PREFERRED.test(column.name) ? 0.8 : 1) };
    })
    .filter(({ cover }) => cover >= 0.4)
    .sort((a, b) => b.cover - a.cover)
    .slice(0, MOST_COLUMNS);
}

/** True if most people share the value, so that it is not a name. */
function isConstant({ kept }: Sample, column: ColumnGuess): boolean {
  const texts = listFilled(kept, readCell(column));
  return texts.length > 2 && new Set(texts).size * 2 < texts.length;
}

/** Matches names with initials: `de Vries, S.` */
const INITIAL = /(?:^|[\s,])\p{Lu}\.(?:\s|\p{Lu}\.|$)/u;

/** Lists columns with a full name, and reorders the parts if the last name comes first. */
function takeWhole(sample: Sample, { columns }: Answers): readonly FieldCandidate[] {
  const given = columnOf(sample, columns.name);
  const found =
    given === undefined
      ? sample.columns.filter(
          (column) =>
            column.looks.name >= 0.7 &&
            !isOfOthers(column) &&
            (column.looks.turnedName > 0.5 ||
              ![sample.meanings.lastName, sample.meanings.firstName].includes(column.name)) &&
            !isConstant(sample, column),
        )
      : [given];
  return found.flatMap((column): readonly FieldCandidate[] => {
    const reading: ColumnReading = readPlain(sample, column);
    const isTurned = column.looks.turnedName > 0.5;
    const texts = listFilled(sample.kept, readCell(column));
    if (texts.filter((text) => INITIAL.test(text)).length * 2 > texts.length) return [];
    // `Berg, Anna` is a name, regardless of the header.
    const told = coverColumn(column, 'name').cover;
    const said = given === undefined ? Math.max(told, column.looks.turnedName > 0.9 ? 0.8 : 0) : 1;
    // Two words without a comma do not show which of them is the last name.
    const order = saysLastFirst(column.name) || !isFirstFirst(sample, texts, reading) ? 0.6 : 0.9;
    const cover = said * (isTurned ? 0.95 : order);
    return [{ ...(isTurned ? thenDo(sample, column, reading, TURN) : reading), cover }];
  });
}

/**
 * False if addresses or capitals show that the last name comes first: `DUPONT Marie`, or `Rossi Mario` at mario.rossi@. Names
 * in capitals throughout need an address as proof.
 */
function isFirstFirst(sample: Sample, texts: readonly string[], { read }: ColumnReading): boolean {
  const address = columnOf(sample, sample.meanings.email);
  const addressOf = address === undefined ? () => '' : readCell(address);
  const votes = sample.kept.map((row) => voteOrder(read(row), addressOf(row)));
  const turned = votes.filter((vote) => vote < 0).length;
  const straight = votes.filter((vote) => vote > 0).length;
  return texts.length > 0 && texts.every(isShouted) ? straight > turned : straight >= turned;
}

/** Returns 1 if a name begins with the first name, -1 if it begins with the last name, and 0 if the address does not show it. */
function voteOrder(name: string, address: string): -1 | 0 | 1 {
  const parts = name.split(/\s+/).filter((part) => part !== '');
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length < 2) return 0;
  if (isShouted(first) !== isShouted(last)) return isShouted(first) ? -1 : 1;
  const local = address.replace(/@.*/, '').split(/[._-]/).map(foldText);
  const [begins = '', ends = ''] = [local[0], local.at(-1)];
  const is = (text: string, part: string): boolean => text !== '' && foldText(part).startsWith(text);
  if (local.length < 2 || first === last) return 0;
  if (is(begins, first) && foldText(last) === ends) return 1;
  return is(begins, last) && foldText(first) === ends ? -1 : 0;
}
