import { type Html, html } from '../../../../report/writers/page/html-text.js';
import type { ConflictResolution } from '../../../../store/state/outbox-store.js';
import { mayHere, tenantPath } from '../deciding.js';
import type { Reading } from '../reading.js';
import type { WebRequest } from '../route.js';
import { renderRevoke } from './form-parts.js';
import { nextRunText, renderTime } from './times.js';

/** The decision on a conflict, which the next run carries out, with a form to revoke it. */
export function renderDecided(
  request: WebRequest,
  { id, decision }: { readonly id: string; readonly decision: Omit<ConflictResolution, 'question' | 'entity' | 'key'> },
  { show }: Reading,
): Html {
  const { winner, who, reason, at } = decision;
  const why = reason === '' ? null : html`: ${show(reason)}`;
  const form = { id, action: `${tenantPath(request)}/resolve/revoke`, hidden: { id } };
  const next = nextRunText(request);
  const revoke = mayHere(request, 'approver') ? renderRevoke(request, 'Revoke the decision', form) : null;
  return html`<p>${show(who)} decided on ${renderTime(request, at)} that the ${winner} is right${why}. The next run carries it out.${next === null ? null : ` ${next}`}</p>${revoke}`;
}
