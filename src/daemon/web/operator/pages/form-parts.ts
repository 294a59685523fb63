import {
  type PostForm,
  renderLabelled,
  renderPost,
  renderRemoval,
} from '../../../../report/writers/page/form-parts.js';
import { type Html, type HtmlPiece, html } from '../../../../report/writers/page/html-text.js';
import { fieldOf, tenantPath } from '../deciding.js';
import { readGoal } from '../read-goal.js';
import type { WebRequest } from '../route.js';
import type { RunView } from './run-view.js';

/** A form that goes to an address; what goes along unseen may be nothing. */
export type PostedForm = Omit<PostForm, 'action' | 'hidden'> & {
  readonly action: string;
  readonly hidden?: PostForm['hidden'];
};

/** Every form that is posted proves that it came from these pages. */
export function renderPosted({ csrf }: Pick<WebRequest, 'csrf'>, form: PostedForm, body: HtmlPiece): Html {
  return renderPost({ ...form, hidden: { _csrf: csrf(), ...form.hidden } }, body);
}

/** Why somebody decides something: kept in the audit. */
export function renderReason(id: string, label: string): Html {
  return renderLabelled(label, whyField(id));
}

export function whyField(id: string) {
  return { id, name: 'reason', required: true, maxlength: 500, autocomplete: 'off' };
}

/** Takes a decision back, with a reason. */
export function renderRevoke(
  request: Pick<WebRequest, 'csrf'>,
  words: string,
  { id, action, hidden }: Omit<PostedForm, 'look'> & { readonly id: string },
): Html {
  const body = [renderReason(`revoke-${id}`, 'Why'), html`<button>${words}</button>`];
  return renderRemoval(words, renderPosted(request, { look: 'line', action, hidden: hidden ?? {} }, body));
}

/** Each form of a decision about a run carries along which run it is. */
export function runOf({ run }: Pick<RunView, 'run'>): Readonly<Record<string, string>> {
  return run === null ? {} : { run: run.id };
}

/** The page that the form was on. */
export function backTo(request: WebRequest, plan: string): string {
  const goal = fieldOf(request, 'back');
  if (goal !== '') return readGoal(goal);
  const run = fieldOf(request, 'run').replace(/[^\w-]/g, '');
  const page = run === '' ? `plans/${encodeURIComponent(plan)}` : `runs/${encodeURIComponent(run)}`;
  return `${tenantPath(request)}/${page}`;
}
