/** How values are written back to one stream, whatever its kind. */
export interface WriteBackBasics {
  /** After so long without the source showing what was sent, it is sent again. */
  readonly lapseMs: number;
  /** `all`: every linked record is told each time one of them changes. */
  readonly rows: 'changed' | 'all';
  /** The columns of a row, in their order, where the source is told by whole rows; null: the key and what is written back. */
  readonly columns: readonly string[] | null;
}
