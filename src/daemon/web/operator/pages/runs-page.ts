import { type RunNumbers, summariseRuns } from '../../../../operations/summarise-runs.js';
import { withStores } from '../../../../operations/with-stores.js';
import { formatAge, formatSeconds } from '../../../../report/sections/words.js';
import { ENDINGS } from '../../../../report/texts/run-lines.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import { configOf, tenantPath } from '../deciding.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderColumns } from './columns-chart.js';
import { renderTime, timeText } from './times.js';

/** The runs of a tenant, newest first, with charts over time. */
export const RUNS_ROUTE: WebRoute = {
  method: 'GET',
  path: '/tenants/:tenant/runs',
  audience: 'viewer',
  answer: showRuns,
};

const RUNS_A_PAGE = 60;

async function showRuns(request: WebRequest): Promise<OperatorPage> {
  const config = configOf(request);
  const before = request.query.get('before');
  const isTime = before !== null && !Number.isNaN(Date.parse(before));
  const { runs, hasMore } = await withStores({ config, clock: request.parts.clock }, (stores) =>
    summariseRuns(config, stores, { before: isTime ? before : null, limit: RUNS_A_PAGE }),
  );
  const name = request.tenant?.name ?? '';
  const last = runs.at(-1);
  const more =
    hasMore && last !== undefined
      ? html`<nav class="pager" aria-label="Pages of runs"><a href="?before=${encodeURIComponent(last.startedAt)}">Earlier runs</a></nav>`
      : null;
  const body = html`${runs.length === 0 ? html`<p>None yet.</p>` : html`${renderCharts(request, runs)}${renderRuns(request, runs)}${more}`}`;
  return { title: `Runs of ${name}`, under: '/', body };
}

function renderCharts(request: WebRequest, runs: readonly RunNumbers[]): Html {
  const inTime = runs.toReversed();
  const column = (of: (run: RunNumbers) => number | null, tone: (run: RunNumbers) => string) =>
    inTime.map((run) => ({ label: timeText(request, run.startedAt), value: of(run), tone: tone(run) }));
  return html`<div class="multiples">${renderColumns({ id: 'done', title: 'Changes done', columns: column(({ done }) => done, toneOf), format: formatNumber })}
${renderColumns({
  id: 'held',
  title: 'Held for a decision',
  columns: column(
    ({ held }) => held,
    () => 'warn',
  ),
  format: formatNumber,
})}
${renderColumns({
  id: 'seconds',
  title: 'Duration',
  columns: column(
    ({ seconds }) => seconds,
    () => 'plain',
  ),
  format: formatSeconds,
})}
${renderColumns({
  id: 'stale',
  title: 'Oldest source',
  columns: column(
    ({ staleMs }) => staleMs,
    () => 'accent',
  ),
  format: formatAge,
})}</div>`;
}

/** Colours of runs by exit code. */
const TONES: Readonly<Record<number, string>> = { 0: 'good', 1: 'bad' };

function toneOf({ exitCode }: RunNumbers): string {
  return exitCode === null ? 'plain' : (TONES[exitCode] ?? 'warn');
}

export function renderRuns(request: WebRequest, runs: readonly RunNumbers[]): Html {
  const rows = runs.map((run) => {
    const { id, command, undoes, startedAt, done, failed, held, seconds } = run;
    const number = (name: string, count: number | null): Html =>
      html`<td data-name="${name}:" class="number">${count === null ? '·' : formatNumber(count)}</td>`;
    return html`<tr><th scope="row"><a href="${tenantPath(request)}/runs/${encodeURIComponent(id)}">${renderTime(request, startedAt)}</a></th><td>${command}${renderUndone(request, undoes)}</td>${number('Done', done)}${number('Failed', failed)}${number('Held', held)}<td data-name="Took:" class="number">${seconds === null ? '·' : formatSeconds(seconds)}</td><td><span class="badge tone-${toneOf(run)}">${runEndText(run)}</span></td></tr>`;
  });
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Began</th><th scope="col">Command</th><th scope="col" class="number">Done</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Held</th><th scope="col" class="number">Took</th><th scope="col">Ended</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** ` of an earlier run`, with a link. */
function renderUndone(request: WebRequest, undoes: string | null): Html | null {
  if (undoes === null) return null;
  return html` of <a href="${tenantPath(request)}/runs/${encodeURIComponent(undoes)}">an earlier run</a>`;
}

function runEndText({ isUnderWay, endedAt, exitCode }: RunNumbers): string {
  if (isUnderWay) return 'under way';
  return endedAt === null ? 'did not end' : (ENDINGS[exitCode ?? 1] ?? `exit ${exitCode}`);
}
