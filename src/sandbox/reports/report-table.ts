/** A time is written as a time, and a number as a number, where the format knows such. */
export type ReportCell = string | number | Date | null;

export interface TitledColumn {
  readonly title: string;
  /** Its texts are numbers, but for those that are not: what people typed is kept. */
  readonly holdsNumbers?: true;
}

/** A report as it is made: pages of rows, of which one at a time is in memory. */
export interface ReportTable {
  readonly name: string;
  readonly columns: readonly TitledColumn[];
  readonly pages: AsyncIterable<readonly (readonly ReportCell[])[]>;
  /** As the account writes times. */
  readonly writeTime: (time: Date) => string;
}

export interface TableFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly write: (table: ReportTable) => AsyncIterable<Uint8Array>;
}
