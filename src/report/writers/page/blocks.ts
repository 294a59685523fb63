import type { ValueDifference } from '../../sections/differences.js';
import {
  type Block,
  type Chart,
  cellOf,
  type Piece,
  piecesOf,
  plainText,
  type ReportFact,
  type ReportLink,
  type ReportSection,
  type SectionCell,
  type SectionTable,
  type TableColumn,
  type Text,
} from '../../sections/section.js';
import { formatNumber, groupDigits, type Html, html, showText, value } from './html-text.js';

export function renderSection({ id, title, blocks }: ReportSection): Html {
  return html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${groupDigits(title)}</h2>${blocks.map(renderBlock)}</section>\n`;
}

export function renderBlock(block: Block): Html {
  switch (block.kind) {
    case 'text':
      return html`<p class="text ${block.tone === 'muted' ? 'muted' : `tone-${block.tone ?? 'plain'}`}">${renderText(block.text)}</p>`;
    case 'table':
      return renderTable(block);
    case 'chart':
      return renderChart(block);
    case 'pair':
      return html`<div class="pair">${renderTable(block.table)}<figure>${renderBars(block.chart)}</figure></div>`;
    case 'facts':
      return renderFacts(block.facts);
    case 'names': {
      const more = block.more === 0 ? null : html`<li class="muted">… and ${formatNumber(block.more)} more</li>`;
      return html`<ul class="names">${block.names.map((name) => html`<li>${value(name)}</li>`)}${more}</ul>`;
    }
    case 'command':
      return html`<p>${block.label}:</p><pre><code>${block.command}</code></pre>`;
    case 'card':
      return html`<article class="${block.tone === 'plain' ? 'card' : `notice tone-${block.tone}`}"><h3>${renderText(block.title)}</h3>${block.blocks.map(renderBlock)}</article>`;
    case 'fold': {
      const note = block.note === undefined ? null : html` <span class="muted">${renderText(block.note)}</span>`;
      return html`<details class="group" ${block.isOpen ? { html: 'open' } : null}><summary>${renderText(block.title)}${note}</summary>${block.blocks.map(renderBlock)}</details>`;
    }
  }
}

export function renderFacts(facts: readonly ReportFact[]): Html {
  const rows = facts.map(
    ({ name, value: text }) => html`<div><dt>${name}</dt><dd class="text">${value(text)}</dd></div>`,
  );
  return html`<dl class="facts">${rows}</dl>`;
}

export function renderChart(chart: Chart): Html {
  if (!chart.hasLegend) return html`<figure>${renderBars(chart)}</figure>`;
  const items = chart.bars
    .flatMap(({ parts }) => parts)
    .map(({ name, count, tone, to }) => {
      const words = html`<span class="dot tone-${tone}" aria-hidden="true"></span>${name} <b>${formatNumber(count)}</b>`;
      return html`<li>${to === undefined ? words : html`<a href="${hrefOf(to)}">${words}</a>`}</li>`;
    });
  return html`<div class="strip">${renderBars(chart)}<ul class="legend">${items}</ul></div>`;
}

/**
 * Renders a table. If all columns except the first are numbers, the table is only as wide as needed. Any other table is
 * stacked on a phone.
 */
function renderTable({ columns, rows }: SectionTable): Html {
  const isNumbers = columns.slice(1).every(({ isNumber }) => isNumber === true);
  const heads = columns.map(({ name, isNumber }) =>
    name === ''
      ? html`<td></td>`
      : html`<th scope="col" class="${isNumber === true ? 'number' : ''}">${renderText(name)}</th>`,
  );
  const body = rows.map((row) => html`<tr>${row.map((cell, i) => renderCell(cellOf(cell), i, columns[i]))}</tr>`);
  return html`<div class="scroll"><table class="${isNumbers ? 'numbers' : 'plain stack'}"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function renderCell(cell: SectionCell, i: number, column: TableColumn | undefined): Html {
  const content = renderContent(cell);
  if (i === 0) return html`<th scope="row">${content}</th>`;
  if (column?.isNumber !== true) return html`<td class="text">${content}</td>`;
  const isNone = cell.text === '';
  return html`<td class="${isNone ? 'none' : 'number'}" data-name="${plainText(column.name).toLowerCase()}:">${isNone ? '·' : content}</td>`;
}

function renderContent({ text, note, differences = [], more = [] }: SectionCell): Html {
  const second = note === undefined ? null : html`<p class="muted">${renderText(note)}</p>`;
  if (differences.length === 0) return html`${renderText(text)}${second}`;
  const others =
    more.length === 0
      ? null
      : html`<details><summary>${more.length} more</summary>${more.map(renderContent)}</details>`;
  return html`<div class="example"><p class="muted">${renderText(text)}</p>${differences.map(renderDifference)}</div>${others}`;
}

function renderDifference({ field, before, after }: ValueDifference): Html {
  const show = (text: string | null): Html =>
    text === null ? html`<span class="empty">(empty)</span>` : html`<span class="text">${value(text)}</span>`;
  return html`<p><span class="key">${field}</span> ${show(before)} → ${show(after)}</p>`;
}

export function renderText(text: Text): Html {
  return html`${piecesOf(text).map(renderPiece)}`;
}

function renderPiece(piece: Piece): Html {
  if (typeof piece === 'number') return html`${formatNumber(piece)}`;
  if (typeof piece === 'string') return html`${groupDigits(piece)}`;
  switch (piece.is) {
    case 'name':
      return value(piece.text);
    case 'prose':
      return showText(piece.text);
    case 'code':
      return html`<code>${piece.text}</code>`;
    case 'strong':
      return html`<b>${piece.text}</b>`;
    case 'badge':
      return html`<span class="badge tone-${piece.tone}">${piece.text}</span>`;
    case 'sign':
      return html`<span class="sign tone-${piece.tone}">${piece.text}</span>`;
    case 'link':
      return html`<a href="${hrefOf(piece.to)}"${piece.tone === 'bad' ? { html: ' class="danger"' } : null}>${renderPiece(piece.text)}</a>`;
  }
}

function hrefOf(to: ReportLink): string {
  if (typeof to === 'string') return `#${to}`;
  const filter = Object.entries(to).map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  return `#${filter.join('&')}`;
}

const ROW = 38;
const TEXT = 13;
const BAR_TOP = 19;
const BAR_HEIGHT = 9;
/** Minimum width that keeps a single change visible next to ten thousand. */
const LEAST_PERCENT = 0.6;

/**
 * Renders bars below their labels. Widths are percentages of the picture and heights are pixels, so that the text keeps its
 * size on a phone and on paper.
 */
function renderBars({ id, title, description, bars }: Chart): Html {
  const most = Math.max(1, ...bars.map(sumOf));
  return html`<svg role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${bars.length * ROW}" class="chart">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${bars.map((bar, i) => renderBar(bar, i * ROW, most))}</svg>`;
}

type Bar = Chart['bars'][number];

function sumOf({ parts }: Bar): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function renderBar(bar: Bar, top: number, most: number): Html {
  let left = 0;
  const pieces = bar.parts
    .filter(({ count }) => count > 0)
    .map(({ name, count, tone }) => {
      const width = Math.max(LEAST_PERCENT, (count / most) * 100);
      const x = left;
      left += width;
      return html`<rect x="${x.toFixed(2)}%" y="${top + BAR_TOP}" width="${width.toFixed(2)}%" height="${BAR_HEIGHT}" class="tone-${tone}"><title>${bar.label}: ${name} ${formatNumber(count)}</title></rect>`;
    });
  return html`<rect x="0" y="${top + BAR_TOP}" width="100%" height="${BAR_HEIGHT}" class="track"/>${pieces}
<text x="0" y="${top + TEXT}">${bar.label}</text><text x="100%" y="${top + TEXT}" text-anchor="end" class="count">${formatNumber(sumOf(bar))}</text>`;
}
