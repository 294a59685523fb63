import type { Column } from '../../model/column.js';

/** A declaration that may fit a column, and a test that its cells must pass in addition to being readable. */
export interface ColumnCandidate {
  readonly column: Column;
  /** False for a text that is readable as this type but means something else: `007` is not a number. */
  readonly allows: (text: string) => boolean;
}

/** Formats with leading zeros come first, because a column that always has them is declared with them. */
const DAYS = ['dd.MM.yyyy', 'dd/MM/yyyy', 'MM/dd/yyyy', 'dd-MM-yyyy', 'MM-dd-yyyy'];
const SHORT_DAYS = ['d.M.yyyy', 'd/M/yyyy', 'M/d/yyyy', 'd-M-yyyy', 'M-d-yyyy'];
const NAMED_MONTHS = ['dd-MMM-yyyy', 'd-MMM-yyyy', 'dd MMM yyyy', 'd MMM yyyy', 'MMM d, yyyy'];
const DATE_FORMATS = [null, ...DAYS, ...SHORT_DAYS, ...NAMED_MONTHS, 'yyyy/MM/dd', 'yyyy.MM.dd', 'yyyyMMdd'];
const DAYS_WITH_TIMES = [...DAYS, ...SHORT_DAYS, 'yyyy/MM/dd'];
const TIMES = ['HH:mm', 'HH:mm:ss', 'H:mm'];

/** Words for true, in addition to the default words. */
const TRUE_WORDS = [null, ['x'], ['j'], ['o']];

/** At most 15 digits. Longer numbers are card or account numbers, which are not used for calculation. */
const WHOLE = /^-?(?:0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;

/**
 * Candidates in order of preference; the last one accepts any text. Lists are not included, because any text is a list of one
 * item. `guess-column.ts` judges all cells of a list together.
 */
export const CANDIDATES: readonly ColumnCandidate[] = [
  ...TRUE_WORDS.map((trueWords) => candidate('bool', { trueWords })),
  ...DATE_FORMATS.map((format) => candidate('date', { format }, format === 'yyyyMMdd' ? /^(?:19|20)/ : undefined)),
  ...[null, ...DAYS_WITH_TIMES.flatMap((day) => TIMES.map((time) => `${day} ${time}`))].map((format) =>
    candidate('datetime', { format }),
  ),
  candidate('int', {}, WHOLE),
  candidate('number', {}, DECIMAL),
  candidate('list', {}, /^$/),
  candidate('map', {}),
  candidate('string', {}),
];

function candidate(type: Column['type'], rest: Partial<Column>, looks?: RegExp): ColumnCandidate {
  return {
    column: { type, optional: false, format: null, trueWords: null, separator: ';', ...rest },
    allows: (text) => looks === undefined || looks.test(text),
  };
}
