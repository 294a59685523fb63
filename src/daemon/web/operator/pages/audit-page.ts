import { nameSeveral } from '../../../../model/entity.js';
import { groupBy } from '../../../../model/group-by.js';
import { foldKey } from '../../../../model/observed.js';
import { findMeant, type MeantObjects, selectorOf } from '../../../../operations/meant-objects.js';
import { parseHead } from '../../../../operations/read-audit.js';
import { streamStores, withStores } from '../../../../operations/with-stores.js';
import { plural } from '../../../../report/sections/words.js';
import { type SentencePart, tellEntry } from '../../../../report/texts/audit-sentence.js';
import { listFacts, nameResult, renderVerification } from '../../../../report/texts/audit-text.js';
import { renderLabelled } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { AuditEntry } from '../../../../store/audit/audit-entry.js';
import { countLog } from '../../../../store/audit/count-log.js';
import type { DecidedRecord } from '../../../../store/audit/events.js';
import { EXPORT_FORMATS, exportLog } from '../../../../store/audit/export-log.js';
import { EVERY_LINE, type LogFilter, type WantedObject } from '../../../../store/audit/log-filter.js';
import {
  type LogLine,
  type LogPage,
  pseudonymiseLine,
  readLog,
  readLogPage,
} from '../../../../store/audit/read-log.js';
import { type Verification, verifyChainMeanwhile } from '../../../../store/audit/verify-chain.js';
import type { Stores } from '../../../../store/open-stores.js';
import { configOf, decided, decisionOf, mayHere, tenantPath } from '../deciding.js';
import { type Reading, readingFor } from '../reading.js';
import { type Download, type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderCounts, tellFitting } from './audit-counts.js';
import { auditPath, readAuditQuery, renderAuditForm, renderRanges } from './audit-filter.js';
import { clockText, dayText, timeText } from './times.js';
import { undoPath } from './undo-form.js';

const PATH = '/tenants/:tenant/audit';

/** Audit entries by person, kind, run, time and approver, with counts, an export and a check of the chain. */
export const AUDIT_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: PATH, audience: 'viewer', answer: showAudit },
  { method: 'GET', path: `${PATH}/check`, audience: 'viewer', answer: checkChain },
  { method: 'GET', path: `${PATH}/export`, audience: 'viewer', answer: exportAudit },
];

/** Number of entries per page, and of entries examined for the page and its counts. */
const MOST = 50;
const MOST_LOOKED = 20_000;

async function showAudit(request: WebRequest): Promise<OperatorPage> {
  const before = Number(request.query.get('before')) || null;
  return await withStores(decisionOf(request), async (stores) => {
    const { audit } = stores;
    const reading = readingFor(request, audit);
    const { filter, meant } = await decided(readFilter(request, stores));
    if (filter === null) return showMeant(request, meant, reading);
    const counts = await countLog(audit, filter, MOST_LOOKED);
    const page = await readLogPage(audit, filter, { before, most: MOST, mostLooked: MOST_LOOKED });
    const isAll = !isNarrow(filter) && filter.from === null && filter.to === null;
    const body = html`${renderRanges(request)}${renderAuditForm(request, counts.choices)}${renderCounts(request, counts, { mostLooked: MOST_LOOKED, isNarrow: isNarrow(filter) })}
<section aria-labelledby="entries-heading"><h2 id="entries-heading">Entries</h2><p class="muted">The audit log records changes and decisions. <a href="${tenantPath(request)}/runs">Runs</a> shows what guards hold, which deliveries failed, and how each run ended.</p>${renderLines(request, page, reading, filter.who)}${renderOlder(request, page)}</section>
<section id="proof" aria-labelledby="proof-heading"><h2 id="proof-heading">Proof</h2><p>Each entry's hash follows from the one before it. The head, noted elsewhere, proves later that nothing was cut off or rewritten.</p>
<p>Head: <code class="head">${audit.last()?.hash ?? 'none yet'}</code></p>${renderCheck(request, '')}</section>`;
    return {
      title: 'Audit',
      under: '/',
      lead: html`${tellFitting(request, filter, counts, isAll)}, the newest first.`,
      body,
    };
  });
}

/** True if the filter restricts more than the time. */
function isNarrow({ from: _from, to: _to, isVeiled: _isVeiled, ...others }: LogFilter): boolean {
  return Object.entries(others).some(([name, wanted]) => wanted !== EVERY_LINE[name as keyof LogFilter]);
}

/** Reads the filter; null if a name fits several objects. @throws SyncError SYNC_CLI_USAGE; @throws WebRefusal 400 */
async function readFilter(
  request: WebRequest,
  stores: Stores,
): Promise<{ readonly filter: LogFilter | null; readonly meant: MeantObjects }> {
  const isVeiled = decisionOf(request).isVeiled === true;
  const { who, filter } = readAuditQuery(request);
  if (who === null) return { filter: { ...filter, isVeiled }, meant: { who: null, several: [], isCut: false } };
  const meant = await findMeant(stores, { words: who, isVeiled });
  return { filter: meant.who === null ? null : { ...filter, who: meant.who, isVeiled }, meant };
}

/** Lists the objects that a name may refer to. */
function showMeant(request: WebRequest, { several, isCut }: MeantObjects, reading: Reading): OperatorPage {
  const { show, veil, veilName } = reading;
  const rows = several.map((one) => {
    // An address shown as a pseudonym must not appear in a link either.
    const isOpen = veil(one.key) === one.key;
    const name = show(veilName(one.label));
    const link = isOpen ? html`<a href="${auditPath(request, { who: selectorOf(one) })}">${name}</a>` : name;
    return html`<tr><th scope="row">${link}</th><td>${show(one.key)}</td><td>${nameSeveral(one.entity)}</td></tr>`;
  });
  const lead = `${isCut ? 'More than ' : ''}${plural(several.length, 'object')} of this name. Whose entries do you want?`;
  const body = html`${renderAuditForm(request, null)}<table class="plain stack meant"><thead><tr><th scope="col">Name</th><th scope="col">Key</th><th scope="col">Kind</th></tr></thead><tbody>${rows}</tbody></table>`;
  return { title: 'Audit', under: '/', lead: html`${lead}`, body };
}

/** @param who the object that the entries are about; a decision about several objects names it first */
export function renderLines(
  request: WebRequest,
  { lines, before }: LogPage,
  reading: Reading,
  who: WantedObject | null,
): Html {
  if (lines.length === 0) {
    return html`<p>${before === null ? 'No entry matches.' : `None of the newest ${formatNumber(MOST_LOOKED)} entries matches.`}</p>`;
  }
  let day = '';
  const days = groupBy(lines, (line) => {
    // The entry of an erased person has lost its time, so it is listed under the same day as the entry before it.
    const { at } = tellEntry(line);
    if (at !== null) day = dayText(request, at);
    return day;
  });
  return html`${[...days].map(([name, of]) => html`<h3 class="day">${name}</h3><ol class="entries">${of.map((line) => renderLine(request, nameFirst(line, who), reading))}</ol>`)}`;
}

function nameFirst(line: LogLine, who: WantedObject | null): LogLine {
  if (who === null || !('records' in line) || line.records === undefined) return line;
  const isMeant = ({ key, label }: DecidedRecord) => foldKey(key) === who.words || foldKey(label).includes(who.words);
  return { ...line, records: line.records.toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a))) };
}

function renderLine(request: WebRequest, original: LogLine, reading: Reading): Html {
  const line = reading.key === null ? original : pseudonymiseLine(reading.key, original);
  const { at, sentence, tone, links } = tellEntry(line, (iso) => timeText(request, iso));
  const when = at === null ? null : html`<time datetime="${at}">${clockText(request, at)}</time>`;
  const facts = [...listFacts(line), { name: 'hash', value: line.hash }].map(
    ({ name, value }) => html`<dt>${name}</dt><dd class="text">${reading.show(value)}</dd>`,
  );
  const base = tenantPath(request);
  const run =
    links.run === null
      ? null
      : html`<a href="${base}/runs/${encodeURIComponent(links.run)}">run</a><a href="${auditPath(request, { run: links.run })}">entries of the run</a>`;
  const plan = links.plan === null ? null : html`<a href="${base}/plans/${encodeURIComponent(links.plan)}">plan</a>`;
  const undo = canUndo(request, line, reading)
    ? html`<a href="${undoPath(request, line.run, line.key)}">undo</a>`
    : null;
  return html`<li id="e-${line.seq}" class="tone-${tone}"><p class="when">${when}</p><div><p class="told">${sentence.map((part) => renderPart(part, reading))}.</p>
<div class="small"><details><summary>Entry ${line.seq}: ${nameResult(line)}</summary><dl class="said">${facts}</dl></details>${run}${plan}${undo}</div></div></li>`;
}

/** True if an operator may undo this change of a person. An address shown as a pseudonym must not appear in a link. */
function canUndo(request: WebRequest, line: LogLine, { veil }: Reading): line is LogLine & AuditEntry {
  if (line.kind !== 'change' || line.entity !== 'users' || line.for_good === true || line.undoes !== undefined)
    return false;
  return line.result === 'done' && veil(line.key) === line.key && mayHere(request, 'operator');
}

function renderPart(part: SentencePart, { show }: Reading): Html {
  return typeof part === 'string' ? html`${part}` : html`<b>${show(part.value)}</b>`;
}

function renderOlder(request: WebRequest, { before }: LogPage): Html | null {
  if (before === null) return null;
  return html`<p class="pager"><a href="${auditPath(request, { before: String(before) })}">Older entries</a></p>`;
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
    title: found.ok ? 'The audit log is intact' : 'The audit log is not intact',
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
  const { filter } = await decided(withStores(context, (stores) => readFilter(request, stores)));
  if (filter === null)
    throw new WebRefusal(400, 'The name fits several objects: choose one of them before you export.');
  const day = new Date(request.parts.clock.now()).toISOString().slice(0, 10);
  // The state is opened for the first line. The state is closed after the last line, or when the reader stops.
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
