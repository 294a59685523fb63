import { splitHeader } from '../../model/fold-words.js';
import { readStanding } from '../../model/standings.js';
import { NO, readMidnight } from './cell-values.js';
import { columnOf } from './column-reads.js';
import { codeOfCountry } from './countries.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { Rule } from './leaver-rule.js';
import type { MatchedRow } from './match-people.js';
import { MEANING_NAMES, MEANINGS } from './meanings.js';
import type { Sample } from './read-sample.js';
import { coverHeaderAlone, isAtHome, isOfOthers } from './recognise.js';
import { LEAST_KNOWN } from './weigh.js';

/** A status column has few distinct words, and each of them recurs. */
const MOST_WORDS = 6;
const LEAST_RECURRING = 3;

/** Matches headers about something other than employment. */
const ELSE =
  /(?:type|typ|kind|category|categorie|kategorie|kategori|class|classification|group|gruppe|grupp|grade|level|niva|band|gender|sex|kjonn|kon|geschlecht|sukupuoli|language|sprak|sprache|company|entity|legal|gesellschaft|selskap|bolag|yhtio|currency|unit|code|id|nr|no|number|centre|center|area|region|state|county|province|city|zone|address|pay|payroll|salary|wage|schedule|shift|hours|basis|license|licence|licenses|role|roles|field|notes?|salutation|anrede|prefix|suffix|mandant|avdeling|stilling|primary|main|name|contractor|admin|billable|remote|external|extern|freelance|freelancer|exempt|flsa|union|eligible|model|policy|source|manager|teams?|squad|departments?|division|business|job|function|qualifica|livello|contratto|contract|vertrag)$/;

/** Finds a column with few recurring words that no rule explains. It may be a status in an unknown language or form. */
export function findUnexplained(sample: Sample, known: readonly MatchedRow[]): ColumnGuess | null {
  const found = sample.columns.filter((column) => couldBeStatus(sample, column) && !isEverybodys(column, known));
  // Most people are at work, so a very frequent word probably means that.
  const [likely] = found.sort((a, b) => shareOfMost(b) - shareOfMost(a));
  return likely ?? null;
}

function shareOfMost({ counts, filled }: ColumnGuess): number {
  return Math.max(0, ...(counts?.values() ?? [])) / filled;
}

function couldBeStatus(sample: Sample, column: ColumnGuess): boolean {
  const { counts, filled, name } = column;
  const words = [...(counts ?? new Map<string, number>()).keys()];
  if (words.length < 2 || words.length > MOST_WORDS || filled < words.length * LEAST_RECURRING) return false;
  if (filled * 2 < sample.rows || column.looks.date + column.looks.number > 0.5) return false;
  if (Object.values(sample.meanings).includes(name) || isOfOthers(column) || isAtHome(column)) return false;
  if (splitHeader(name).some((word) => ELSE.test(word))) return false;
  if (
    MEANING_NAMES.some(
      (one) => MEANINGS[one].of === 'people' && one !== 'status' && coverHeaderAlone(column, one) > 0.5,
    )
  )
    return false;
  return !words.every((word) => codeOfCountry(word) !== null || readStanding(word) === 'kind');
}

/** True if every word of the column occurs among active people of the account. */
function isEverybodys(column: ColumnGuess, known: readonly MatchedRow[]): boolean {
  const text = readCell(column);
  const active = new Set(known.filter(({ person }) => !person.deactivated).map(({ row }) => text(row)));
  return known.length >= LEAST_KNOWN && [...(column.counts ?? new Map()).keys()].every((word) => active.has(word));
}

const LEAVING =
  /^(?:leav|terminat|exit|resign|separation|departure|dismiss|redundan|offboard|austritt|kundigung|ausscheid|fratred|fratraed|oppsigel|opsigel|slutt|avgang|uppsag|paattym|irtisan|uitdienst|ontslag|vertrek|depart$|sortie|licenci|baja$|cese$|demiss|deslig|cessaz|dimission|licenziament|zwolnien|rozwiazan|ukonc)/;
const NOT_LEAVING =
  /^(?:annual|parental|sick|maternity|paternity|balance|entitlement|days|type|policy|department|departement)$/;

/** Finds a column about leaving that has a value for a person who is not covered by a rule or a last day. */
export function findLeaving(sample: Sample, sure: readonly Rule[], today: Date): ColumnGuess | null {
  const end = columnOf(sample, sample.meanings.endDate);
  const isExplained = (row: SampleRow): boolean =>
    sure.some(({ holds }) => holds(row)) || (end !== undefined && readCell(end)(row) !== '');
  return (
    sample.columns.find((column) => {
      const words = splitHeader(column.name);
      const isAbout = words.some((word) => LEAVING.test(word)) && !words.some((word) => NOT_LEAVING.test(word));
      if (!isAbout || isOfOthers(column) || column === end || column.filled * 2 >= sample.rows) return false;
      const [text, day] = [readCell(column), readMidnight(column)];
      const isLater = (row: SampleRow): boolean => column.column?.type === 'date' && (day(row) ?? 0) >= today.getTime();
      return sample.kept.some((row) => text(row) !== '' && !NO.test(text(row)) && !isLater(row) && !isExplained(row));
    }) ?? null
  );
}
