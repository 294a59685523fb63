import {
  type PostForm,
  renderLabelled,
  renderPost,
  renderRemoval,
} from '../../../../report/writers/page/form-parts.js';
import { groupDigits, type Html, type HtmlPiece, html } from '../../../../report/writers/page/html-text.js';
import { fieldOf, tenantPath } from '../deciding.js';
import { readGoal } from '../read-goal.js';
import type { WebRequest } from '../route.js';
import type { RunView } from './run-view.js';

/** A form with an address. Hidden fields are optional. */
export type PostedForm = Omit<PostForm, 'action' | 'hidden'> & {
  readonly action: string;
  readonly hidden?: PostForm['hidden'];
};

/**
 * The default button of a form, which Enter in a field presses. Its method is for dialogs, and the form is in none, so
 * nothing is sent. A disabled button would not do: from a date or a checkbox, Chromium presses the next button instead.
 */
const NO_ENTER = html`<button hidden formmethod="dialog" formnovalidate></button>`;

/**
 * Adds a CSRF token, so that the form proves that it came from these pages. Enter sends a form with one button. A form with
 * several buttons needs a click on one of them, because Enter would press the first.
 */
export function renderPosted({ csrf }: Pick<WebRequest, 'csrf'>, form: PostedForm, body: HtmlPiece): Html {
  const content = html`${body}`;
  const buttons = content.html.split('<button').length - 1;
  const first = buttons > 1 ? NO_ENTER : null;
  return renderPost({ ...form, hidden: { _csrf: csrf(), ...form.hidden } }, html`${first}${content}`);
}

/** The number of selected changes, in each button that decides them. The script fills it in. */
export const SELECTED = html`<span class="selected script"></span>`;

/** Joins the sentences about a decision. Those that do not apply are left out. */
export function joinSaid(sentences: readonly (string | false | null)[]): string {
  return groupDigits(sentences.filter((text) => text !== false && text !== null).join(' '));
}

/** The label of the day of a decline. A decline ends when this day begins. */
export const AGAIN_LABEL = 'Propose it again on (empty: when the source value changes)';

/** The reason for a decision, kept in the audit log. */
export function renderReason(id: string, label: string): Html {
  return renderLabelled(label, whyField(id));
}

export function whyField(id: string) {
  return { id, name: 'reason', required: true, maxlength: 500, autocomplete: 'off' };
}

/** A form that revokes a decision, with a reason. */
export function renderRevoke(
  request: Pick<WebRequest, 'csrf'>,
  words: string,
  { id, action, hidden }: Omit<PostedForm, 'look'> & { readonly id: string },
): Html {
  const body = [renderReason(`revoke-${id}`, 'Why'), html`<button>${words}</button>`];
  return renderRemoval(words, renderPosted(request, { look: 'line', action, hidden: hidden ?? {} }, body));
}

/** Hidden fields that name the run to which a decision belongs. */
export function runOf({ run }: Pick<RunView, 'run'>): Readonly<Record<string, string>> {
  return run === null ? {} : { run: run.id };
}

/** The path of the page that contained the form. */
export function backTo(request: WebRequest, plan: string): string {
  const goal = fieldOf(request, 'back');
  if (goal !== '') return readGoal(goal);
  const run = fieldOf(request, 'run').replace(/[^\w-]/g, '');
  const page = run === '' ? `plans/${encodeURIComponent(plan)}` : `runs/${encodeURIComponent(run)}`;
  return `${tenantPath(request)}/${page}`;
}
