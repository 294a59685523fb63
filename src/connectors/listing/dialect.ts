import type { Json } from '../../model/json.js';
import type { ListedStreamConfig } from '../crm/listed-stream.js';
import type { HttpAnswer, HttpCall } from '../http/http-source.js';
import { splitPointer } from '../rows/pointer.js';

/** A listing whose place is lost each time would never end. */
const RESTARTS = 3;

/** Something asked of a CRM, answered in pages. */
export interface Question {
  readonly call: HttpCall;
  /** JSON pointers of the rows of a page, and of how many there are in all. */
  readonly rows: string;
  readonly total: string | null;
  /** All that it lists is deleted. */
  readonly listsDeleted: boolean;
  /** The total is the end: some servers answer an offset behind it with an error. */
  readonly endsAtTotal: boolean;
  /** How often it may begin again. */
  readonly restarts: number;
  next(page: ListingPage): PageStep;
  /** Whether an answer says that the place in the listing is not known any more: it begins again. */
  isLost(answer: HttpAnswer): boolean;
}

export interface ListingPage {
  readonly call: HttpCall;
  readonly answer: HttpAnswer;
  /** How many rows it has, and the last of them. */
  readonly count: number;
  readonly lastRow: Json | undefined;
  /** Rows up to and with this page. */
  readonly position: number;
  readonly isFirst: boolean;
}

/** The call of the next page, or why the listing that ends here does not prove itself whole, null when it does. */
export type PageStep = { readonly call: HttpCall } | { readonly end: string | null };

/** From when on changes are asked for. */
export interface ChangesSince {
  readonly timeMs: number;
  /** What the vendor gave to ask with, opaque. */
  readonly link: string | null;
}

/** What is particular to a vendor; everything else is in the configuration or its preset. */
export interface Dialect {
  /** What a whole read asks, one after the other. */
  whole(stream: ListedStreamConfig): readonly Question[];
  changes(stream: ListedStreamConfig, since: ChangesSince): readonly Question[];
  /** JSON pointer of the link that changes are asked with, on the last page; null where they are asked for by time. */
  readonly changesLink: string | null;
  /** Which limit an answer says is used up. */
  exhausted(status: number, body: Json): string | null;
  /** Which limit is nearly used up, so that others who need it are left some; null when none. */
  nearLimit(answer: HttpAnswer): string | null;
}

/** The rows of a stream as its configuration has them, with what a vendor does otherwise. */
export function buildQuestion(
  stream: ListedStreamConfig,
  call: HttpCall,
  rest: Partial<Question> & Pick<Question, 'next'>,
): Question {
  const { rows, total, next } = stream;
  const list = { depth: splitPointer(rows).length, isWhole: next.kind === 'none' };
  return {
    call: { ...call, list },
    rows,
    total,
    listsDeleted: false,
    endsAtTotal: false,
    restarts: RESTARTS,
    isLost: () => false,
    ...rest,
  };
}

/** Where the columns are in a row, once each: what has to be asked for. */
export function listPlaces(stream: ListedStreamConfig): readonly string[] {
  const places = Object.entries(stream.columns).map(([name, { from = `/${name}` }]) => from);
  return [...new Set(places)];
}
