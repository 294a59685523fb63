import { describeStatus, type Status } from '../../../operations/describe-status.js';
import { withStores } from '../../../operations/with-stores.js';
import { formatMinute, plural } from '../../../report/sections/words.js';
import { describeUnderWay, ENDINGS } from '../../../report/texts/run-lines.js';
import { summariseWaiting } from '../../../report/texts/waiting-text.js';
import { formatNumber, type Html, html } from '../../../report/writers/page/html-text.js';
import { configOf } from '../deciding.js';
import { readingFor } from '../reading.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderWaiting } from './waiting-list.js';

/** One tenant: what waits, what the last runs did, how fresh the sources are. It is `status`, with what may be done about it. */
export const TENANT_ROUTE: WebRoute = {
  method: 'GET',
  path: '/tenants/:tenant',
  audience: 'viewer',
  answer: showTenant,
};

async function showTenant(request: WebRequest): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const { status, reading } = await withStores(context, (stores) => ({
    status: describeStatus(context, stores),
    reading: readingFor(request, stores.audit),
  }));
  const summary = summariseWaiting(status.waiting);
  const body = html`${renderNow(status)}
<section id="waiting" aria-labelledby="waiting-heading"><h2 id="waiting-heading">Waiting</h2>${renderWaiting(request, status.waiting, reading)}</section>
<section id="runs" aria-labelledby="runs-heading"><h2 id="runs-heading">Last runs</h2>${renderRuns(status)}</section>
<section id="sources" aria-labelledby="sources-heading"><h2 id="sources-heading">Sources</h2>${renderSources(status)}</section>`;
  return {
    title: request.tenant?.name ?? '',
    under: '/',
    lead: html`${summary === '' ? 'Nothing waits for a person.' : `Waiting: ${summary}.`}`,
    body,
  };
}

function renderNow({ under_way: work }: Status): Html | null {
  if (work === null) return null;
  const since = work.since === null ? '' : ` since ${formatMinute(work.since)}`;
  return html`<p class="notice" role="status">${work.holder}${since}: ${describeUnderWay(work)}</p>`;
}

/** By the exit code. */
const TONES: Readonly<Record<number, string>> = { 0: 'good', 1: 'bad' };

function renderRuns({ runs }: Status): Html {
  if (runs.length === 0) return html`<p>None yet.</p>`;
  const rows = runs.map(({ id, command, started_at, ended_at, exit_code, result }) => {
    const ended = ended_at === null ? 'not ended' : (ENDINGS[exit_code ?? 1] ?? `exit ${exit_code}`);
    const tone = ended_at === null ? 'plain' : (TONES[exit_code ?? 1] ?? 'warn');
    return html`<tr><th scope="row"><time>${formatMinute(started_at)}</time></th><td data-name="Command">${command}</td><td data-name="Changes" class="number">${formatNumber(Number(result?.done ?? 0))}</td>
<td data-name="Ended"><span class="badge tone-${tone}">${ended}</span></td><td data-name="Run"><code>${id}</code></td></tr>`;
  });
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Began</th><th scope="col">Command</th><th scope="col" class="number">Changes done</th><th scope="col">Ended</th><th scope="col">Run</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function renderSources({ sources }: Status): Html {
  const rows = sources.map(
    ({ source, rows: count, last_complete_read: at }) =>
      html`<tr><th scope="row">${source}</th><td data-name="Read whole">${at === null ? 'not yet' : formatMinute(at)}</td><td data-name="Rows" class="number">${count === null ? null : plural(count, 'row')}</td></tr>`,
  );
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Source</th><th scope="col">Read whole</th><th scope="col" class="number">Rows</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
