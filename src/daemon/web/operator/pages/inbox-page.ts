import { mayActAs } from '../../../../config/access/roles.js';
import { compareTexts } from '../../../../model/compare-texts.js';
import { WAITING_KINDS, type WaitingItem } from '../../../../model/waiting.js';
import { withStores } from '../../../../operations/with-stores.js';
import { formatAge, plural } from '../../../../report/sections/words.js';
import { summariseWaiting, titleWaiting } from '../../../../report/texts/waiting-text.js';
import { renderBox, renderSelect } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, groupDigits, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { Registered } from '../../../tenants/registry.js';
import { configOf } from '../deciding.js';
import { type Reading, readingWith, showCause } from '../reading.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { isFor, renderResolve, waitingPath } from './waiting-list.js';

/** What waits over all tenants that the person may see. From what each run leaves in memory: no state is opened. */
export const INBOX_ROUTE: WebRoute = { method: 'GET', path: '/inbox', audience: 'logged in', answer: showInbox };

/** Rows of one page. */
const MOST = 200;

interface InboxRow {
  readonly tenant: Registered;
  readonly item: WaitingItem;
}

async function showInbox(request: WebRequest): Promise<OperatorPage> {
  const { parts, accessTo, query } = request;
  const only = query.get('tenant') || null;
  const isCalm = query.get('calm') === 'yes';
  const tenants = (await parts.daemon.listFresh()).filter(({ name }) => mayActAs(accessTo(name), 'viewer'));
  const all = tenants.flatMap((tenant) => (tenant.status?.facts?.waiting ?? []).map((item) => ({ tenant, item })));
  const rows = all
    .filter(({ tenant, item }) => (only === null || tenant.name === only) && (isCalm || isFor(request, item)))
    .toSorted(byUrgency);
  const summary = summariseWaiting(rows.map(({ item }) => item));
  const from = Math.max(0, Math.min(Number(query.get('from') ?? 0) || 0, rows.length));
  const calm = all.filter(({ item }) => !isFor(request, item)).length;
  return {
    title: 'Inbox',
    under: '/inbox',
    lead: html`${rows.length === 0 ? 'Nothing waits for a person.' : groupDigits(`${summary === '' ? plural(rows.length, 'thing') : summary}, in ${plural(new Set(rows.map(({ tenant }) => tenant.name)).size, 'tenant')}.`)}`,
    body: html`${renderFilter(tenants, { only, isCalm, calm })}${rows.length === 0 ? null : await renderRows(request, rows.slice(from, from + MOST))}${renderPager(rows.length, from, query)}`,
  };
}

/** The kind decides, and of one kind what has waited longest. */
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
  const also = `also what waits for nothing of yours (${formatNumber(calm)})`;
  return html`<form class="line" method="get" action="/inbox">${choose}${renderBox(also, { name: 'calm', value: 'yes', checked: isCalm })}<button>Show</button></form>`;
}

async function renderRows(request: WebRequest, rows: readonly InboxRow[]): Promise<Html> {
  const readings = new Map<string, Reading>();
  const body: Html[] = [];
  for (const { tenant, item } of rows) {
    const reading = readings.get(tenant.name) ?? (await readingOf(request, tenant));
    readings.set(tenant.name, reading);
    body.push(renderRow(request, { tenant, item }, reading));
  }
  return html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">What waits</th><th scope="col">Tenant</th><th scope="col">For</th><th scope="col">Cause, and what resolves it</th></tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A state is opened only where the key of its pseudonyms was never made. */
async function readingOf({ accessTo, parts }: WebRequest, tenant: Registered): Promise<Reading> {
  if (accessTo(tenant.name)?.pseudonyms !== true) return readingWith(null);
  const known = tenant.status?.facts?.pseudonymKey ?? null;
  if (known !== null) return readingWith(known);
  const context = { config: configOf({ tenant }), clock: parts.clock };
  return readingWith(await withStores(context, ({ audit }) => audit.makePseudonymKey()));
}

function renderRow(request: WebRequest, { tenant, item }: InboxRow, reading: Reading): Html {
  const { show } = reading;
  const nowMs = request.parts.clock.now();
  const age = item.since === null ? null : formatAge(nowMs - Date.parse(item.since));
  const tone = isFor(request, item) ? 'warn' : 'plain';
  return html`<tr><th scope="row"><span class="dot tone-${tone}"></span><a href="${waitingPath({ tenant }, item.id)}">${show(titleWaiting(item))}</a></th><td><a href="/tenants/${encodeURIComponent(tenant.name)}"><bdi>${tenant.name}</bdi></a></td><td class="short"${age === null ? null : html` data-name="For:"`}>${age}</td>
<td><p class="text">${showCause(reading, item, item.cause)}</p><p class="muted">${renderResolve({ tenant }, item, reading)}</p></td></tr>`;
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
