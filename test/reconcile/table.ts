import { readFileSync } from 'node:fs';

/** A row of a decision table in a comment: column → cell. */
export type TableRow = ReadonlyMap<string, string>;

/** Reads the numbered table above a function in a file, without its backticks. */
export function readTable(file: string, above: string): readonly TableRow[] {
  const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  const comment = text.slice(0, text.indexOf(above)).split('/**').at(-1) ?? '';
  const lines = comment.split('\n').flatMap((line) => /^ *\* \|(.*)\|$/.exec(line)?.[1] ?? []);
  const [header = [], , ...rows] = lines.map((line) => line.split('|').map((cell) => cell.replaceAll('`', '').trim()));
  return rows.map((cells) => new Map(header.map((name, index) => [name, cells[index] ?? ''])));
}

/** True if a row covers an input. An empty cell covers anything, and a cell with several words covers each of them. */
export function speaksOf(
  row: TableRow,
  input: Readonly<Record<string, string>>,
  words: Readonly<Record<string, readonly string[]>> = {},
): boolean {
  return Object.entries(input).every(([name, value]) => {
    const cell = row.get(name);
    if (cell === undefined) throw new Error(`the table has no column ${name}`);
    return cell === '' || cell.split(', ').some((word) => (words[word] ?? [word]).includes(value));
  });
}

/** Every combination of the values, one object each. */
export function combine<K extends string>(
  values: Readonly<Record<K, readonly string[]>>,
): readonly Readonly<Record<K, string>>[] {
  let found: Record<string, string>[] = [{}];
  for (const [name, list] of Object.entries<readonly string[]>(values))
    found = found.flatMap((one) => list.map((value) => ({ ...one, [name]: value })));
  return found as Record<K, string>[];
}
