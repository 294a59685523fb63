import type { WaitingItem } from '../../../../model/waiting.js';
import { describeStatus, type Status } from '../../../../operations/describe-status.js';
import { summariseRuns } from '../../../../operations/summarise-runs.js';
import { withStores } from '../../../../operations/with-stores.js';
import { isDecided, summariseWaiting } from '../../../../report/texts/waiting-text.js';
import { formatNumber, groupDigits, type Html, html, value } from '../../../../report/writers/page/html-text.js';
import type { UntakenWord } from '../../../tenants/backend.js';
import { configOf, tenantPath } from '../deciding.js';
import { type Reading, readingFor, readingOffline } from '../reading.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderAskForms, renderLive, renderSignalled } from './now-page.js';
import { renderPaused, renderPauseForm } from './pause-form.js';
import { renderRuns } from './runs-page.js';
import { renderStoppages } from './stoppage-notice.js';
import { nextRunText, renderTime } from './times.js';
import { renderWaiting } from './waiting-list.js';

/** One tenant with pending items, last runs and age of the sources. Shows the same as `status`, with forms. */
export const TENANT_ROUTE: WebRoute = {
  method: 'GET',
  path: '/tenants/:tenant',
  audience: 'viewer',
  answer: showTenant,
};

const LAST_RUNS = 5;

async function showTenant(request: WebRequest): Promise<OperatorPage> {
  if (isUnusable(request)) return showUnusable(request);
  const context = { config: configOf(request), clock: request.parts.clock };
  const { status, reading, runs } = await withStores(context, (stores) => ({
    status: describeStatus(context, stores),
    reading: readingFor(request, stores.audit),
    runs: summariseRuns(context.config, stores, { before: null, limit: LAST_RUNS }).runs,
  }));
  const summary = summariseWaiting(status.waiting);
  // The notice of a pause says when runs start again.
  const next = status.paused === null ? nextRunText(request) : null;
  const decided = status.waiting.filter(isDecided);
  const waiting = status.waiting.filter((item) => !isDecided(item));
  const untaken = await request.parts.daemon.listUntaken(request.tenant?.name ?? '');
  const body = html`${renderStoppages(request, reading)}${renderPaused(request, status.paused, reading)}${renderSignalled(request)}${renderLive(request)}${untaken.map((one) => renderUntaken(request, one))}${renderAskForms(request)}
<section id="waiting" aria-labelledby="waiting-heading"><h2 id="waiting-heading">Waiting</h2>${renderWaiting(request, waiting, reading)}</section>${renderDecided(request, decided, reading)}
<section id="runs" aria-labelledby="runs-heading"><h2 id="runs-heading">Last runs</h2>${renderRuns(request, runs)}<p><a href="${tenantPath(request)}/runs">All runs, over time</a></p></section>
<section id="sources" aria-labelledby="sources-heading"><h2 id="sources-heading">Sources</h2>${renderSources(request, status)}</section>${status.paused === null ? renderPauseForm(request) : null}`;
  return {
    title: request.tenant?.name ?? '',
    under: '/',
    lead: html`${summary === '' ? 'Nothing needs a decision.' : groupDigits(`Waiting: ${summary}.`)}${next === null ? null : ` ${next}`}`,
    body,
  };
}

/** Approved changes, decided conflicts, declined changes and undone values. They need no further decision. */
function renderDecided(request: WebRequest, items: readonly WaitingItem[], reading: Reading): Html | null {
  if (items.length === 0) return null;
  return html`<section id="decided" aria-labelledby="decided-heading"><h2 id="decided-heading">Decided</h2><p class="muted">The next run follows these decisions. Until then, you can revoke them.</p>${renderWaiting(request, items, reading)}</section>`;
}

/** True if there is no valid configuration or no usable state. */
function isUnusable({ tenant }: WebRequest): boolean {
  const phase = tenant?.status?.phase ?? null;
  return phase === 'broken' || phase === 'stopped' || (phase === null && tenant?.problem != null);
}

function showUnusable(request: WebRequest): OperatorPage {
  const title = request.tenant?.name ?? '';
  return { title, under: '/', body: html`${renderStoppages(request, readingOffline(request))}` };
}

/** Operations by their names on the page. */
const DECISIONS: Readonly<Record<string, string>> = {
  approve: 'An approval',
  decline: 'A decline',
  acknowledgeHold: 'An acknowledgement',
  resolveHold: 'An answer',
};

function renderUntaken(request: WebRequest, { operation, by, atMs }: UntakenWord): Html {
  return html`<p class="notice">${DECISIONS[operation] ?? 'A decision'} by ${value(by)}, given on ${renderTime(request, atMs)}, was checked and stored. It takes effect as soon as a daemon reads it.</p>`;
}

function renderSources(request: WebRequest, { sources }: Status): Html {
  const rows = sources.map(
    ({ source, rows: count, last_complete_read: at }) =>
      html`<tr><th scope="row">${source}</th><td data-name="Read completely:">${at === null ? 'not yet' : renderTime(request, at)}</td><td data-name="Rows:" class="number">${count === null ? '·' : formatNumber(count)}</td></tr>`,
  );
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Source</th><th scope="col">Read completely</th><th scope="col" class="number">Rows</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
