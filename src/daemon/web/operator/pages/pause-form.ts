import type { Pause } from '../../../../model/pause.js';
import { PAUSE, RESUME } from '../../../../operations/pause.js';
import { renderField, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import { configOf, demandReason, fieldOf, mayHere, perform, tenantPath } from '../deciding.js';
import type { Reading } from '../reading.js';
import type { Onward, WebRequest, WebRoute } from '../route.js';
import { joinSaid, renderPosted, renderRevoke, whyField } from './form-parts.js';
import { renderTime, timeText } from './times.js';

/** Pauses and resumes a tenant, as `pause` and `resume` do. */
export const PAUSE_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/tenants/:tenant/pause', audience: 'operator', answer: pause },
  { method: 'POST', path: '/tenants/:tenant/resume', audience: 'operator', answer: resume },
];

/** A notice of the pause, with the person who ordered it and the reason. An operator may end the pause. */
export function renderPaused(request: WebRequest, paused: Pause | null, { show }: Reading): Html | null {
  if (paused === null) return null;
  const { until, by, reason } = paused;
  const form = { id: 'pause', action: `${tenantPath(request)}/resume` };
  const end = mayHere(request, 'operator') ? renderRevoke(request, 'Resume now', form) : null;
  return html`<div class="notice tone-warn" role="status"><h3>Paused: runs resume at ${renderTime(request, until)}</h3>
<p>${show(by)}: ${show(reason)}</p><p>Nothing is planned or written until then. Pushes are accepted; approvals and declines keep the time that they have left.</p><div class="actions">${end}</div></div>`;
}

/** The form that pauses the tenant, for operators. */
export function renderPauseForm(request: WebRequest): Html | null {
  if (!mayHere(request, 'operator')) return null;
  const until = { id: 'pause-until', name: 'until', type: 'datetime-local', required: true };
  const body = html`<div class="fields">${renderField(`Resume at (${configOf(request).timezone})`, until)}
${renderField('Why', whyField('pause-why'))}</div><p><button>Pause</button></p>`;
  const form = { look: 'record', action: `${tenantPath(request)}/pause` } as const;
  return renderRemoval('Pause this tenant', renderPosted(request, form, body));
}

async function pause(request: WebRequest): Promise<Onward> {
  const order = { until: fieldOf(request, 'until'), reason: demandReason(request) };
  const { paused, under_way: work } = await perform(request, PAUSE, order);
  const said = joinSaid([
    `Paused. Runs resume at ${timeText(request, paused.until)}; nothing is planned or written before.`,
    work !== null && 'The work under way ends before its next change.',
  ]);
  return { to: tenantPath(request), said };
}

async function resume(request: WebRequest): Promise<Onward> {
  await perform(request, RESUME, { reason: demandReason(request) });
  const said = 'Resumed. Runs follow the schedule again, and one run makes up for those that were missed.';
  return { to: tenantPath(request), said };
}
