import { foldKey } from '../../../../model/observed.js';
import { parseHead, parseWho } from '../../../../operations/read-audit.js';
import { streamStores, withStores } from '../../../../operations/with-stores.js';
import { formatSecond, listFacts, renderVerification, summariseLine } from '../../../../report/texts/audit-text.js';
import { renderField, renderLabelled } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import { EXPORT_FORMATS, exportLog } from '../../../../store/audit/export-log.js';
import {
  EVERY_LINE,
  type LogFilter,
  type LogLine,
  type LogPage,
  pseudonymiseLine,
  readLog,
  readLogPage,
} from '../../../../store/audit/read-log.js';
import { type Verification, verifyChainMeanwhile } from '../../../../store/audit/verify-chain.js';
import { configOf, decided, tenantPath } from '../deciding.js';
import { type Reading, readingFor } from '../reading.js';
import { type Download, type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';

const PATH = '/tenants/:tenant/audit';

/** What was done, by whom and why: by person, run, time and approver; the chain checked; all of it as a file. */
export const AUDIT_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: PATH, audience: 'viewer', answer: showAudit },
  { method: 'GET', path: `${PATH}/check`, audience: 'viewer', answer: checkChain },
  { method: 'GET', path: `${PATH}/export`, audience: 'viewer', answer: exportAudit },
];

/** Entries of one page, and entries that are looked at for them. */
const MOST = 50;
const MOST_LOOKED = 20_000;

/** What may be asked for, with the name of each field. */
const FIELDS = [
  { name: 'who', label: 'Person or object (key, e-mail, customer:C1)', type: 'text' },
  { name: 'by', label: 'Decided or approved by', type: 'text' },
  { name: 'run', label: 'Run', type: 'text' },
  { name: 'from', label: 'From (UTC)', type: 'date' },
  { name: 'to', label: 'Until the end of', type: 'date' },
] as const;

async function showAudit(request: WebRequest): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const filter = await decided(readFilter(request));
  const before = Number(request.query.get('before')) || null;
  const { page, reading, count, head } = await withStores(context, async (stores) => ({
    page: await readLogPage(stores.audit, filter, { before, most: MOST, mostLooked: MOST_LOOKED }),
    reading: readingFor(request, stores.audit),
    count: stores.audit.count(),
    head: stores.audit.last()?.hash ?? null,
  }));
  const body = html`${renderFilter(request)}${renderLines(request, page, reading)}${renderOlder(request, page)}
<section id="proof" aria-labelledby="proof-heading"><h2 id="proof-heading">Proof</h2><p>Each entry's hash follows from the one before it. The head, noted elsewhere, proves later that nothing was cut off or rewritten.</p>
<p>Head: <code class="head">${head ?? 'none yet'}</code></p>${renderCheck(request, '')}</section>`;
  return {
    title: 'Audit',
    under: '/',
    lead: html`${formatNumber(count)} ${count === 1 ? 'entry' : 'entries'}, the newest first.`,
    body,
  };
}

/** @throws SyncError SYNC_CLI_USAGE; @throws WebRefusal 400 for what is no day */
async function readFilter({ query }: WebRequest): Promise<LogFilter> {
  const [who, by, run, from, to] = FIELDS.map(({ name }) => query.get(name)?.trim() || null);
  return {
    ...EVERY_LINE,
    run: run ?? null,
    who: who == null ? null : parseWho(who),
    by: by == null ? null : foldKey(by),
    from: from == null ? null : readDayStart(from, 0),
    to: to == null ? null : readDayStart(to, 1),
  };
}

const DAY_MS = 86_400_000;

/** Midnight, UTC, at the start of a day, or so many days later. */
function readDayStart(text: string, later: number): string {
  const at = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at)) throw new WebRefusal(400, 'Write a day as 2026-11-23.');
  return new Date(at + later * DAY_MS).toISOString();
}

function renderFilter(request: WebRequest): Html {
  const { query } = request;
  const fields = FIELDS.map(({ name, label, type }) =>
    renderField(label, { id: name, name, type, value: query.get(name) ?? '', maxlength: 200 }),
  );
  const base = `${tenantPath(request)}/audit`;
  const formats = EXPORT_FORMATS.map(
    (format) =>
      html`<button name="format" value="${format}" formaction="${base}/export">Export ${format.toUpperCase()}</button>`,
  );
  return html`<form class="record" method="get" action="${base}"><div class="fields">${fields}</div><p class="actions"><button class="main">Show</button>${formats}</p></form>`;
}

function renderLines(request: WebRequest, { lines, before }: LogPage, reading: Reading): Html {
  if (lines.length === 0) {
    return html`<p>${before === null ? 'No entry is like that.' : `None of the newest ${formatNumber(MOST_LOOKED)} entries is like that.`}</p>`;
  }
  return html`<div class="scroll"><table class="plain stack audit"><thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">About</th></tr></thead><tbody>${lines.map((line) => renderLine(request, line, reading))}</tbody></table></div>`;
}

function renderLine(request: WebRequest, original: LogLine, { key, show }: Reading): Html {
  const line = key === null ? original : pseudonymiseLine(key, original);
  const { at, what, text } = summariseLine(line);
  const content = line.kind === 'restated' ? line.entry : line;
  const run = 'run' in content && typeof content.run === 'string' ? content.run : null;
  const facts = [...listFacts(line), { name: 'hash', value: line.hash }].map(
    ({ name, value }) => html`<dt>${name}</dt><dd class="text">${show(value)}</dd>`,
  );
  const link =
    run === null
      ? null
      : html` <a class="muted" href="${tenantPath(request)}/audit?run=${encodeURIComponent(run)}">${run}</a>`;
  return html`<tr id="e-${line.seq}"><th scope="row"><time>${at === null ? 'erased' : formatSecond(at)}</time> <span class="muted">${line.seq}</span></th><td><span class="badge tone-${TONES[what] ?? 'plain'}">${what}</span></td>
<td><details><summary class="text">${show(text)}</summary><dl class="said">${facts}</dl></details>${link}</td></tr>`;
}

const TONES: Readonly<Record<string, string>> = {
  done: 'good',
  refused: 'bad',
  lost: 'bad',
  'in part': 'warn',
  'not taken': 'warn',
};

function renderOlder(request: WebRequest, { before }: LogPage): Html | null {
  if (before === null) return null;
  const asked = new URLSearchParams([...request.query].filter(([name]) => name !== 'before'));
  asked.set('before', String(before));
  return html`<p class="pager"><a href="${tenantPath(request)}/audit?${asked.toString()}">Older entries</a></p>`;
}

function renderCheck(request: WebRequest, head: string): Html {
  const own = { id: 'head', name: 'head', value: head, maxlength: 64, spellcheck: 'false', autocomplete: 'off' };
  return html`<form class="line" method="get" action="${tenantPath(request)}/audit/check">${renderLabelled('A head that was noted earlier (may be empty)', own)}<button>Check the chain</button></form>`;
}

async function checkChain(request: WebRequest): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const typed = request.query.get('head')?.trim() ?? '';
  const found = await decided(
    withStores(context, ({ audit }) => verifyChainMeanwhile(audit, typed === '' ? null : parseHead(typed))),
  );
  return {
    title: found.ok ? 'The audit is whole' : 'The audit is broken',
    under: '/',
    body: html`${renderFound(found)}${renderCheck(request, typed)}<p><a href="${tenantPath(request)}/audit">To the entries</a></p>`,
  };
}

function renderFound(found: Verification): Html {
  const lines = renderVerification(found).split('\n');
  return html`<div class="notice tone-${found.ok ? 'plain' : 'bad'}" role="status">${lines.map((line) => html`<p class="text">${line}</p>`)}</div>`;
}

async function exportAudit(request: WebRequest): Promise<Download> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const format = EXPORT_FORMATS.find((name) => name === request.query.get('format')) ?? 'jsonl';
  const filter = await decided(readFilter(request));
  const day = new Date(request.parts.clock.now()).toISOString().slice(0, 10);
  // The state is opened when the first line is asked for, and closed with the last, or when nobody reads on.
  const parts = streamStores(context, (stores) => {
    const { key } = readingFor(request, stores.audit);
    const lines = readLog(stores.audit, filter);
    return exportLog(key === null ? lines : veiled(key, lines), format);
  });
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8';
  return { file: `${request.tenant?.name ?? ''}-audit-${day}.${format}`, type, parts };
}

function* veiled(key: string, lines: Iterable<LogLine>): Iterable<LogLine> {
  for (const line of lines) yield pseudonymiseLine(key, line);
}
