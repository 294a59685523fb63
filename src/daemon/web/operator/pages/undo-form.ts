import { foldKey } from '../../../../model/observed.js';
import { CONFIRM_UNDO, undoSubject } from '../../../../operations/confirm-undo.js';
import { FIND_PEOPLE } from '../../../../operations/find-people.js';
import { isSameApprover } from '../../../../operations/weigh-approval.js';
import { PLAIN_ORDER } from '../../../../operations/work-order.js';
import { plural } from '../../../../report/sections/words.js';
import { renderBox, renderField, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { groupDigits, type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { decisionOf, demandReason, fieldOf, mayHere, perform, tenantPath } from '../deciding.js';
import { type Onward, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderPosted, whyField } from './form-parts.js';
import { askFor } from './now-page.js';
import type { RunView } from './run-view.js';

/** Undoes a run in two steps, as `undo --plan` and `apply` do: an operator requests the plan, then confirms it. */
export const UNDO_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/tenants/:tenant/runs/:run/undo', audience: 'operator', answer: planUndo },
  { method: 'POST', path: '/tenants/:tenant/plans/:plan/undo', audience: 'operator', answer: carryOut },
];

/** The form on the page of a run that made changes. The form requests the plan that undoes the run. */
export function renderUndoRun(request: WebRequest, { run, selected }: RunView): Html | null {
  const isOver = run !== null && run.ended_at !== null && run.command !== 'undo';
  if (!isOver || !mayHere(request, 'operator') || (selected.tally.states.get('done') ?? 0) === 0) return null;
  const person = request.query.get('undo');
  const only = { id: 'undo-only', name: 'only', maxlength: 200, autocomplete: 'off', value: person };
  const body = html`<p>You see the plan first. Nothing is written before you confirm it.</p><div class="fields">${renderField('Only one person (key, e-mail or name; empty: the complete run)', only)}</div><p><button>Show what it would undo</button></p>`;
  const action = `${tenantPath(request)}/runs/${encodeURIComponent(run.id)}/undo`;
  const form = renderPosted(request, { look: 'record', action }, body);
  return html`<div id="undo-run">${renderRemoval('Undo this run', form, person !== null)}</div>`;
}

/** The page of the run, with the form that undoes it for one person. */
export function undoPath(request: Pick<WebRequest, 'tenant'>, run: string, key: string): string {
  const asked = new URLSearchParams({ undo: key });
  return `${tenantPath(request)}/runs/${encodeURIComponent(run)}?${asked.toString()}#undo-run`;
}

/** The form that confirms a plan that undoes a run, on the page of the plan. */
export function renderUndoPlan(request: WebRequest, view: RunView): Html | null {
  const { plan, run, selected, isExpired } = view;
  const undoes = plan?.meta.undoes;
  if (plan === null || undoes === undefined || run !== null) return null;
  const link = html`<a href="${tenantPath(request)}/runs/${encodeURIComponent(undoes.run)}">an earlier run</a>`;
  const found = groupDigits(plural(selected.tally.rows, 'change'));
  const forms = isExpired || !mayHere(request, 'operator') ? null : renderConfirm(request, view, found);
  const end = isExpired ? html`<p>It has expired. Request a new one on the page of that run.</p>` : null;
  return html`<section id="undo" aria-labelledby="undo-heading" class="notice tone-warn"><h3 id="undo-heading">This plan undoes what ${link} did</h3><p>It makes ${found}, listed below. The changed values stay undone until a source asks for something else.</p>${end}<div class="actions">${forms}</div></section>`;
}

function renderConfirm(request: WebRequest, { plan, halfApproved, who, via }: RunView, found: string): Html {
  const id = plan?.meta.plan ?? '';
  const first = halfApproved.get(undoSubject(id)) ?? null;
  const said =
    first === null
      ? null
      : html`<p>${value(first.who)} has confirmed it: ${value(first.reason)}. A second person must confirm it.</p>`;
  if (isSameApprover(first, { who, via })) return html`${said}`;
  const body = html`<div class="fields">${renderField('Why', whyField('undo-why'))}</div><p>${renderBox(html`I have reviewed the ${found}`, { name: 'looked', value: 'yes', required: true })}</p><p><button class="danger">Undo ${found}</button></p>`;
  const action = `${tenantPath(request)}/plans/${encodeURIComponent(id)}/undo`;
  return html`${said}${renderPosted(request, { look: 'record', action }, body)}`;
}

/**
 * Reads the person for whom the changes are undone, in the form of the command. @throws WebRefusal 400 if a name fits
 * several people
 */
async function readOnly(request: WebRequest): Promise<string> {
  const typed = fieldOf(request, 'only');
  if (typed === '' || typed.includes(':')) return typed;
  const { found } = await perform(request, FIND_PEOPLE, { entity: 'users', words: typed });
  const people = found.flatMap(({ key, label }) => (key === null ? [] : [{ key, label }]));
  const keys = people.map(({ key }) => key);
  const isExact = typed.includes('@') || keys.some((key) => foldKey(key) === foldKey(typed));
  if (!isExact && keys.length > 1) {
    const isVeiled = decisionOf(request).isVeiled === true;
    const shown = people
      .slice(0, SHOWN_PEOPLE)
      .map(({ key, label }) => (isVeiled || label === null ? key : `${label.replace(/ <[^<>]*>$/, '')} (${key})`));
    const more = people.length > SHOWN_PEOPLE ? ' and others' : '';
    throw new WebRefusal(
      400,
      `${people.length} people match “${typed}”: ${shown.join(', ')}${more}. Enter one of the keys.`,
    );
  }
  return `user:${isExact ? typed : (keys[0] ?? typed)}`;
}

const SHOWN_PEOPLE = 5;

async function planUndo(request: WebRequest): Promise<Onward> {
  const run = request.params.run ?? '';
  const only = await readOnly(request);
  return askFor(request, 'plan', { ...PLAIN_ORDER, only: only === '' ? null : only, undo: { run, reason: '' } });
}

async function carryOut(request: WebRequest): Promise<Onward> {
  const plan = (request.params.plan ?? '').replace(/[^\w-]/g, '');
  const reason = demandReason(request);
  if (fieldOf(request, 'looked') !== 'yes')
    throw new WebRefusal(400, 'Review the changes, and tick the box to confirm the undo.');
  const { run, confirmed } = await perform(request, CONFIRM_UNDO, { plan, reason });
  if (!confirmed) {
    const said = 'You confirmed this undo. A second person must confirm it.';
    return { to: `${tenantPath(request)}/plans/${encodeURIComponent(plan)}`, said };
  }
  return {
    ...(await askFor(request, 'run', { ...PLAIN_ORDER, plan, undo: { run, reason } })),
    said: 'You confirmed the undo.',
  };
}
