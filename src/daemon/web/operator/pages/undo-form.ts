import { CONFIRM_UNDO, undoSubject } from '../../../../operations/confirm-undo.js';
import { isSameApprover } from '../../../../operations/weigh-approval.js';
import { PLAIN_ORDER } from '../../../../operations/work-order.js';
import { plural } from '../../../../report/sections/words.js';
import { renderBox, renderField, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { groupDigits, type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { demandReason, fieldOf, mayHere, perform, tenantPath } from '../deciding.js';
import { type Onward, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderPosted, whyField } from './form-parts.js';
import { askFor } from './now-page.js';
import type { RunView } from './run-view.js';

/** Undoes a run in two steps, as `undo --plan` and `apply` do: an operator requests the plan, and then confirms it. */
export const UNDO_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/tenants/:tenant/runs/:run/undo', audience: 'operator', answer: planUndo },
  { method: 'POST', path: '/tenants/:tenant/plans/:plan/undo', audience: 'operator', answer: carryOut },
];

/** On the page of a run that made changes: requests the plan that undoes it. */
export function renderUndoRun(request: WebRequest, { run, selected }: RunView): Html | null {
  const isOver = run !== null && run.ended_at !== null && run.command !== 'undo';
  if (!isOver || !mayHere(request, 'operator') || (selected.tally.states.get('done') ?? 0) === 0) return null;
  const only = { id: 'undo-only', name: 'only', maxlength: 200, autocomplete: 'off' };
  const body = html`<p>First you see the plan. Nothing is written before you confirm it.</p><div class="fields">${renderField('One person alone (key or e-mail; empty: the whole run)', only)}</div><p><button>Show what it would take back</button></p>`;
  const action = `${tenantPath(request)}/runs/${encodeURIComponent(run.id)}/undo`;
  return renderRemoval('Undo this run', renderPosted(request, { look: 'record', action }, body));
}

/** On the page of a plan that undoes a run: confirms it. */
export function renderUndoPlan(request: WebRequest, view: RunView): Html | null {
  const { plan, run, selected, isExpired } = view;
  const undoes = plan?.meta.undoes;
  if (plan === null || undoes === undefined || run !== null) return null;
  const link = html`<a href="${tenantPath(request)}/runs/${encodeURIComponent(undoes.run)}">an earlier run</a>`;
  const found = groupDigits(plural(selected.tally.rows, 'change'));
  const forms = isExpired || !mayHere(request, 'operator') ? null : renderConfirm(request, view, found);
  const end = isExpired
    ? html`<p>It is too old to be carried out: ask for a new one on the page of that run.</p>`
    : null;
  return html`<section id="undo" aria-labelledby="undo-heading" class="notice tone-warn"><h3 id="undo-heading">This plan takes back what ${link} did</h3><p>It makes ${found}, listed below. What it changes stays as it is then, until a source asks for something else.</p>${end}<div class="actions">${forms}</div></section>`;
}

function renderConfirm(request: WebRequest, { plan, halfApproved, who, via }: RunView, found: string): Html {
  const id = plan?.meta.plan ?? '';
  const first = halfApproved.get(undoSubject(id)) ?? null;
  const said =
    first === null
      ? null
      : html`<p>${value(first.who)} has confirmed it: ${value(first.reason)}. It takes a second person.</p>`;
  if (isSameApprover(first, { who, via })) return html`${said}`;
  const body = html`<div class="fields">${renderField('Why', whyField('undo-why'))}</div><p>${renderBox(html`I have looked at the ${found}`, { name: 'looked', value: 'yes', required: true })}</p><p><button class="main">Undo ${found}</button></p>`;
  const action = `${tenantPath(request)}/plans/${encodeURIComponent(id)}/undo`;
  return html`${said}${renderPosted(request, { look: 'record', action }, body)}`;
}

function planUndo(request: WebRequest): Promise<Onward> {
  const run = request.params.run ?? '';
  const typed = fieldOf(request, 'only');
  const only = typed === '' || typed.includes(':') ? typed : `user:${typed}`;
  return askFor(request, 'plan', { ...PLAIN_ORDER, only: only === '' ? null : only, undo: { run, reason: '' } });
}

async function carryOut(request: WebRequest): Promise<Onward> {
  const plan = (request.params.plan ?? '').replace(/[^\w-]/g, '');
  const reason = demandReason(request);
  if (fieldOf(request, 'looked') !== 'yes') throw new WebRefusal(400, 'Look at what it changes, and confirm it.');
  const { run, confirmed } = await perform(request, CONFIRM_UNDO, { plan, reason });
  if (!confirmed) return { to: `${tenantPath(request)}/plans/${encodeURIComponent(plan)}#undo` };
  return askFor(request, 'run', { ...PLAIN_ORDER, plan, undo: { run, reason } });
}
