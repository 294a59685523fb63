import type { Html } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import type { SentForm } from '../calls/multipart.js';
import type { ControlParts } from '../control/control-routes.js';

/** The data and controls that pages use, for the account and for the sandbox. */
export type PageParts = ControlParts;

export interface PageRequest {
  readonly parts: PageParts;
  readonly world: World;
  /** Path of the page without its query. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The submitted fields; empty for a GET. */
  readonly form: URLSearchParams;
  /** The raw body, for uploads. */
  readonly sent: SentForm;
  readonly baseUrl: string;
  /** The form of this page that was just rejected. The page shows it again with its input. */
  readonly refusal: Refused | null;
}

export interface Refused {
  readonly message: string;
  readonly form: URLSearchParams;
}

export interface PageView {
  readonly title: string;
  /** The navigation entry to which the page belongs. */
  readonly under: string;
  /** Context of the record, which is shown below the title. */
  readonly lead?: Html;
  readonly body: Html;
}

/** Processes a form. Returns the address of the next page as text, or any other value to stay on this page. */
export type PageAction = (page: PageRequest) => unknown;

export interface PageRoute {
  readonly path: string;
  readonly show: (page: PageRequest) => PageView;
  /** Value of the form's `do` → its action. */
  readonly actions?: Readonly<Record<string, PageAction>>;
}
