import { writeColumnRead } from '../../model/column-read.js';
import type { ColumnGuess } from './guess-column.js';
import type { Sample } from './read-sample.js';

export function columnOf(sample: Sample, name: string | undefined): ColumnGuess | undefined {
  return sample.columns.find((column) => column.name === name);
}

export function isOptional(sample: Sample, name: string): boolean {
  return columnOf(sample, name)?.column?.optional === true;
}

/** `record.x`, or `record.?x` where a row may have no value. */
export function read(sample: Sample, name: string): string {
  return writeColumnRead('record', name, isOptional(sample, name));
}

/** Always a text: an absent value is replaced. */
export function readText(sample: Sample, name: string, otherwise = ''): string {
  const expression = read(sample, name);
  return isOptional(sample, name) ? `${expression}.orValue(${JSON.stringify(otherwise)})` : expression;
}

/** Applies `then` to a value that exists. */
export function readThen(sample: Sample, name: string, then: string): string {
  const expression = read(sample, name);
  return isOptional(sample, name) ? `${expression}.optMap(v, v${then})` : `${expression}${then}`;
}
