/** How values are written back to one stream, whatever its kind. */
export interface WriteBackBasics {
  /** After so long without the source showing what was sent, it is sent again. */
  readonly lapseMs: number;
  /** Values that a spreadsheet would run are written too; without it they are held. */
  readonly formulas?: 'write';
}

export type Formulas = 'hold' | 'write';

export function resolveFormulas(formulas: Formulas): Pick<WriteBackBasics, 'formulas'> {
  return formulas === 'write' ? { formulas } : {};
}

/** By a call a record, or a batch of them. */
export interface CallWriteBack extends WriteBackBasics {
  /** A stream without a preset: how a record is changed. */
  readonly request: WriteBackRequest | null;
}

export interface WriteBackRequest {
  readonly method: 'PATCH' | 'PUT' | 'POST';
  /** Path under the address, with `{key}`. */
  readonly path: string;
  /** JSON whose texts `{key}` and `{cells}` stand for the record's key and its columns; null: the columns by their pointers. */
  readonly body: unknown;
}
