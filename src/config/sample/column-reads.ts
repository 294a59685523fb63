import { writeColumnRead } from '../../model/column-read.js';
import type { ColumnGuess } from './guess-column.js';
import type { Sample } from './read-sample.js';

export function columnOf(sample: Sample, name: string | undefined): ColumnGuess | undefined {
  return sample.columns.find((column) => column.name === name);
}

export function isOptional(sample: Sample, name: string): boolean {
  return columnOf(sample, name)?.column?.optional === true;
}

/** Returns `record.x`, or `record.?x` if a row may have no value. */
export function read(sample: Sample, name: string): string {
  return writeColumnRead('record', name, isOptional(sample, name));
}

/** Returns an expression that always yields a text. An absent value is replaced. */
export function readText(sample: Sample, name: string, otherwise = ''): string {
  const expression = read(sample, name);
  return isOptional(sample, name) ? `${expression}.orValue(${JSON.stringify(otherwise)})` : expression;
}
