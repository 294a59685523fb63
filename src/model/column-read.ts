/** Words that are no names in expressions: such columns are read in brackets. */
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);

/** How an expression reads a column: `record.x`, `record.?x`, or in brackets where the name is none in an expression. */
export function writeColumnRead(variable: string, column: string, isOptional = false): string {
  const mark = isOptional ? '?' : '';
  if (/^[A-Za-z_]\w*$/.test(column) && !RESERVED.has(column)) return `${variable}.${mark}${column}`;
  return `${variable}[${mark}${JSON.stringify(column)}]`;
}
