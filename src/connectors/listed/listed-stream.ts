import type { Columns } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import type { HttpAccess } from '../http/resolve-http.js';
import type { CallWriteBack } from '../write-back-config.js';

/** A stream that is read over HTTP. */
export interface ListedStreamConfig {
  readonly baseUrl: string;
  readonly access: HttpAccess;
  /** The name of the vendor with additional rules, or `plain`. */
  readonly dialect: string;
  /** The version of a vendor's API; null for other systems. */
  readonly version: string | null;
  /** False if the system has rejected the properties that show merges. */
  readonly merges?: false;
  /** The path under the address; for a vendor, the name of the object. */
  readonly path: string;
  /** A condition in the vendor's language. */
  readonly filter: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body of a POST request for a list; null or absent for GET. */
  readonly body?: Json;
  readonly detail?: DetailConfig | null;
  /** The JSON pointers to the rows in a response and to their total number. */
  readonly rows: string;
  readonly total: string | null;
  readonly next: NextPage;
  readonly deleted: DeletedSign | null;
  readonly incremental: IncrementalConfig | null;
  readonly key: string;
  readonly columns: Columns;
  readonly prefer: string | null;
  readonly mayBeEmpty?: boolean;
  /** True if the system's own statement is sufficient proof that a listing has ended. */
  readonly isEndTrusted?: boolean;
  /** null if nothing is written back to the stream. */
  readonly writeBack?: CallWriteBack | null;
}

/** A stream without its location. */
export type ListedStreamShape = Omit<ListedStreamConfig, 'baseUrl' | 'access' | 'version'>;

/** The way to find the next page. */
export type NextPage =
  | { readonly kind: 'none' }
  /** A link in the response, at a JSON pointer. */
  | { readonly kind: 'link'; readonly at: string }
  /** A token in the response, sent back as a parameter. */
  | { readonly kind: 'token'; readonly at: string; readonly parameter: string }
  /** The page number and the page size, each as a parameter; the first page has the number `first`. */
  | {
      readonly kind: 'page';
      readonly parameter: string;
      readonly limit: string | null;
      readonly size: number;
      readonly first: number;
    }
  /** The rows to skip and the page size, each as a parameter. */
  | { readonly kind: 'offset'; readonly parameter: string; readonly limit: string | null; readonly size: number }
  /** The link of relation `next` (RFC 8288) in a header. */
  | { readonly kind: 'header'; readonly name: string };

/** One call per record, for fields that the list lacks. */
export interface DetailConfig {
  /** The path under the address, with `{key}`. */
  readonly path: string;
  /** The JSON pointer to the record in the response. */
  readonly record: string;
  /** The time after which the details are read again, even if the list shows no change. */
  readonly refreshMs: number;
}

/** The sign of a deleted record: a value in the raw row, or an expression over its columns. */
export type DeletedSign = DeletedMark | { readonly when: string };

interface DeletedMark {
  readonly at: string;
  /** The words that mean deleted; null for a flag or a time. */
  readonly is: readonly string[] | null;
  /** The JSON pointer to the key in a deleted row, if deleted rows have the key in a different place. */
  readonly key: string | null;
}

export interface IncrementalConfig {
  /** The JSON pointer to the time of a row's last change. */
  readonly modified: string;
  readonly parameter: string;
  /** The value to send; `{since}` is the time. */
  readonly template: string;
  readonly time: 'iso' | 'seconds' | 'milliseconds';
  /** The time by which consecutive requests for changes overlap, because rows may appear late. */
  readonly overlapMs: number;
  readonly fullEveryMs: number;
}
