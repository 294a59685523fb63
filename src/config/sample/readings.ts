import { dropStatus, writeName } from '../../mapping/names.js';
import { isOptional, read, readText } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { Sample } from './read-sample.js';
import type { FieldCandidate } from './weigh.js';

/** What an expression yields for a row, and the expression. */
export type ColumnReading = Pick<FieldCandidate, 'expression' | 'from' | 'read'>;

export function readPlain(sample: Sample, column: ColumnGuess): ColumnReading {
  return { expression: read(sample, column.name), from: JSON.stringify(column.name), read: readCell(column) };
}

/** Always a text: what another text can be added to. */
export function readAlways(sample: Sample, column: ColumnGuess): ColumnReading {
  return { ...readPlain(sample, column), expression: readText(sample, column.name) };
}

/** What follows is done to a text that is there: `.lowerAscii()`. */
export function thenDo(sample: Sample, { name }: ColumnGuess, reading: ColumnReading, then: Transform): ColumnReading {
  const { expression, from } = reading;
  const isAbsent = isOptional(sample, name) && !expression.endsWith('.orValue("")');
  return {
    expression: isAbsent ? `${expression}.optMap(v, v${then.call})` : `${expression}${then.call}`,
    from,
    read: (row: SampleRow) => {
      const text = reading.read(row);
      return text === '' ? '' : then.apply(text);
    },
  };
}

/** A change of a text: as an expression calls it, and what it does. */
export interface Transform {
  readonly call: string;
  readonly apply: (text: string) => string;
}

export const LOWER: Transform = { call: '.lowerAscii()', apply: (text) => text.toLowerCase() };
/** `Berg, Anna` → `Anna Berg`. */
export const TURN: Transform = {
  call: '.firstNameFirst()',
  apply: (text) => text.replace(/^([^,]*),(.*)$/, '$2 $1').trim(),
};
/** `100 - London` → `London`. */
export const WITHOUT_CODE: Transform = {
  call: '.split(" - ").last().orValue("")',
  apply: (text) => text.split(' - ').at(-1) ?? '',
};
/** `/Nordvik/London` → `London`. */
export const LAST_OF_PATH: Transform = {
  call: '.split("/").last().orValue("")',
  apply: (text) => text.split('/').at(-1) ?? '',
};
/** `London, UK` → `London`. */
export const BEFORE_COMMA: Transform = {
  call: '.split(", ").first().orValue("")',
  apply: (text) => text.split(', ')[0] ?? '',
};
/** An apostrophe that keeps a spreadsheet from reckoning. */
export const WITHOUT_APOSTROPHE: Transform = {
  call: `.replace("'", "")`,
  apply: (text) => text.replaceAll("'", ''),
};

/** `ANNA VAN DER BERG` → `Anna van der Berg`. */
export const NAME_CASE: Transform = { call: '.nameCase()', apply: writeName };
/** `Anna Berg (On Leave)` → `Anna Berg`. */
export const WITHOUT_STATUS: Transform = { call: '.withoutStatus()', apply: dropStatus };
