import { mayActAs } from '../../../../config/access/roles.js';
import { compareTexts } from '../../../../model/compare-texts.js';
import { WAITING_KINDS, type WaitingItem } from '../../../../model/waiting.js';
import { withStores } from '../../../../operations/with-stores.js';
import { formatAge, plural } from '../../../../report/sections/words.js';
import { summariseWaiting } from '../../../../report/texts/waiting-text.js';
import { renderBox, renderSelect } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, groupDigits, type Html, html, showText } from '../../../../report/writers/page/html-text.js';
import type { Registered } from '../../../tenants/registry.js';
import { listStoppages, STOPPAGE_KINDS, type Stoppage } from '../../../tenants/stoppages.js';
import { configOf } from '../deciding.js';
import { type Reading, readingOffline, readingWith, showCause } from '../reading.js';
import type { Onward, OperatorPage, WebRequest, WebRoute } from '../route.js';
import { renderStoppageCause, stoppagePath, titleStoppage } from './stoppage-notice.js';
import { moveTimesOf } from './times.js';
import { isFor, itemPath, renderResolve, titleFor } from './waiting-list.js';

/** Pending items of all tenants that the person may see. Uses facts in memory and opens no state. */
export const INBOX_ROUTE: WebRoute = { method: 'GET', path: '/inbox', audience: 'logged in', answer: showInbox };

/** Number of rows per page. */
const MOST = 200;

interface InboxRow {
  readonly tenant: Registered;
  readonly item: WaitingItem;
}

/** A tenant that does not run. The tenant must be fixed before its items matter. */
interface StopRow {
  readonly tenant: Registered;
  readonly stop: Stoppage;
}

async function showInbox(request: WebRequest): Promise<OperatorPage | Onward> {
  const { parts, accessTo, query } = request;
  const only = query.get('tenant') || null;
  const isCalm = query.get('calm') === 'yes';
  const tenants = (await parts.daemon.listFresh()).filter(({ name }) => mayActAs(accessTo(name), 'viewer'));
  // The tenants page says why the person has no role.
  if (tenants.length === 0) return { to: '/' };
  const nowMs = parts.clock.now();
  const stops = tenants
    .filter(({ name }) => only === null || name === only)
    .flatMap((tenant) => listStoppages(tenant, nowMs).map((stop) => ({ tenant, stop })))
    .toSorted(byHarm);
  const all = tenants.flatMap((tenant) => (tenant.status?.facts?.waiting ?? []).map((item) => ({ tenant, item })));
  const rows = all
    .filter(({ tenant, item }) => (only === null || tenant.name === only) && (isCalm || isFor(request, item)))
    .toSorted(byUrgency);
  const shown = [...stops, ...rows];
  const from = Math.max(0, Math.min(Number(query.get('from') ?? 0) || 0, shown.length));
  const calm = all.filter(({ item }) => !isFor(request, item)).length;
  return {
    title: 'Inbox',
    under: '/inbox',
    lead: html`${groupDigits([...describeStops(stops), describeRows(rows)].join(' '))}`,
    body: html`${renderFilter(tenants, { only, isCalm, calm })}${shown.length === 0 ? null : await renderRows(request, shown.slice(from, from + MOST))}${renderPager(shown.length, from, query)}`,
  };
}

function describeStops(stops: readonly StopRow[]): readonly string[] {
  const count = new Set(stops.map(({ tenant }) => tenant.name)).size;
  return count === 0
    ? []
    : [`${plural(count, 'tenant')} ${count === 1 ? 'needs' : 'need'} attention before the next run.`];
}

function describeRows(rows: readonly InboxRow[]): string {
  if (rows.length === 0) return 'Nothing needs a decision.';
  const summary = summariseWaiting(rows.map(({ item }) => item));
  const tenants = plural(new Set(rows.map(({ tenant }) => tenant.name)).size, 'tenant');
  return `${summary === '' ? plural(rows.length, 'thing') : summary}, in ${tenants}.`;
}

function byHarm({ tenant: a, stop: one }: StopRow, { tenant: b, stop: other }: StopRow): number {
  return STOPPAGE_KINDS.indexOf(one.kind) - STOPPAGE_KINDS.indexOf(other.kind) || compareTexts(a.name, b.name);
}

/** Sorts by kind, and within a kind by age, oldest first. */
function byUrgency({ tenant: a, item: one }: InboxRow, { tenant: b, item: other }: InboxRow): number {
  const kind = WAITING_KINDS.indexOf(one.kind) - WAITING_KINDS.indexOf(other.kind);
  return kind || compareTexts(one.since ?? '9', other.since ?? '9') || compareTexts(a.name, b.name);
}

interface InboxFilter {
  readonly only: string | null;
  readonly isCalm: boolean;
  readonly calm: number;
}

function renderFilter(tenants: readonly Registered[], { only, isCalm, calm }: InboxFilter): Html | null {
  if (tenants.length < 2 && calm === 0) return null;
  const options = [{ value: '', text: 'all' }, ...tenants.map(({ name }) => ({ value: name, text: name }))];
  const choose =
    tenants.length < 2
      ? null
      : html`<label for="tenant">Tenant</label>${renderSelect({ id: 'tenant', name: 'tenant' }, options, only)}`;
  const also = `also show items that need no decision from you (${formatNumber(calm)})`;
  return html`<form class="line" method="get" action="/inbox">${choose}${renderBox(also, { name: 'calm', value: 'yes', checked: isCalm })}<button>Show</button></form>`;
}

async function renderRows(request: WebRequest, rows: readonly (InboxRow | StopRow)[]): Promise<Html> {
  const readings = new Map<string, Reading>();
  const body: Html[] = [];
  for (const row of rows) {
    const { tenant } = row;
    if ('stop' in row) {
      body.push(renderStop(request, row));
      continue;
    }
    const { item } = row;
    const reading = readings.get(tenant.name) ?? (await readingOf(request, tenant));
    readings.set(tenant.name, reading);
    body.push(renderRow(request, { tenant, item }, reading));
  }
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Pending</th><th scope="col">Tenant</th><th scope="col">For</th><th scope="col">Cause and resolution</th></tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Finds the reader's view of a tenant. Opens a state only if its pseudonym key was never created. */
async function readingOf({ accessTo, parts }: WebRequest, tenant: Registered): Promise<Reading> {
  if (accessTo(tenant.name)?.pseudonyms !== true) return readingWith(null);
  const known = tenant.status?.facts?.pseudonymKey ?? null;
  if (known !== null) return readingWith(known);
  const context = { config: configOf({ tenant }), clock: parts.clock };
  return readingWith(await withStores(context, ({ audit }) => audit.makePseudonymKey()));
}

function renderStop({ parts, accessTo }: WebRequest, { tenant, stop }: StopRow): Html {
  const reading = readingOffline({ accessTo, tenant });
  const tone = stop.kind === 'paused' ? 'warn' : 'bad';
  return html`<tr><th scope="row"><span class="dot tone-${tone}"></span><a href="${stoppagePath({ tenant }, stop)}">${titleStoppage(stop)}</a></th>${renderPlace(tenant, stop.since, parts.clock.now())}
<td>${renderStoppageCause({ tenant }, stop, reading)}</td></tr>`;
}

/** The cells with the tenant and the age. */
function renderPlace({ name }: Registered, since: string | null, nowMs: number): Html {
  const age = since === null ? null : formatAge(nowMs - Date.parse(since));
  return html`<td><a href="/tenants/${encodeURIComponent(name)}"><bdi>${name}</bdi></a></td><td class="short"${age === null ? null : html` data-name="For:"`}>${age}</td>`;
}

function renderRow(request: WebRequest, { tenant, item }: InboxRow, reading: Reading): Html {
  const tone = isFor(request, item) ? 'warn' : 'plain';
  const row = html`<tr><th scope="row"><span class="dot tone-${tone}"></span><a href="${itemPath({ tenant }, item)}">${showText(titleFor(reading, item))}</a></th>${renderPlace(tenant, item.since, request.parts.clock.now())}
<td><p class="text">${showCause(reading, item, item.cause)}</p><div class="muted">${renderResolve({ tenant, accessTo: request.accessTo }, item, reading)}</div></td></tr>`;
  return moveTimesOf({ tenant }, row);
}

function renderPager(count: number, from: number, query: URLSearchParams): Html | null {
  if (count <= MOST) return null;
  const link = (at: number, words: string): Html => {
    const asked = new URLSearchParams([...query].filter(([name]) => name !== 'from'));
    asked.set('from', String(at));
    return html`<a href="/inbox?${asked.toString()}">${words}</a>`;
  };
  return html`<p class="pager">${from > 0 ? link(Math.max(0, from - MOST), 'Before') : null} ${formatNumber(from + 1)} to ${formatNumber(Math.min(count, from + MOST))} of ${formatNumber(count)} ${from + MOST < count ? link(from + MOST, 'Next') : null}</p>`;
}
