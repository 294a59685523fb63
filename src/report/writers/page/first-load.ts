import {
  type AdoptionField,
  type AdoptionShare,
  type AdoptionWords,
  type SideWords,
  tellAdoption,
} from '../../sections/adoption.js';
import { tellBulkLoad } from '../../sections/bulk-load.js';
import type { ValueDifference } from '../../sections/differences.js';
import { nameEntities } from '../../sections/kinds.js';
import { renderBars } from './charts.js';
import { formatNumber, type Html, html, value } from './html-text.js';
import { type Contents, section } from './sections.js';

/** First contact: what is taken over and by which key, in what the pairs differ, and what is on one side only. */
export function renderAdoption({ report, tally }: Contents): Html | null {
  const { adoption } = report;
  if (adoption === null || adoption.length === 0) return null;
  const filtered = new Set(tally.fields.map(([name]) => name));
  return section(
    'adoption',
    'First contact',
    html`<p class="muted">Records find what is there already. What is matched with certainty is adopted and managed from now on.</p>`,
    html`${adoption.map((one) => renderEntity(one.entity, tellAdoption(one), filtered))}`,
  );
}

function renderEntity(entity: string, words: AdoptionWords, filtered: ReadonlySet<string>): Html {
  const { title, keys, shares, fields, sides, doubtful } = words;
  const by = keys.map(([key, count], i) => html`${i === 0 ? '' : ', '}${formatNumber(count)} by <code>${key}</code>`);
  return html`<article class="card" aria-labelledby="adoption-${entity}"><h3 id="adoption-${entity}">${title}</h3><p>Matched: ${by}.</p>
${renderShares(entity, shares)}
${doubtful === null ? null : html`<p class="tone-bad">${doubtful}: <a href="#held">see what is held</a>.</p>`}
${renderFields(entity, fields, filtered)}${sides.map(renderSide)}</article>`;
}

function renderShares(entity: string, shares: readonly AdoptionShare[]): Html {
  const description = shares.map(({ name, count }) => `${name} ${count}`).join(', ');
  const legend = shares.map(
    ({ name, count, tone }) =>
      html`<li><span class="dot tone-${tone}" aria-hidden="true"></span>${name} <b>${formatNumber(count)}</b></li>`,
  );
  const title = `Where the ${nameEntities(entity)} are`;
  const bars = [{ label: 'Both sides', parts: shares }];
  return html`<div class="strip">${renderBars({ id: `shares-${entity}`, title, description, bars })}<ul class="legend">${legend}</ul></div>`;
}

function renderFields(entity: string, fields: readonly AdoptionField[], filtered: ReadonlySet<string>): Html | null {
  if (fields.length === 0) return null;
  const rows = fields.map(({ field, count, examples }) => {
    const [first, ...others] = examples;
    const name = `${entity}.${field}`;
    return html`<tr><th scope="row">${filtered.has(name) ? html`<a href="#field=${name}">${field}</a>` : field}</th><td class="number" data-name="pairs:">${formatNumber(count)}</td>
<td>${first === undefined ? null : renderExample(first)}${others.length === 0 ? null : html`<details><summary>${others.length} more</summary>${others.map(renderExample)}</details>`}</td></tr>`;
  });
  return html`<div class="scroll"><table class="plain stack"><caption>In what the pairs differ</caption><thead><tr><th scope="col">Field</th><th scope="col" class="number">Pairs</th><th scope="col">For example: the service now → the source</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function renderExample({ label, differences }: AdoptionField['examples'][number]): Html {
  return html`<div class="example"><p class="muted">${value(label)}</p>${differences.map(renderDifference)}</div>`;
}

function renderDifference({ field, before, after }: ValueDifference): Html {
  const show = (text: string | null): Html =>
    text === null ? html`<span class="empty">(empty)</span>` : html`<span class="text">${value(text)}</span>`;
  return html`<p><span class="key">${field}</span> ${show(before)} → ${show(after)}</p>`;
}

function renderSide({ name, count, what, labels, more }: SideWords): Html {
  return html`<details class="group"><summary>${name}: <b>${formatNumber(count)}</b> <span class="muted">${what}</span></summary><ul class="names">${labels.map((label) => html`<li>${value(label)}</li>`)}${more === 0 ? null : html`<li class="muted">… and ${formatNumber(more)} more</li>`}</ul></details>`;
}

/** How a first load travels: who goes by the service's own import, and who does not, and why. */
export function renderBulkLoad({ report }: Contents): Html | null {
  if (report.bulkLoad === null) return null;
  const { title, refused, singly } = tellBulkLoad(report.bulkLoad);
  const rows = singly.map(
    ({ people, reason, examples }) =>
      html`<tr><th scope="row">${people}</th><td class="text">${value(reason)}</td><td class="place">${value(examples)}</td></tr>`,
  );
  return section(
    'bulk-load',
    'First load',
    html`<article class="${refused === null ? 'card' : 'notice tone-warn'}"><h3>${title}</h3>${refused === null ? null : html`<p class="text">${value(refused)}</p>`}
${rows.length === 0 ? null : html`<div class="scroll"><table class="plain stack"><caption>Who does not go by it</caption><thead><tr><th scope="col">People</th><th scope="col">Why</th><th scope="col">For example</th></tr></thead><tbody>${rows}</tbody></table></div>`}</article>`,
  );
}
