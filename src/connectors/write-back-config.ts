/** The settings for writing back to one stream of any kind. */
export interface WriteBackBasics {
  /** The time after which a sent value is sent again if the source does not show it. */
  readonly lapseMs: number;
  /** Set if values that a spreadsheet would run as formulas are written too; otherwise they are held. */
  readonly formulas?: 'write';
}

export type Formulas = 'hold' | 'write';

export function resolveFormulas(formulas: Formulas): Pick<WriteBackBasics, 'formulas'> {
  return formulas === 'write' ? { formulas } : {};
}

/** The settings for writing back with one call per record or per batch of records. */
export interface CallWriteBack extends WriteBackBasics {
  /** The request that changes a record, for a stream without a preset. */
  readonly request: WriteBackRequest | null;
}

export interface WriteBackRequest {
  readonly method: 'PATCH' | 'PUT' | 'POST';
  /** The path under the address, with `{key}`. */
  readonly path: string;
  /** A JSON template with `{key}` and `{cells}` for the record's key and columns; null to send the columns at their pointers. */
  readonly body: unknown;
}
