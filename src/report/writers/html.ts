import { readFileSync } from 'node:fs';
import { sha256 } from '../../model/sha256.js';
import { chartStates, describeCounts, describeHeadline } from '../sections/counts.js';
import { listSections } from '../sections/list-sections.js';
import type { Report } from '../sections/report.js';
import { type ReportSection, SECTION_IDS } from '../sections/section.js';
import { type ReportTally, tallyReport } from '../sections/tally.js';
import { capitalise, formatMinute } from '../sections/words.js';
import { renderBlock, renderChart, renderFacts, renderSection } from './page/blocks.js';
import { type PageLimits, renderFrame, writeRows } from './page/changes.js';
import { formatNumber, groupDigits, type Html, html, value } from './page/html-text.js';
import { PAGE_STYLE } from './page/page-style.js';

export const PAGE_LIMITS: PageLimits = { changes: 50_000, characters: 48_000_000, holds: 200 };

/**
 * Renders a report as one self-contained page, without requests, fonts or libraries. The content security policy allows
 * only the page's own script and style, by their hashes. So no data could run even if the escaping failed.
 */
export async function* renderHtml(report: Report, limits: PageLimits = PAGE_LIMITS): AsyncIterable<string> {
  const tally = await tallyReport(report, limits.holds);
  const script = joinScripts();
  const sections = listSections(report, tally);
  const at = SECTION_IDS.indexOf('changes');
  const isBefore = ({ id }: ReportSection): boolean => SECTION_IDS.indexOf(id) < at;
  yield renderHead(report, tally, script);
  yield renderTop(report, tally, sections);
  yield html`<main id="main">${sections.filter(isBefore).map(renderSection)}`.html;
  yield html`<section id="changes" aria-labelledby="changes-heading"><h2 id="changes-heading">Changes</h2>${renderFrame(tally)}</section>\n`
    .html;
  yield html`${sections.filter((section) => !isBefore(section)).map(renderSection)}</main>\n`.html;
  const shown = yield* writeRows(report, tally, limits);
  yield renderFoot(shown, tally, script).html;
}

/** Joins the two files into one script, without their imports and exports, because they share one scope. */
function joinScripts(): string {
  return ['page-rows.js', 'page-script.js']
    .map((name) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8'))
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
${html`<title>${report.tenant === null ? '' : `${report.tenant}: `}${titleOf(report)}: ${describeHeadline(tally)}</title>`.html}
<style>${PAGE_STYLE}</style>
</head>
`;
}

function titleOf({ kind, id }: Report): string {
  return `${kind === 'plan' ? 'Plan' : 'Run'} ${id}`;
}

/** Number of changes above which the page can be printed without them. */
const MANY = 2_000;

/** Offers to print only the summary. The style hides the changes. */
function offerSummary({ rows }: ReportTally): Html | null {
  if (rows <= MANY) return null;
  return html`<p class="screen"><label><input type="checkbox" id="summary-only"> Print only the summary, without the ${formatNumber(rows)} changes</label></p>`;
}

function renderTop(report: Report, tally: ReportTally, sections: readonly ReportSection[]): string {
  const { kind, at, facts, notes, tenant } = report;
  const links = [...sections, { id: 'changes', title: `Changes (${formatNumber(tally.rows)})` } as const]
    .toSorted((a, b) => SECTION_IDS.indexOf(a.id) - SECTION_IDS.indexOf(b.id))
    .map((one) => html`<li><a href="#${one.id}">${groupDigits('short' in one ? one.short : one.title)}</a></li>`);
  const said = notes.map((note) => html`<p>${value(note)}</p>`);
  const [states, counts] = [chartStates(tally), describeCounts(tally)];
  const headline = groupDigits(describeHeadline(tally));
  return html`<body>
<a class="skip" href="#changes">Skip to the changes</a>
<header class="top"><p class="kicker">talent-sync${tenant === null ? '' : `, ${tenant}`}, ${kind} of ${formatMinute(at)}</p><h1>${titleOf(report)}</h1>
<p class="headline">${capitalise(headline)}</p>
${said.length === 0 ? null : html`<div class="notice tone-bad" role="note">${said}</div>`}${states === null ? null : renderChart(states)}${counts === null ? null : renderBlock(counts)}
<details class="group"><summary>About this ${kind}</summary>${renderFacts(facts)}</details>
${offerSummary(tally)}<nav aria-label="Sections"><ul>${links}</ul></nav></header>
`.html;
}

function renderFoot(shown: number, { rows }: ReportTally, script: string): Html {
  const cut =
    shown === rows
      ? null
      : html`<p class="notice tone-warn" id="cut">This page shows the first ${formatNumber(shown)} of ${formatNumber(rows)} changes, dangerous and failed ones before all others. The CSV report has all of them.</p>`;
  return html`<footer>${cut}<p>Written by talent-sync. This page contains data about people from the sources and the service: protect it in the same way.</p>
<p class="screen"><kbd>/</kbd> searches, <kbd>Enter</kbd> opens a change, <kbd>↑</kbd> <kbd>↓</kbd> go from one to the next. The address keeps the filter.</p></footer>
${rows === 0 ? null : html`<script type="module">${{ html: script }}</script>`}
</body>
</html>
`;
}
