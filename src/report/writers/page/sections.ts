import { isHeldSource } from '../../../model/held-source.js';
import { isJsonObject } from '../../../model/json.js';
import type { GuardTrip } from '../../../model/plan.js';
import { wordsOf } from '../../sections/differences.js';
import { listMore } from '../../sections/guard-details.js';
import { isDangerous, lookOf, nameEntities, nameOne, TELL } from '../../sections/kinds.js';
import { type Report, STATES, type State } from '../../sections/report.js';
import { tellCounts } from '../../sections/source-words.js';
import type { HoldGroup, ReportTally } from '../../sections/tally.js';
import { formatMinute } from '../../texts/run-lines.js';
import { tellHeld } from '../guards-text.js';
import { reasonOf } from '../holds-text.js';
import { describeMails, formatSeconds, plural } from '../style.js';
import { renderBars } from './charts.js';
import { formatNumber, type Html, html, value } from './html-text.js';

/** What is shown of a report before its changes. */
export interface Contents {
  readonly report: Report;
  readonly tally: ReportTally;
}

const SHOWN_FIELDS = 10;

export function section(id: string, title: string, ...content: readonly (Html | null)[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${title}</h2>${content}</section>\n`;
}

/** The whole in one line: `116 changes, 2 records to hr, 116 waiting, 3 records held`. */
export function tellHeadline({ total, states, held, sources }: ReportTally): string {
  const parts = [...states]
    .filter(([state]) => state !== 'planned')
    .map(([state, n]) => `${formatNumber(n)} ${STATES[state].name}`);
  const nothing = sources.size === 0 ? 'Nothing to change' : 'Nothing to change in the service';
  const changes = total === 0 ? nothing : `${formatNumber(total)} ${total === 1 ? 'change' : 'changes'}`;
  return [changes, ...tellCounts(sources), ...parts, ...(held === 0 ? [] : [`${formatNumber(held)} held`])].join(', ');
}

export function renderNotes({ report }: Contents): Html | null {
  if (report.notes.length === 0) return null;
  return html`<div class="notice tone-bad" role="note">${report.notes.map((note) => html`<p>${value(note)}</p>`)}</div>`;
}

export function renderFacts({ report }: Contents): Html {
  const facts = report.facts.map(({ name, value: text }) => html`<div><dt>${name}</dt><dd>${value(text)}</dd></div>`);
  return html`<dl class="facts">${facts}</dl>`;
}

/** How far the changes have come, as one bar with its legend. */
export function renderStates({ tally }: Contents): Html | null {
  // Where all are planned, the headline has said it.
  if (tally.rows === 0 || (tally.states.size === 1 && tally.states.has('planned'))) return null;
  const parts = [...tally.states].map(([state, count]) => ({
    name: STATES[state].name,
    count,
    tone: STATES[state].tone,
  }));
  const words = parts.map(({ name, count }) => `${name} ${count}`).join(', ');
  return html`<div class="strip">${renderBars({ id: 'states', title: 'How far the changes have come', description: words, bars: [{ label: 'All changes', parts }] })}
<ul class="legend">${[...tally.states].map(([state, count]) => legendOf(state, count))}</ul></div>`;
}

function legendOf(state: State, count: number): Html {
  const { name, tone } = STATES[state];
  return html`<li><a href="#state=${state}"><span class="dot tone-${tone}" aria-hidden="true"></span>${name} <b>${formatNumber(count)}</b></a></li>`;
}

/** Counts by entity and action; each number shows its changes. The chart has the same numbers. */
export function renderCounts({ tally }: Contents): Html | null {
  if (tally.rows === 0) return null;
  const head = tally.actions.map(
    (action) =>
      html`<th scope="col"><span class="sign tone-${lookOf(action).tone}">${lookOf(action).sign}</span> ${action}</th>`,
  );
  const rows = tally.entities.map((entity) => {
    const of = (action: string): number => tally.counts.get(entity)?.get(action) ?? 0;
    const sum = tally.actions.reduce((all, action) => all + of(action), 0);
    const cells = tally.actions.map((action) =>
      of(action) === 0
        ? html`<td class="none">·</td>`
        : html`<td><a href="#entity=${encodeURIComponent(entity)}&amp;action=${action}" class="${isDangerous(action) ? 'danger' : ''}">${formatNumber(of(action))}</a></td>`,
    );
    return html`<tr><th scope="row">${nameEntities(entity)}</th>${cells}<td><a href="#entity=${encodeURIComponent(entity)}">${formatNumber(sum)}</a></td></tr>`;
  });
  const bars = tally.entities.map((entity) => ({
    label: nameEntities(entity),
    parts: tally.actions.flatMap((action) => {
      const count = tally.counts.get(entity)?.get(action) ?? 0;
      return count === 0 ? [] : [{ name: action, count, tone: lookOf(action).tone }];
    }),
  }));
  return html`<div class="pair"><div class="scroll"><table class="numbers"><caption>Changes by entity and action</caption><thead><tr><td></td>${head}<th scope="col">all</th></tr></thead><tbody>${rows}</tbody></table></div>
<figure>${renderBars({ id: 'counts', title: 'Changes by entity and action', description: 'One bar an entity, one part of it an action. The table has the numbers.', bars })}</figure></div>`;
}

/** Which fields move most; of new objects every field is new, so they are left out. */
export function renderFields({ tally }: Contents): Html | null {
  if (tally.fields.length === 0) return null;
  const top = tally.fields.slice(0, SHOWN_FIELDS);
  const bars = top.map(([field, count]) => ({
    label: field,
    parts: [{ name: 'changes', count, tone: 'accent' as const }],
  }));
  const rows = tally.fields.map(
    ([field, count]) =>
      html`<tr><th scope="row"><a href="#field=${encodeURIComponent(field)}">${field}</a></th><td>${formatNumber(count)}</td></tr>`,
  );
  return section(
    'fields',
    'Fields that move',
    html`<figure>${renderBars({ id: 'moved', title: 'Fields that move most', description: `The ${plural(top.length, 'field')} that most changes move. The table below has the numbers.`, bars })}</figure>
<details><summary>The numbers${tally.fields.length > top.length ? `, of all ${tally.fields.length} fields` : ''}</summary><table class="numbers"><thead><tr><th scope="col">field</th><th scope="col">changes</th></tr></thead><tbody>${rows}</tbody></table></details>`,
  );
}

export function renderGuards({ report }: Contents): Html | null {
  if (report.guards.length === 0) return null;
  return section('guards', 'Guards that tripped', html`${report.guards.map((trip) => renderTrip(trip, report))}`);
}

function renderTrip(trip: GuardTrip, report: Report): Html {
  const { guard, held, found, limit, cause, detail } = trip;
  const source = /^sources\.(.+)\.overwrite$/.exec(guard)?.[1];
  const [entity = '', action = ''] = source === undefined ? guard.split('.') : [`to ${source}`, TELL];
  const isSource = isHeldSource(guard);
  const then = report.kind === 'run' || isSource ? 'then run again' : 'then apply the plan';
  const waits = isSource
    ? html`${tellHeld(trip)}`
    : html`<a href="#entity=${encodeURIComponent(entity)}&amp;action=${action}&amp;state=waits">${plural(held, 'change')}</a>`;
  return html`<article class="notice tone-bad"><h3>${guard} holds ${waits}</h3>
<p>${formatNumber(found)} found, ${formatNumber(limit)} allowed. Cause: <b>${cause}</b>.</p><p class="text">${value(detail)}</p>${renderMore(trip)}
<p>To let them pass, ${then}:</p><pre><code>talent-sync approve --guard ${guard} --reason "…"</code></pre></article>`;
}

function renderMore(trip: GuardTrip): Html | null {
  const more = listMore(trip);
  if (more.length === 0) return null;
  return html`<dl class="facts">${more.map(([name, text]) => html`<div><dt>${name}</dt><dd class="text">${value(text)}</dd></div>`)}</dl>`;
}

export function renderHolds({ tally }: Contents): Html | null {
  if (tally.held === 0) return null;
  return section(
    'held',
    `Held: set aside, and left as they are in the service (${formatNumber(tally.held)})`,
    html`${tally.holds.map(renderHoldGroup)}`,
  );
}

function renderHoldGroup({ code, count, shown, remedy }: HoldGroup): Html {
  const one = shown.every((hold) => hold.remedy === remedy);
  const rows = shown.map(
    (hold) =>
      html`<tr><th scope="row">${value(`${nameOne(hold.entity)} ${hold.key}`)}</th><td class="text">${value(reasonOf(hold))}${one ? null : html`<p class="muted">${value(hold.remedy)}</p>`}</td><td class="place">${value(hold.place)}</td></tr>`,
  );
  return html`<details class="group" ${count <= 10 ? { html: 'open' } : null}><summary><code>${code}</code> <b>${formatNumber(count)}</b>${one ? html` <span class="muted">${value(remedy)}</span>` : null}</summary>
<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Record</th><th scope="col">Why</th><th scope="col">Where</th></tr></thead><tbody>${rows}</tbody></table></div>
${count > shown.length ? html`<p class="muted">The first ${formatNumber(shown.length)} of ${formatNumber(count)}; <code>--json</code> gives them all.</p>` : null}</details>`;
}

/** Which reads the statements rest on: when, how many rows, whole or not. */
export function renderEvidence({ report }: Contents): Html | null {
  if (report.evidence === null) return null;
  const reads = report.evidence.sources.filter(isJsonObject);
  const rows = reads.map((read) => {
    const source = wordsOf(read.source) ?? '';
    const at = report.readAt[source];
    const whole = read.complete === true;
    return html`<tr><th scope="row">${value(source)}<p class="muted">${read.decides === true ? 'decides' : 'adds to'} ${nameEntities(wordsOf(read.entity) ?? '')}</p></th>
<td class="place">${value(wordsOf(read.at) ?? 'not read')}${read.digest == null ? null : html`<p class="digest">SHA-256 ${wordsOf(read.digest) ?? ''}</p>`}</td>
<td>${at === undefined ? '' : formatMinute(at)}</td><td class="number">${read.rows == null ? '' : formatNumber(Number(read.rows))}</td><td class="number">${read.rejected == null ? '' : formatNumber(Number(read.rejected))}</td>
<td><span class="badge tone-${whole ? 'good' : 'bad'}">${whole ? 'whole' : 'not whole'}</span>${read.because == null ? null : html`<p class="text">${value(wordsOf(read.because) ?? '')}</p>`}</td></tr>`;
  });
  const mirror = wordsOf(report.evidence.mirror);
  return section(
    'evidence',
    'Evidence',
    html`<div class="scroll"><table class="plain"><caption>What was read of the sources</caption><thead><tr><th scope="col">Source</th><th scope="col">File or address</th><th scope="col">Read at</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Refused</th><th scope="col">Complete</th></tr></thead><tbody>${rows}</tbody></table></div>`,
    mirror === null ? null : html`<p class="muted">The copy of the service held: ${value(mirror)}.</p>`,
  );
}

/** Calls by endpoint: the forecast, and for a run what was sent. */
export function renderCost({ report, tally }: Contents): Html | null {
  const { cost, spent } = report;
  const endpoints = [...new Set([...Object.keys(cost?.by_endpoint ?? {}), ...tally.calls.keys()])].sort();
  if (endpoints.length === 0 && spent === null) return null;
  const forecast = (endpoint: string): number => cost?.by_endpoint[endpoint] ?? 0;
  const sent = (endpoint: string): number => tally.calls.get(endpoint) ?? 0;
  const isRun = report.kind === 'run';
  const rows = endpoints.map(
    (endpoint) =>
      html`<tr><th scope="row"><code>${endpoint}</code></th>${cost === null ? null : html`<td>${formatNumber(forecast(endpoint))}</td>`}${isRun ? html`<td>${formatNumber(sent(endpoint))}</td>` : null}</tr>`,
  );
  const bars = endpoints.map((endpoint) => ({
    label: endpoint,
    parts: [{ name: 'calls', count: isRun ? sent(endpoint) : forecast(endpoint), tone: 'accent' as const }],
  }));
  const title = isRun ? 'Calls that changes sent, by endpoint' : 'Calls that applying takes, by endpoint';
  return section(
    'cost',
    isRun ? 'Calls and time' : 'Cost',
    html`<p>${spent === null ? null : `Sent ${plural(spent.writes, 'write')} and ${plural(spent.reads, 'read')} in ${formatSeconds(spent.seconds)}. `}${cost === null ? null : `Forecast: ${plural(cost.writes, 'write')} and ${plural(cost.reads, 'read')}, about ${formatSeconds(cost.seconds)} under the limiter.${cost.mails === undefined ? '' : ` ${describeMails(cost.mails)}.`}`}</p>`,
    endpoints.length === 0
      ? null
      : html`<div class="pair"><div class="scroll"><table class="numbers"><thead><tr><th scope="col">endpoint</th>${cost === null ? null : html`<th scope="col">forecast</th>`}${isRun ? html`<th scope="col">sent</th>` : null}</tr></thead><tbody>${rows}</tbody></table></div><figure>${renderBars({ id: 'calls', title, description: 'One bar an endpoint. The table has the numbers.', bars })}</figure></div>`,
  );
}
