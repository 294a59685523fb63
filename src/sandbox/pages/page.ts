import type { Html } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import type { SentForm } from '../calls/multipart.js';
import type { ControlParts } from '../control/control-routes.js';

/** What pages show and switch: the account, and what steers the sandbox. */
export type PageParts = ControlParts;

/** A request for a page. */
export interface PageRequest {
  readonly parts: PageParts;
  readonly world: World;
  /** Without the query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What was posted; nothing when the page is only asked for. */
  readonly form: URLSearchParams;
  /** The same as it came, for what takes a file. */
  readonly sent: SentForm;
  readonly baseUrl: string;
  /** The form of this page that was just refused: shown again as it was filled in. */
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
  /** Below the title: where the record belongs. */
  readonly lead?: Html;
  readonly body: Html;
}

/** Does what a form asks for. A text that it returns is the address of the next page; without one the page stays. */
export type PageAction = (page: PageRequest) => unknown;

export interface PageRoute {
  readonly path: string;
  readonly show: (page: PageRequest) => PageView;
  /** By the `do` of the form. */
  readonly actions?: Readonly<Record<string, PageAction>>;
}
