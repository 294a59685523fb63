import { readFileSync } from 'node:fs';
import { sha256 } from '../../../model/sha256.js';
import { isDangerous, lookOf, nameEntities, nameOne } from '../../sections/kinds.js';
import { groupOf, type Report, type ReportChange, STATES, type State } from '../../sections/report.js';
import { type ReportTally, tallyReport } from '../../sections/tally.js';
import { formatMinute } from '../../texts/run-lines.js';
import { renderDeliveries, renderToSources } from './both-sides.js';
import { renderAdoption, renderBulkLoad } from './first-load.js';
import { formatNumber, type Html, html, scriptJson } from './html-text.js';
import { PAGE_STYLE } from './page-style.js';
import {
  type Contents,
  renderCost,
  renderCounts,
  renderEvidence,
  renderFacts,
  renderFields,
  renderGuards,
  renderHolds,
  renderNotes,
  renderStates,
  section,
  tellHeadline,
} from './sections.js';

/** What a browser filters and sorts without a pause; beyond it the page says that it is cut, and the CSV has the rest. */
export interface PageLimits {
  readonly changes: number;
  readonly characters: number;
  readonly holds: number;
}
export const PAGE_LIMITS: PageLimits = { changes: 20_000, characters: 48_000_000, holds: 200 };
/** Rows of one script element: small enough to be parsed while the next one is read. */
const ROWS_A_PART = 1_000;

const COLUMNS = [
  ['action', 'Action', 'c-action'],
  ['entity', 'Entity', 'c-entity'],
  ['label', 'Who or what', ''],
  [null, 'What changes', ''],
  ['place', 'Source', 'c-place'],
  ['state', 'State', 'c-state'],
] as const;

/**
 * A report as one page that needs nothing else: no request, no font, no library. Its policy allows the one script and the
 * one style by their hashes, so that nothing in the data could run even if it got past the escaping.
 */
export async function* renderHtml(report: Report, limits: PageLimits = PAGE_LIMITS): AsyncIterable<string> {
  const tally = await tallyReport(report, limits.holds);
  const script = joinScripts();
  yield renderHead(report, tally, script);
  yield renderTop({ report, tally });
  yield html`<main id="main">`.html;
  const contents = { report, tally };
  for (const render of [renderGuards, renderAdoption, renderHolds, renderBulkLoad, renderToSources, renderDeliveries])
    yield render(contents)?.html ?? '';
  yield renderFrame(tally).html;
  for (const render of [renderFields, renderEvidence, renderCost]) yield render(contents)?.html ?? '';
  yield '</main>\n';
  const shown = yield* writeRows(report, tally, limits);
  yield renderFoot(shown, tally, script).html;
}

/** The two files as one script: what one exports, the other sees anyway. */
function joinScripts(): string {
  return ['page-rows.js', 'page-script.js']
    .map((name) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8'))
    .join('\n')
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export (?=function)/gm, '')
    .replaceAll('</', '<\\/');
}

function hashOf(text: string): string {
  return `'sha256-${sha256(text, 'base64')}'`;
}

function renderHead(report: Report, tally: ReportTally, script: string): string {
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(PAGE_STYLE)}; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
${html`<title>${titleOf(report)}: ${tellHeadline(tally)}</title>`.html}
<style>${PAGE_STYLE}</style>
</head>
`;
}

function titleOf({ kind, id }: Report): string {
  return `${kind === 'plan' ? 'Plan' : 'Run'} ${id}`;
}

function renderTop(contents: Contents): string {
  const { report, tally } = contents;
  const links: readonly (readonly [string, string, boolean])[] = [
    ['guards', `Guards (${report.guards.length})`, report.guards.length > 0],
    ['adoption', 'First contact', report.adoption !== null],
    ['held', `Held (${formatNumber(tally.held)})`, tally.held > 0],
    ['bulk-load', 'First load', report.bulkLoad !== null],
    ['to-sources', 'To the sources', tally.sources.size > 0 || report.nearMisses.length > 0],
    ['reports', 'Reports', report.due.length + report.delivered.length > 0],
    ['changes', `Changes (${formatNumber(tally.rows)})`, true],
    ['fields', 'Fields', tally.fields.length > 0],
    ['evidence', 'Evidence', report.evidence !== null],
    ['cost', 'Calls and time', report.cost !== null || report.spent !== null],
  ];
  return html`<body>
<a class="skip" href="#changes">To the changes</a>
<header class="top"><p class="kicker">talent-sync, ${report.kind} of ${formatMinute(report.at)}</p><h1>${titleOf(report)}</h1>
<p class="headline">${tellHeadline(tally)}</p>${renderNotes(contents)}${renderStates(contents)}${renderCounts(contents)}
<details class="group"><summary>About this ${report.kind}</summary>${renderFacts(contents)}</details>
<nav aria-label="Sections"><ul>${links.map(([id, name, isThere]) => (isThere ? html`<li><a href="#${id}">${name}</a></li>` : null))}</ul></nav></header>
`.html;
}

/** The table of changes without its rows, which the script puts in. */
function renderFrame({ entities, actions, states, fields, rows }: ReportTally): Html {
  if (rows === 0) return section('changes', 'Changes', html`<p class="muted">There are none.</p>`);
  const select = (name: string, label: string, all: string, options: readonly (readonly [string, string])[]): Html =>
    html`<label><span class="hidden">${label}</span><select name="${name}"><option value="">${all}</option>${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></label>`;
  const heads = COLUMNS.map(([sort, name, style]) =>
    sort === null
      ? html`<th scope="col" role="columnheader" class="${style}">${name}</th>`
      : html`<th scope="col" role="columnheader" class="${style}" aria-sort="none"><button type="button" data-sort="${sort}">${name}</button></th>`,
  );
  return section(
    'changes',
    'Changes',
    html`<noscript><p class="notice">The changes are listed by a script, which this browser does not run. The CSV and Markdown reports list them without one.</p></noscript>
<form class="tools" id="tools" role="search" aria-label="Filter the changes"><label><span class="hidden">Search names, keys, values, reasons</span><input type="search" id="q" name="q" placeholder="Search everything ( / )" autocomplete="off" spellcheck="false"></label>
${select(
  'entity',
  'Entity',
  'every entity',
  entities.map((name) => [name, nameEntities(name)]),
)}${select(
  'action',
  'Action',
  'every action',
  actions.map((name) => [name, name]),
)}${select(
  'state',
  'State',
  'every state',
  [...states.keys()].map((state) => [state, STATES[state].name]),
)}${select(
  'field',
  'Field',
  'every field',
  fields.map(([name]) => [name, name]),
)}
<button type="reset">Clear</button><button type="button" id="expand">Open all on this page</button></form>
<p class="status" id="status" role="status"></p>
<table class="changes" role="table" aria-describedby="status"><thead role="rowgroup"><tr role="row">${heads}</tr></thead><tbody id="rows" role="rowgroup"></tbody></table>
<div class="pager"><button type="button" id="previous">Previous</button><span id="page"></span><button type="button" id="next">Next</button>
<label>Rows on a page <select id="size"><option selected>50</option><option>100</option><option>250</option><option>500</option></select></label></div>`,
  );
}

/** Dangerous and failed ones first, so that a page that is cut lacks the harmless ones. */
const PARTS: readonly ((change: ReportChange) => boolean)[] = [
  (change) => isUrgent(change),
  (change) => !isUrgent(change),
];

function isUrgent({ state, action }: ReportChange): boolean {
  return state === 'failed' || isDangerous(action);
}

/** Answers how many changes were written. */
async function* writeRows(report: Report, tally: ReportTally, limits: PageLimits): AsyncGenerator<string, number> {
  const describe = createRowWriter(tally);
  let [shown, characters] = [0, 0];
  let part: string[] = [];
  walk: for (const belongs of PARTS) {
    for await (const change of report.changes()) {
      if (!belongs(change)) continue;
      const row = describe(change);
      if (shown === limits.changes || characters + row.length > limits.characters) break walk;
      shown += 1;
      characters += row.length;
      part.push(row);
      if (part.length < ROWS_A_PART) continue;
      yield rowsElement(part);
      part = [];
    }
  }
  yield rowsElement(part);
  const { entities, actions, states } = tally;
  const looks = {
    entities: entities.map((name) => ({ name, label: nameEntities(name) })),
    actions: actions.map((name) => ({ name, sign: lookOf(name).sign, tone: lookOf(name).tone })),
    states: [...states.keys()].map((state) => ({ id: state, ...STATES[state] })),
  };
  yield `<script type="application/json" id="names">${scriptJson(looks)}</script>\n`;
  return shown;
}

function rowsElement(rows: readonly string[]): string {
  return `<script type="application/json" class="rows">[\n${rows.join(',\n')}\n]</script>\n`;
}

/** A change as the script reads it; see `Row` there. What is empty is left out. */
function createRowWriter({ entities, actions, states }: ReportTally): (change: ReportChange) => string {
  const stateNames: readonly State[] = [...states.keys()];
  return (change) => {
    const { id, entity, action, sourceRecord, state, label, key, target, reason, place, differences, about, approval } =
      change;
    const { needs, calls, at } = change;
    return scriptJson({
      id,
      e: entities.indexOf(groupOf(change)),
      a: actions.indexOf(action),
      s: stateNames.indexOf(state),
      ...{ label, key: sourceRecord?.record ?? key, place, reason: reason.text },
      diff: differences.map(({ field, before, after }) => [field, before, after]),
      ...(target === null ? {} : { target }),
      ...(sourceRecord === null ? {} : { of: `${nameOne(entity)} ${key}` }),
      ...(about === '' ? {} : { about }),
      ...(approval === null ? {} : { approval }),
      ...(needs.length === 0 ? {} : { needs }),
      ...(at === null ? {} : { at }),
      ...(calls.length === 0 ? {} : { calls: calls.map(({ call, status, request_id }) => [call, status, request_id]) }),
    });
  };
}

function renderFoot(shown: number, { rows }: ReportTally, script: string): Html {
  const cut =
    shown === rows
      ? null
      : html`<p class="notice tone-warn" id="cut">Of ${formatNumber(rows)} changes the first ${formatNumber(shown)} are in this page, the dangerous and failed ones before all others. The CSV report has all of them.</p>`;
  return html`<footer>${cut}<p>Written by talent-sync. The page holds what the source systems and the service hold about people: keep it as you keep those.</p>
<p class="screen"><kbd>/</kbd> searches, <kbd>Enter</kbd> opens a change, <kbd>↑</kbd> <kbd>↓</kbd> go from one to the next. The address keeps the filter.</p></footer>
${rows === 0 ? null : html`<script type="module">${{ html: script }}</script>`}
</body>
</html>
`;
}
