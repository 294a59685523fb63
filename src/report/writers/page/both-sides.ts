import { type Report, STATES } from '../../sections/report.js';
import {
  listDeliveryWords,
  tellCalls,
  tellDeliveryState,
  tellNearMisses,
  tellSlot,
} from '../../sections/source-words.js';
import type { SourceTally } from '../../sections/tally.js';
import { plural } from '../style.js';
import { formatNumber, type Html, html, value } from './html-text.js';
import { type Contents, section } from './sections.js';

/** What each source is told, in numbers that lead to the records, and what it shows in a form of its own. */
export function renderToSources({ report, tally }: Contents): Html | null {
  if (tally.sources.size === 0 && report.nearMisses.length === 0) return null;
  const is = report.kind === 'plan' ? 'is to be told' : 'was to be told';
  return section(
    'to-sources',
    'To the sources',
    tally.sources.size === 0
      ? null
      : html`<p class="muted">What each source ${is} of what the service holds. The records stand among the changes below.</p>`,
    html`${[...tally.sources].map(([source, told]) => renderSource(source, told, report))}`,
    renderNearMisses(report),
  );
}

function renderSource(source: string, told: SourceTally, report: Report): Html {
  const group = encodeURIComponent(`to ${source}`);
  const calls = tellCalls(report, source);
  const columns = [...told.columns].map(
    ([column, count]) =>
      html`<li><a href="#field=${encodeURIComponent(`to ${source}.${column.replace(/[.[].*$/, '')}`)}"><code>${column}</code> <b>${formatNumber(count)}</b></a></li>`,
  );
  const states = [...told.states]
    .filter(([state]) => state !== 'planned')
    .map(
      ([state, count]) =>
        html` <a href="#entity=${group}&amp;state=${state}" class="badge tone-${STATES[state].tone}">${formatNumber(count)} ${STATES[state].name}</a>`,
    );
  const waits = [...told.waits].map(
    ([about, count]) =>
      html`<p class="tone-warn">${plural(count, 'record waits', 'records wait')} ${value(about)}.</p>`,
  );
  return html`<article class="card" aria-labelledby="to-${source}"><h3 id="to-${source}"><a href="#entity=${group}">${value(source)}</a>: ${plural(told.records, 'record')}, ${plural(told.values, 'value')}${states}</h3>
${calls === null ? null : html`<p class="muted">Forecast: ${calls}.</p>`}${waits}<ul class="legend" aria-label="Columns">${columns}</ul></article>`;
}

function renderNearMisses({ nearMisses }: Report): Html | null {
  if (nearMisses.length === 0) return null;
  const rows = nearMisses.map(
    (near) =>
      html`<tr><th scope="row">${value(near.source)} <code>${near.column}</code></th><td class="text">${value(tellNearMisses(near))}</td></tr>`,
  );
  return html`<div class="scroll"><table class="plain stack"><caption>Near misses: shown by the source in a form of its own, which counts as equal and is not sent again</caption><thead><tr><th scope="col">Column</th><th scope="col">Records</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Reports of the service: what is due, or how it went. */
export function renderDeliveries({ report }: Contents): Html | null {
  const words = listDeliveryWords(report);
  if (words.length === 0) return null;
  const rows = words.map((one) => {
    const { name, of, state, about } = one;
    return html`<tr><th scope="row">${value(name)}<p class="muted">${of}</p></th><td>${tellSlot(one)}</td><td><span class="badge tone-${STATES[state].tone}">${tellDeliveryState(state)}</span></td><td class="text">${value(about)}</td></tr>`;
  });
  return section(
    'reports',
    'Reports of the service',
    html`<div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Report</th><th scope="col">Time</th><th scope="col">State</th><th scope="col">How</th></tr></thead><tbody>${rows}</tbody></table></div>`,
  );
}
