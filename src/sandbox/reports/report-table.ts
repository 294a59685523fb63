/** Times and numbers keep their type if the format supports it. */
export type ReportCell = string | number | Date | null;

export interface TitledColumn {
  readonly title: string;
  /** The texts are numbers; those that are not are kept as people typed them. */
  readonly holdsNumbers?: true;
}

/** A report being written: pages of rows, of which one is in memory at a time. */
export interface ReportTable {
  readonly name: string;
  readonly columns: readonly TitledColumn[];
  readonly pages: AsyncIterable<readonly (readonly ReportCell[])[]>;
  /** Writes a time in the account's format. */
  readonly writeTime: (time: Date) => string;
}

export interface TableFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly write: (table: ReportTable) => AsyncIterable<Uint8Array>;
}
