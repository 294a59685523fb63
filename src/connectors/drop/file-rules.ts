/** What a delivered file is held against before any of it counts. */
export interface FileRules {
  /** A file beside the delivery that says what is in it. */
  readonly manifest: {
    /** Its name, with `{file}` for that of the delivery and `{stem}` for the same without its ending. */
    readonly pattern: string;
    /** JSON pointers; null where the manifest does not say. */
    readonly rows: string | null;
    readonly sha256: string | null;
  } | null;
  /** CSV: the last row is `TRAILER;1234`. */
  readonly trailer: {
    readonly firstCell: string;
    /** Index of the cell with the number of rows. */
    readonly countIndex: number;
  } | null;
  /** More bad rows than this share (0 to 1) stop the source; null: however many. */
  readonly maxBadShare: number | null;
  /** So much fewer rows than the last good delivery had wait for an approval; null: however few. */
  readonly shrinkPercent: number | null;
  /** Several files are one delivery, named `employees-{drop}-part{part}of{parts}.csv`; null: each file is one. */
  readonly parts: string | null;
  /** Which of several deliveries is the newest; `date`: format of the date in its name. */
  readonly newest: 'name' | 'modified' | { readonly date: string };
  /** What becomes of deliveries that were used, once a newer one has been. */
  readonly after: 'leave' | 'archive' | 'delete';
  /** Folder within the drop folder for the reasons of bad rows; null for none. */
  readonly rejects: string | null;
  /** A delivery may be a link that leads out of the folder. */
  readonly followLinks: boolean;
  /** The same content for so long is told; null: never. */
  readonly staleAfterMs: number | null;
  /** CSV: declared column → other names that the header may have for it. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
}
