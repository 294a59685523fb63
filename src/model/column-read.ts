/** Reserved words of the expression language. A column with such a name is read in brackets. */
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

/** Returns the expression that reads a column: `record.x`, `record.?x`, or brackets if the name is not an identifier. */
export function writeColumnRead(variable: string, column: string, isOptional = false): string {
  const mark = isOptional ? '?' : '';
  if (/^[A-Za-z_]\w*$/.test(column) && !RESERVED.has(column)) return `${variable}.${mark}${column}`;
  return `${variable}[${mark}${JSON.stringify(column)}]`;
}
