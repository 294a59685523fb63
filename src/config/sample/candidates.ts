import type { Column } from '../../model/column.js';

/** A column's declaration that a sample may fit, and a test that cells must pass in addition to being readable. */
export interface ColumnCandidate {
  readonly column: Column;
  /** False for texts that can be read as this type but mean something else: `007` is not a number. */
  readonly allows: (text: string) => boolean;
}

/** Formats with leading zeros come first: a column that has them everywhere is declared with them. */
const DAYS = ['dd.MM.yyyy', 'dd/MM/yyyy', 'MM/dd/yyyy', 'dd-MM-yyyy', 'MM-dd-yyyy'];
const SHORT_DAYS = ['d.M.yyyy', 'd/M/yyyy', 'M/d/yyyy', 'd-M-yyyy', 'M-d-yyyy'];
const NAMED_MONTHS = ['dd-MMM-yyyy', 'd-MMM-yyyy', 'dd MMM yyyy', 'd MMM yyyy', 'MMM d, yyyy'];
const DATE_FORMATS = [null, ...DAYS, ...SHORT_DAYS, ...NAMED_MONTHS, 'yyyy/MM/dd', 'yyyy.MM.dd', 'yyyyMMdd'];
const DAYS_WITH_TIMES = [...DAYS, ...SHORT_DAYS, 'yyyy/MM/dd'];
const TIMES = ['HH:mm', 'HH:mm:ss', 'H:mm'];

/** Words for true, in addition to the usual ones. */
const TRUE_WORDS = [null, ['x'], ['j'], ['o']];

/** At most 15 digits: longer numbers are card or account numbers, with which nobody calculates. */
const WHOLE = /^-?(?:0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/;

/**
 * In order of preference; the last one takes any text. No text is a candidate for a list: every text is a list of one item,
 * so `guess-column.ts` judges all cells together.
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
