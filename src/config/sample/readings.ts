import { dropStatus, writeName } from '../../mapping/names.js';
import { isOptional, read, readText } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { readCell, type SampleRow } from './kept-rows.js';
import type { Sample } from './read-sample.js';
import type { FieldCandidate } from './weigh.js';

/** An expression and the value that it yields for a row. */
export type ColumnReading = Pick<FieldCandidate, 'expression' | 'from' | 'read'>;

export function readPlain(sample: Sample, column: ColumnGuess): ColumnReading {
  return { expression: read(sample, column.name), from: JSON.stringify(column.name), read: readCell(column) };
}

/** Returns a reading that always yields a text, so that another text can be appended. */
export function readAlways(sample: Sample, column: ColumnGuess): ColumnReading {
  return { ...readPlain(sample, column), expression: readText(sample, column.name) };
}

/** Applies a transform such as `.lowerAscii()` to a text that exists. */
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

/** A transformation of a text: the call in an expression, and its effect. */
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
/** Removes the apostrophe that stops a spreadsheet from reading a text as a number. */
export const WITHOUT_APOSTROPHE: Transform = {
  call: `.replace("'", "")`,
  apply: (text) => text.replaceAll("'", ''),
};

/** `ANNA VAN DER BERG` → `Anna van der Berg`. */
export const NAME_CASE: Transform = { call: '.nameCase()', apply: writeName };
/** `Anna Berg (On Leave)` → `Anna Berg`. */
export const WITHOUT_STATUS: Transform = { call: '.withoutStatus()', apply: dropStatus };
