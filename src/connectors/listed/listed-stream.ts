import type { Columns } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import type { HttpAccess } from '../http/resolve-http.js';
import type { CallWriteBack } from '../write-back-config.js';

/** A stream that is asked for over HTTP. */
export interface ListedStreamConfig {
  readonly baseUrl: string;
  readonly access: HttpAccess;
  /** Whose rules it follows beyond what is configured: a vendor's, or `plain`. */
  readonly dialect: string;
  /** Of a vendor's interface; null for any other system. */
  readonly version: string | null;
  /** False where the system has refused the properties that show merges. */
  readonly merges?: false;
  /** Path under the address; for a vendor the object's name. */
  readonly path: string;
  /** A condition in the vendor's language. */
  readonly filter: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON that a list is asked for with, by POST; null or absent where it is asked for by GET. */
  readonly body?: Json;
  readonly detail?: DetailConfig | null;
  /** JSON pointer of the rows in an answer, and of how many there are in all. */
  readonly rows: string;
  readonly total: string | null;
  readonly next: NextPage;
  readonly deleted: DeletedSign | null;
  readonly incremental: IncrementalConfig | null;
  readonly key: string;
  readonly columns: Columns;
  readonly prefer: string | null;
  readonly mayBeEmpty?: boolean;
  /** The system's own word is enough where nothing else shows that a listing has ended. */
  readonly isEndTrusted?: boolean;
  /** null: nothing is ever written to it. */
  readonly writeBack?: CallWriteBack | null;
}

/** A stream without where it is. */
export type ListedStreamShape = Omit<ListedStreamConfig, 'baseUrl' | 'access' | 'version'>;

/** Where the next page begins. */
export type NextPage =
  | { readonly kind: 'none' }
  /** A link in the answer, at a JSON pointer. */
  | { readonly kind: 'link'; readonly at: string }
  /** A token in the answer, sent back as a parameter. */
  | { readonly kind: 'token'; readonly at: string; readonly parameter: string }
  /** The number of a page, and the rows asked for, each as a parameter; the number of the first page is `first`. */
  | {
      readonly kind: 'page';
      readonly parameter: string;
      readonly limit: string | null;
      readonly size: number;
      readonly first: number;
    }
  /** Rows skipped, and rows asked for, each as a parameter. */
  | { readonly kind: 'offset'; readonly parameter: string; readonly limit: string | null; readonly size: number }
  /** The link of relation `next` (RFC 8288) in a header. */
  | { readonly kind: 'header'; readonly name: string };

/** One call per record, for what the list does not have. */
export interface DetailConfig {
  /** Path under the address, with `{key}`. */
  readonly path: string;
  /** JSON pointer of the record in the answer. */
  readonly record: string;
  /** After so long it is read again, even if the list shows no change. */
  readonly refreshMs: number;
}

/** What says of a row that its record is deleted: something in the row as it came, or an expression over its columns. */
export type DeletedSign = DeletedMark | { readonly when: string };

interface DeletedMark {
  readonly at: string;
  /** The words that mean it; null for a flag or a time. */
  readonly is: readonly string[] | null;
  /** JSON pointer of the key in such a row, where it is elsewhere than in others. */
  readonly key: string | null;
}

export interface IncrementalConfig {
  /** JSON pointer of the time of a row's last change. */
  readonly modified: string;
  readonly parameter: string;
  /** What is sent; `{since}` is the time. */
  readonly template: string;
  readonly time: 'iso' | 'seconds' | 'milliseconds';
  /** Rows appear late: so far back changes are asked for again. */
  readonly overlapMs: number;
  readonly fullEveryMs: number;
}
