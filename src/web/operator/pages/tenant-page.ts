import { EMAIL, pseudonymOf } from '../../../audit/pseudonyms.js';
import type { Config } from '../../../config/config.js';
import { asSyncError, SyncError } from '../../../errors.js';
import { acknowledge, forgetAcknowledgement } from '../../../operations/decide-hold.js';
import { describeStatus, type Status } from '../../../operations/describe-status.js';
import { withStores } from '../../../operations/with-stores.js';
import { describeAcknowledged } from '../../../report/sections/held.js';
import { formatAge, formatMinute, plural } from '../../../report/sections/words.js';
import { describeUnderWay, ENDINGS } from '../../../report/texts/run-lines.js';
import { nameWaiting, needsPerson, summariseWaiting } from '../../../report/texts/waiting-text.js';
import { formatNumber, type Html, html, value } from '../../../report/writers/page/html-text.js';
import { hideSecrets } from '../../../secrets/secret.js';
import { type Onward, type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';

const PATH = '/tenants/:tenant';

/** One tenant: what waits, what the last runs did, how fresh the sources are. It is `status`, with what may be done about it. */
export const TENANT_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: PATH, audience: 'viewer', answer: showTenant },
  { method: 'POST', path: `${PATH}/ack`, audience: 'approver', answer: setAside },
  { method: 'POST', path: `${PATH}/ack/revoke`, audience: 'approver', answer: takeBack },
];

type WaitingShown = Status['waiting'][number];
/** A text as this reader may see it. */
type ShowText = (text: string) => Html;

async function showTenant(request: WebRequest): Promise<OperatorPage> {
  const { tenant, parts, accessTo } = request;
  const config = configOf(request);
  const name = tenant?.name ?? '';
  const access = accessTo(name);
  const { status, show } = await withStores({ config, clock: parts.clock }, (stores) => {
    const key = access?.pseudonyms === true ? stores.audit.makePseudonymKey() : null;
    const veil = (text: string): string =>
      key === null ? text : text.replaceAll(EMAIL, (email) => pseudonymOf(key, email));
    return {
      status: describeStatus({ config, clock: parts.clock }, stores),
      show: (text: string) => showText(veil(text)),
    };
  });
  const mayDecide = access !== null && access.role !== 'viewer';
  const form = mayDecide ? (item: WaitingShown) => renderDecision(request, item) : () => null;
  const nowMs = parts.clock.now();
  const summary = summariseWaiting(status.waiting);
  const body = html`${renderNow(status)}
<section id="waiting" aria-labelledby="waiting-heading"><h2 id="waiting-heading">Waiting</h2>${renderWaiting(status.waiting, { nowMs, show, form })}</section>
<section id="runs" aria-labelledby="runs-heading"><h2 id="runs-heading">Last runs</h2>${renderRuns(status)}</section>
<section id="sources" aria-labelledby="sources-heading"><h2 id="sources-heading">Sources</h2>${renderSources(status)}</section>`;
  return {
    title: name,
    under: '/',
    lead: html`${summary === '' ? 'Nothing waits for a person.' : `Waiting: ${summary}.`}`,
    body,
  };
}

/** What is between backticks is code: a command to type, an expression. */
function showText(text: string): Html {
  const parts = text.split('`');
  // A lone one is a character like any other.
  if (parts.length % 2 === 0) return value(text);
  return html`${parts.map((part, i) => (i % 2 === 0 ? value(part) : html`<code>${part}</code>`))}`;
}

function configOf({ tenant }: WebRequest): Config {
  const config = tenant?.config ?? null;
  if (config === null) throw new WebRefusal(409, tenant?.problem?.message ?? 'This tenant has no configuration yet.');
  return config;
}

function renderNow({ under_way: work }: Status): Html | null {
  if (work === null) return null;
  const since = work.since === null ? '' : ` since ${formatMinute(work.since)}`;
  return html`<p class="notice" role="status">${work.holder}${since}: ${describeUnderWay(work)}</p>`;
}

interface WaitingLook {
  readonly nowMs: number;
  readonly show: ShowText;
  readonly form: (item: WaitingShown) => Html | null;
}

function renderWaiting(items: readonly WaitingShown[], look: WaitingLook): Html {
  const open = items.filter(({ acknowledged }) => acknowledged === undefined);
  const known = items.filter(({ acknowledged }) => acknowledged !== undefined);
  if (items.length === 0) return html`<p>Nothing.</p>`;
  const aside =
    known.length === 0
      ? null
      : html`<details class="group"><summary>Set aside (${known.length})</summary>${known.map((item) => renderItem(item, look))}</details>`;
  return html`${open.map((item) => renderItem(item, look))}${aside}`;
}

function renderItem(item: WaitingShown, { nowMs, show, form }: WaitingLook): Html {
  const { id, cause, resolve, since, until, acknowledged, count, keys, code } = item;
  const age = since === null ? null : html`, for ${formatAge(nowMs - Date.parse(since))}`;
  const then = until === null ? null : html`, until <time>${formatMinute(until)}</time>`;
  const rest = count - keys.length;
  const named =
    keys.length === 0
      ? null
      : html`<p class="key">${keys.map(show)}${rest > 0 ? ` … and ${formatNumber(rest)} more` : null}</p>`;
  const tone = acknowledged === undefined && needsPerson(item) ? 'warn' : 'plain';
  const aside =
    acknowledged === undefined ? null : html`<p class="muted">${show(describeAcknowledged(acknowledged))}</p>`;
  return html`<article class="notice tone-${tone}" id="w-${id}"><h3>${nameWaiting(item)}${age}${then}</h3><p class="text">${show(cause)}</p>${named}
<p>${show(resolve)}</p>${aside}<p class="muted">${id}${code === null ? null : html` <code>${code}</code>`}</p>${form(item)}</article>`;
}

function renderDecision({ csrf, path }: WebRequest, { id, acknowledged }: WaitingShown): Html {
  const hidden = html`<input type="hidden" name="_csrf" value="${csrf()}"><input type="hidden" name="id" value="${id}">`;
  if (acknowledged !== undefined) {
    return html`<form class="line" method="post" action="${path}/ack/revoke">${hidden}<button>Take it up again</button></form>`;
  }
  return html`<details class="removal"><summary>Set aside</summary><form class="line" method="post" action="${path}/ack">${hidden}<label for="reason-${id}">Why it may stay</label><input id="reason-${id}" name="reason" required maxlength="500"><label for="until-${id}">Until</label><input id="until-${id}" name="until" type="date"><button>Set aside</button></form></details>`;
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

async function setAside(request: WebRequest): Promise<Onward> {
  const { form, parts, person, tenant } = request;
  const [id, reason, day] = ['id', 'reason', 'until'].map((name) => (form.get(name) ?? '').trim());
  const until = readDay(day ?? '', parts.clock.now());
  const context = { config: configOf(request), clock: parts.clock, by: person?.who ?? '' };
  await decided(acknowledge(context, { id: id ?? '', reason: hideSecrets(reason ?? ''), until }));
  return { to: `/tenants/${encodeURIComponent(tenant?.name ?? '')}` };
}

async function takeBack(request: WebRequest): Promise<Onward> {
  const { form, parts, person, tenant } = request;
  const context = { config: configOf(request), clock: parts.clock, by: person?.who ?? '' };
  await decided(forgetAcknowledgement(context, { id: form.get('id') ?? '', reason: '' }));
  return { to: `/tenants/${encodeURIComponent(tenant?.name ?? '')}` };
}

/** A day counts until its end, UTC; none for none given. */
function readDay(text: string, nowMs: number): string | null {
  if (text === '') return null;
  const at = Date.parse(`${text}T23:59:59Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at) || at <= nowMs)
    throw new WebRefusal(400, 'Name a day to come.');
  return new Date(at).toISOString();
}

/** What cannot be decided is said as it is on the command line. */
async function decided<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof SyncError)) throw thrown;
    const { message, remedy } = asSyncError(thrown);
    throw new WebRefusal(409, `${message} ${remedy}`);
  }
}
