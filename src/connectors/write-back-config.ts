/** How values are written back to one stream, whatever its kind. */
export interface WriteBackBasics {
  /** If the source does not show a sent value for this long, the value is sent again. */
  readonly lapseMs: number;
  /** Values that a spreadsheet would run are written too; without it they are held. */
  readonly formulas?: 'write';
}

export type Formulas = 'hold' | 'write';

export function resolveFormulas(formulas: Formulas): Pick<WriteBackBasics, 'formulas'> {
  return formulas === 'write' ? { formulas } : {};
}

/** By one call per record, or per batch of records. */
export interface CallWriteBack extends WriteBackBasics {
  /** How a record is changed, for a stream without a preset. */
  readonly request: WriteBackRequest | null;
}

export interface WriteBackRequest {
  readonly method: 'PATCH' | 'PUT' | 'POST';
  /** Path under the address, with `{key}`. */
  readonly path: string;
  /** JSON in which `{key}` and `{cells}` stand for the record's key and columns; null: the columns at their pointers. */
  readonly body: unknown;
}
