import type { Cell, CellItem, RejectedRow, SourceRecord } from './source.js';

type Encoded = string | number | boolean | null | readonly Encoded[] | { readonly [key: string]: Encoded };

function encode(cell: CellItem): Encoded {
  if (typeof cell === 'bigint') return { $int: cell.toString() };
  if (cell instanceof Date) return { $date: cell.toISOString() };
  if (Array.isArray(cell)) return cell.map((item: CellItem) => encode(item));
  if (typeof cell === 'object' && cell !== null) {
    return Object.fromEntries(Object.entries(cell).map(([key, item]) => [key, encode(item as CellItem)]));
  }
  return cell as Encoded;
}

function decode(value: Encoded): CellItem {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Encoded) => decode(item));
  const object = value as { readonly [key: string]: Encoded };
  if (typeof object.$int === 'string') return BigInt(object.$int);
  if (typeof object.$date === 'string') return new Date(object.$date);
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, decode(item)]));
}

/** Encodes a record as JSON text for staging on disk. `$int` and `$date` mark values of types that JSON lacks. */
export function encodeRecord(record: SourceRecord): string {
  const { key, place, cells, noted } = record;
  return JSON.stringify([key, place, encode(cells as CellItem), ...(noted === undefined ? [] : [noted])]);
}

export function decodeRecord(text: string): SourceRecord {
  const [key, place, encoded, noted] = JSON.parse(text) as [
    string,
    SourceRecord['place'],
    Encoded,
    SourceRecord['noted']?,
  ];
  const cells = decode(encoded) as Readonly<Record<string, Cell>>;
  return noted === undefined ? { key, place, cells } : { key, place, cells, noted };
}

/** Encodes a rejected row in the same way, with only its readable cells. */
export function encodeRejected({ readable, ...row }: RejectedRow): string {
  return JSON.stringify(
    readable === undefined ? row : { ...row, readable: { ...readable, cells: encode(readable.cells as CellItem) } },
  );
}

export function decodeRejected(text: string): RejectedRow {
  const row = JSON.parse(text) as RejectedRow;
  const { readable } = row;
  if (readable === undefined) return row;
  const cells = decode(readable.cells as unknown as Encoded) as SourceRecord['cells'];
  return { ...row, readable: { ...readable, cells } };
}
