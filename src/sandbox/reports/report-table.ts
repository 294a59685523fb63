/** A cell. Times and numbers keep their type if the format supports it. */
export type ReportCell = string | number | Date | null;

export interface TitledColumn {
  readonly title: string;
  /** Set if the texts in the column are numbers. Texts that are not numbers stay as typed. */
  readonly holdsNumbers?: true;
}

/** A report while it is written. One page of rows is in memory at a time. */
export interface ReportTable {
  readonly name: string;
  readonly columns: readonly TitledColumn[];
  readonly pages: AsyncIterable<readonly (readonly ReportCell[])[]>;
  /** Formats a time as the account does. */
  readonly writeTime: (time: Date) => string;
}

export interface TableFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly write: (table: ReportTable) => AsyncIterable<Uint8Array>;
}
