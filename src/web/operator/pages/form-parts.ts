import { type Html, html } from '../../../report/writers/page/html-text.js';
import { fieldOf, tenantPath } from '../deciding.js';
import type { WebRequest } from '../route.js';
import type { RunView } from './run-page.js';

/** What every form of a decision carries along. */
export function hiddenFields({ csrf }: WebRequest, { run }: Pick<RunView, 'run'>): Html {
  const back = run === null ? null : html`<input type="hidden" name="run" value="${run.id}">`;
  return html`<input type="hidden" name="_csrf" value="${csrf()}">${back}`;
}

/** The page that the form was on. */
export function backTo(request: WebRequest, plan: string): string {
  const run = fieldOf(request, 'run').replace(/[^\w-]/g, '');
  const page = run === '' ? `plans/${encodeURIComponent(plan)}` : `runs/${encodeURIComponent(run)}`;
  return `${tenantPath(request)}/${page}`;
}
