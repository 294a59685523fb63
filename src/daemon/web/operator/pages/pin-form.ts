import { RELEASE_PINS } from '../../../../operations/release-pins.js';
import type { Html } from '../../../../report/writers/page/html-text.js';
import { demandReason, fieldOf, mayHere, perform } from '../deciding.js';
import { readGoal } from '../read-goal.js';
import type { Onward, WebRequest, WebRoute } from '../route.js';
import { joinSaid, renderRevoke } from './form-parts.js';
import { objectPath, readMeant } from './object-words.js';
import { nextRunText } from './times.js';

/** Releases an undone value, as `undo --unpin` does. The next run writes it again if a source still asks for it. */
export const PIN_ROUTE: WebRoute = {
  method: 'POST',
  path: '/tenants/:tenant/people/:kind/:key/pins/release',
  audience: 'approver',
  answer: release,
};

/** The form on the page of the object, which leads back to that page; null for people who may not decide. */
export function renderReleasePin(request: WebRequest, key: string, path: string): Html | null {
  if (!mayHere(request, 'approver')) return null;
  const id = `pin-${path.replace(/[^\w]/g, '-')}`;
  const action = `${objectPath(request, request.params.kind ?? '', key)}/pins/release`;
  return renderRevoke(request, 'Let runs write it again', { id, action, hidden: { path, to: request.path } });
}

async function release(request: WebRequest): Promise<Onward> {
  const { entity, key } = readMeant(request);
  await perform(request, RELEASE_PINS, { entity, key, path: fieldOf(request, 'path'), reason: demandReason(request) });
  const said = joinSaid(['Runs may write this value again.', nextRunText(request)]);
  return { to: readGoal(fieldOf(request, 'to')), said };
}
