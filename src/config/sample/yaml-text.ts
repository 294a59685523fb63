import type { Column } from '../../model/column.js';

/** Words that YAML or its readers do not read as texts. */
const WORDS = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Writes a text as YAML, in quotes only if needed. */
export function writeText(text: string): string {
  return /^[A-Za-z_][\w-]*$/.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}

/** Writes an expression as YAML, in quotes unless it is a plain name. */
export function writeExpression(expression: string): string {
  return /^[\w.?()]+$/.test(expression) ? expression : `'${expression.replaceAll("'", "''")}'`;
}

/** Writes a column as YAML: `string`, or `{ type: date, format: "dd.MM.yyyy", optional: true }`. */
export function writeColumn(column: Column): string {
  const { type, format, trueWords, separator, optional, empty, from } = column;
  const parts = [
    `type: ${type}`,
    ...(format === null ? [] : [`format: ${JSON.stringify(format)}`]),
    ...(trueWords === null ? [] : [`true: [${trueWords.map(writeText).join(', ')}]`]),
    ...(type === 'list' && separator !== ';' ? [`separator: ${JSON.stringify(separator)}`] : []),
    ...(empty === undefined ? [] : [`empty: [${empty.map(writeText).join(', ')}]`]),
    ...(from === undefined ? [] : [`from: ${JSON.stringify(from)}`]),
    ...(optional ? ['optional: true'] : []),
  ];
  return parts.length === 1 ? type : `{ ${parts.join(', ')} }`;
}

/** Returns the JSON pointer to the value under these names. */
export function writePointer(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Appends a note to a line as a comment. */
export function withNote(line: string, note: string | null): string {
  return note === null ? line : `${line} # ${note.replaceAll(/\s+/g, ' ')}`;
}

/** The text that explains how to confirm a guess in an active line. */
export const DELETE_MARK = '; delete this mark if it is right';
