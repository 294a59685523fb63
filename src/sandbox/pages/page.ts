import type { Html } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import type { SentForm } from '../calls/multipart.js';
import type { ControlParts } from '../control/control-routes.js';

/** The data and controls that pages use: the account, and the sandbox itself. */
export type PageParts = ControlParts;

export interface PageRequest {
  readonly parts: PageParts;
  readonly world: World;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The posted fields; empty for a GET. */
  readonly form: URLSearchParams;
  /** The raw body, for file uploads. */
  readonly sent: SentForm;
  readonly baseUrl: string;
  /** The form of this page that was just rejected; it is shown again with its input. */
  readonly refusal: Refused | null;
}

export interface Refused {
  readonly message: string;
  readonly form: URLSearchParams;
}

export interface PageView {
  readonly title: string;
  /** The entry of the navigation that the page belongs to. */
  readonly under: string;
  /** Below the title: the record's context. */
  readonly lead?: Html;
  readonly body: Html;
}

/** Processes a form. Returns the address of the next page as text, or anything else to stay on this page. */
export type PageAction = (page: PageRequest) => unknown;

export interface PageRoute {
  readonly path: string;
  readonly show: (page: PageRequest) => PageView;
  /** By the value of the form's `do`. */
  readonly actions?: Readonly<Record<string, PageAction>>;
}
