import { type OpenedReport, openPlan, openRun } from '../../../../operations/open-report.js';
import { withStores } from '../../../../operations/with-stores.js';
import { chartStates, describeCounts, describeHeadline } from '../../../../report/sections/counts.js';
import { listSections } from '../../../../report/sections/list-sections.js';
import { capitalise } from '../../../../report/sections/words.js';
import { renderBlock, renderChart, renderFacts, renderSection } from '../../../../report/writers/page/blocks.js';
import { groupDigits, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { Stores } from '../../../../store/open-stores.js';
import { configOf, decided, tenantPath } from '../deciding.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderApprovals, renderDeclines } from './given-approvals.js';
import { renderLive, renderSignalled } from './now-page.js';
import { renderChanges } from './run-changes.js';
import { renderCause, renderGuards } from './run-guards.js';
import { renderState } from './run-state.js';
import { type RunView, readView } from './run-view.js';
import { timeText } from './times.js';
import { renderUndoPlan, renderUndoRun } from './undo-form.js';

/** Shows one run or plan, with its basis and all its changes. Approvals are given here. */
export const RUN_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: '/tenants/:tenant/runs/:run', audience: 'viewer', answer: showRun },
  { method: 'GET', path: '/tenants/:tenant/plans/:plan', audience: 'viewer', answer: showPlan },
];

/** Means the newest run in an address. */
const NEWEST = 'newest';

function showRun(request: WebRequest): Promise<OperatorPage> {
  const { run = '' } = request.params;
  return show(request, (stores) => openRun(configOf(request), stores, run === NEWEST ? null : run));
}

function showPlan(request: WebRequest): Promise<OperatorPage> {
  const { plan = '' } = request.params;
  // Keeps only an id, because a plan file elsewhere may belong to another tenant.
  const id = plan.replace(/[^\w-]/g, '');
  return show(request, (stores) => openPlan(configOf(request), stores, id));
}

async function show(request: WebRequest, open: (stores: Stores) => Promise<OpenedReport>): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const view = await decided(withStores(context, async (stores) => readView(request, stores, await open(stores))));
  return renderView(request, view);
}

/** Sections of the report that this page shows elsewhere. */
const SAID: ReadonlySet<string> = new Set(['guards']);

function renderView(request: WebRequest, view: RunView): OperatorPage {
  const { report, selected, run, plan } = view;
  const { tally } = selected;
  const { kind, at, notes, id } = report;
  const said = notes.map((note) => html`<p>${view.reading.show(note)}</p>`);
  const [states, counts] = [chartStates(tally), describeCounts(tally)];
  const sections = listSections(report, tally).filter((section) => !SAID.has(section.id));
  const headline = groupDigits(describeHeadline(tally));
  const ofPlan =
    run === null || plan === null
      ? null
      : html` <a href="${tenantPath(request)}/plans/${encodeURIComponent(plan.meta.plan)}">its plan</a>`;
  const body = html`${renderState(request, view)}<p class="lead">${capitalise(headline)}. <code>${id}</code>${ofPlan}</p>${renderSignalled(request)}${run?.under_way === undefined ? null : renderLive(request)}${said.length === 0 ? null : html`<div class="notice tone-bad" role="note">${said}</div>`}
${renderUndoPlan(request, view)}${renderGuards(request, view)}${renderApprovals(request, view)}${renderDeclines(request, view)}${renderCause(request, view)}
${states === null ? null : toQueries(renderChart(states))}
<section id="changes" aria-labelledby="changes-heading"><h2 id="changes-heading">Changes</h2>${renderChanges(request, view)}</section>
${counts === null ? null : html`<section id="counts" aria-labelledby="counts-heading"><h2 id="counts-heading">In numbers</h2>${toQueries(renderBlock(counts))}</section>`}
${sections.map((section) => toQueries(renderSection(section)))}
<details class="group"><summary>About this ${kind}</summary>${renderFacts(report.facts)}</details>${renderUndoRun(request, view)}`;
  return {
    title: `${kind === 'plan' ? 'Plan' : 'Run'} of ${timeText(request, at)}`,
    under: '/',
    body,
    ...(run?.under_way === undefined ? {} : { refresh: 5 }),
  };
}

/** Replaces the filters of a report with queries. A report filters by a script, but these pages ask the server. */
function toQueries({ html: text }: Html): Html {
  return { html: text.replace(/href="#(\w+=[^"]*)"/g, 'href="?$1#changes"') };
}
