import { mayActAs } from '../../../../config/access/roles.js';
import { describeSignals } from '../../../../model/signal.js';
import type { WorkOrder } from '../../../../operations/work-order.js';
import { type Html, html, value } from '../../../../report/writers/page/html-text.js';
import type { AskedKind, AskedWork } from '../../../tenants/asked-work.js';
import { configOf, decided, tenantPath } from '../deciding.js';
import { followWork, readWork } from '../follow-work.js';
import type { Onward, OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderPosted } from './form-parts.js';
import { nextRunText, pausedUntil, renderTime } from './times.js';

const PATH = '/tenants/:tenant';

/** Shows the current work of a tenant, and accepts requests for a plan or a run. The daemon queues them. */
export const NOW_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: `${PATH}/now`, audience: 'viewer', answer: showNow },
  { method: 'GET', path: `${PATH}/now/events`, audience: 'viewer', answer: followWork },
  { method: 'POST', path: `${PATH}/now/plan`, audience: 'approver', answer: (request) => askFor(request, 'plan') },
  { method: 'POST', path: `${PATH}/now/run`, audience: 'operator', answer: (request) => askFor(request, 'run') },
  {
    method: 'POST',
    path: `${PATH}/now/deliveries`,
    audience: 'operator',
    answer: (request) => askFor(request, 'deliveries'),
  },
];

/** A browser without scripts reloads the page this often. */
const REFRESH_SECONDS = 5;

async function showNow(request: WebRequest): Promise<OperatorPage | Onward> {
  configOf(request);
  const { tenant, parts, query } = request;
  const asked = await parts.daemon.findAsked(tenant?.name ?? '', query.get('work') ?? '');
  if (asked?.state === 'ended' && asked.result !== null && asked.problem === null)
    return { to: resultPath(request, asked.kind, asked.result) };
  const live = renderLive(request);
  const signalled = renderSignalled(request);
  const status = parts.daemon.list().find(({ name }) => name === tenant?.name)?.status ?? null;
  const next = nextRunText(request);
  const body = html`${signalled}${live ?? html`<p>Nothing is under way.${next === null ? null : ` ${next}`}</p>`}${renderAsked(request, status?.asked ?? null)}${renderAskForms(request)}`;
  return {
    title: `${tenant?.name ?? ''} now`,
    under: '/',
    body,
    ...(live === null && signalled === null ? {} : { refresh: REFRESH_SECONDS }),
  };
}

/** The work under way, updated by a script; null if there is none. */
export function renderLive(request: WebRequest): Html | null {
  const work = readWork(request);
  if (work === null) return null;
  return html`<p class="notice" role="status" data-live="${tenantPath(request)}/now/events">${work}</p>`;
}

/** The run that will start for signalled changes; null if there is none. */
export function renderSignalled(request: WebRequest): Html | null {
  const { parts, tenant } = request;
  const next = parts.daemon.signals.next(tenant?.name ?? '');
  if (next === null) return null;
  const seconds = Math.max(0, Math.ceil((next.atMs - parts.clock.now()) / 1_000));
  const isDecided = next.signals.some(({ kind }) => kind === 'approval');
  const approvals = `${tenantPath(request)}/plans/newest#approvals`;
  const mayRevoke = isDecided
    ? html` Until then <a href="${approvals}">an approval can be revoked</a>, and then no run starts.`
    : null;
  return html`<p class="notice">A run starts in <span data-countdown="${seconds}">${seconds}</span> s, at ${renderTime(request, next.atMs)}: ${describeSignals(next.signals)}.${mayRevoke}</p>`;
}

function resultPath(request: WebRequest, kind: AskedKind, result: string): string {
  return `${tenantPath(request)}/${kind}s/${encodeURIComponent(result)}`;
}

const ASKED: Readonly<Record<AskedKind, readonly [subject: string, ended: string]>> = {
  plan: ['The plan', 'has ended'],
  run: ['The run', 'has ended'],
  deliveries: ['The attempt at the due deliveries', 'has succeeded'],
};

function renderAsked(request: WebRequest, asked: AskedWork | null): Html | null {
  if (asked?.state !== 'ended') return null;
  const { kind, by, askedMs, result, problem } = asked;
  const [subject, ended] = ASKED[kind];
  const who = html`${subject} that ${value(by)} requested on ${renderTime(request, askedMs)}`;
  const link = result === null ? null : html` <a href="${resultPath(request, kind, result)}">See the result</a>`;
  if (problem !== null) return html`<p class="notice tone-bad">${who} failed: ${value(problem.message)}${link}</p>`;
  return html`<p class="notice">${who} ${ended}.${link}</p>`;
}

const FORMS: readonly {
  readonly kind: AskedKind;
  readonly role: 'approver' | 'operator';
  readonly what: string;
  readonly means: string;
}[] = [
  { kind: 'plan', role: 'approver', what: 'Plan now', means: 'shows what a run would do, and writes nothing' },
  { kind: 'run', role: 'operator', what: 'Run now', means: 'makes the changes now, as the schedule would' },
];

/** Forms for the work that the person may request; null while the tenant is paused. */
export function renderAskForms(request: WebRequest): Html | null {
  if (pausedUntil(request) !== null) return null;
  const access = request.accessTo(request.tenant?.name ?? '');
  const forms = FORMS.filter((form) => mayActAs(access, form.role)).map(({ kind, what, means }) => {
    const id = `means-${kind}`;
    const body = html`<button aria-describedby="${id}">${what}</button> <span class="muted" id="${id}">${means}</span>`;
    return renderPosted(request, { look: 'inline', action: `${tenantPath(request)}/now/${kind}` }, body);
  });
  return forms.length === 0 ? null : html`<div class="actions">${forms}</div>`;
}

/** Requests work, and leads to the page that shows first its progress and then its result. */
export async function askFor(request: WebRequest, kind: AskedKind, order: WorkOrder | null = null): Promise<Onward> {
  configOf(request);
  const { parts, tenant, person } = request;
  const work = await decided(parts.daemon.ask(tenant?.name ?? '', kind, person?.who ?? '', order));
  return {
    to: `${tenantPath(request)}/now${work === null ? '' : `?work=${work.id}`}`,
    said: `${ASKED[kind][0]} was requested.`,
  };
}
