import type { ValueDifference } from '../sections/differences.js';
import {
  type Block,
  cellOf,
  type Piece,
  piecesOf,
  plainText,
  type SectionCell,
  type TableColumn,
  type Text,
} from '../sections/section.js';
import { codeMarkdown, escapeMarkdown, escapeSummary } from './markdown-text.js';
import { clip } from './style.js';

const LONGEST_PROSE = 300;
const LONGEST_NAME = 200;
const LONGEST_VALUE = 160;
const SHOWN_ROWS = 30;
const SHOWN_DIFFERENCES = 12;

/**
 * Renders the blocks of a section, separated by empty lines. Charts are left out, because their numbers are also in text or
 * tables.
 */
export function renderBlocks(blocks: readonly Block[]): string {
  return blocks
    .map(renderBlock)
    .filter((text) => text !== '')
    .join('\n\n');
}

export function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.tone === 'bad' || block.tone === 'warn' ? `**${renderText(block.text)}**` : renderText(block.text);
    case 'table': {
      const rows = block.rows.slice(0, SHOWN_ROWS).map(renderRow);
      const rest = block.rows.length - rows.length;
      const more = rest === 0 ? '' : `\n\n… and ${rest} more; \`--json\` gives them all.`;
      return `${[renderHeads(block.columns), ...rows].join('\n')}${more}`;
    }
    case 'chart':
      return '';
    case 'pair':
      return renderBlock(block.table);
    case 'facts':
      return block.facts.map(({ name, value }) => `- ${escapeMarkdown(name)}: ${prose(value, 600)}`).join('\n');
    case 'names': {
      const more = block.more === 0 ? [] : [`- … and ${block.more} more`];
      return [...block.names.map((name) => `- ${codeMarkdown(clip(name, LONGEST_NAME))}`), ...more].join('\n');
    }
    case 'command':
      return `${block.label}: ${codeMarkdown(block.command)}`;
    case 'card':
      return renderCard(block);
    case 'fold': {
      const note = block.note === undefined ? [] : [renderText(block.note)];
      return foldMarkdown(plainText(block.title), [...note, renderBlocks(block.blocks)].join('\n\n'));
    }
  }
}

function renderCard({ title, tone, blocks }: Extract<Block, { kind: 'card' }>): string {
  const inside = renderBlocks(blocks);
  if (tone === 'plain') return [`### ${renderText(title)}`, inside].filter((text) => text !== '').join('\n\n');
  return `**${renderText(title)}**\n\n${inside}`.replace(/^/gm, '> ').replace(/ +$/gm, '');
}

export function foldMarkdown(title: string, inside: string): string {
  return `<details><summary>${escapeSummary(title)}</summary>\n\n${inside}\n\n</details>`;
}

export function renderHeads(columns: readonly TableColumn[]): string {
  const names = columns.map(({ name }) => ` ${renderText(name)} `.replace(/^ +$/, ' ')).join('|');
  return `|${names}|\n|${columns.map(({ isNumber }) => (isNumber === true ? '--:|' : '---|')).join('')}`;
}

export function renderRow(cells: readonly (Text | SectionCell)[]): string {
  return `| ${cells.map((cell) => renderCell(cellOf(cell))).join(' | ')} |`;
}

function renderCell({ text, note, differences = [] }: SectionCell): string {
  const shown = differences.slice(0, SHOWN_DIFFERENCES).map(renderDifference);
  const rest = differences.length - shown.length;
  return [
    renderText(text),
    ...shown,
    ...(rest === 0 ? [] : [`… and ${rest} more fields`]),
    ...(note === undefined ? [] : [renderText(note)]),
  ]
    .filter((line) => line !== '')
    .join('<br>');
}

function renderDifference({ field, before, after, isNew }: ValueDifference): string {
  const show = (value: string | null): string =>
    value === null ? '*(empty)*' : codeMarkdown(clip(value, LONGEST_VALUE));
  return `${escapeMarkdown(field)}: ${isNew === true ? '' : `${show(before)} → `}${show(after)}`;
}

function renderText(text: Text): string {
  return piecesOf(text).map(renderPiece).join('').trim();
}

function renderPiece(piece: Piece): string {
  if (typeof piece === 'number') return String(piece);
  if (typeof piece === 'string') return escapeMarkdown(piece);
  switch (piece.is) {
    case 'name':
    case 'code':
    case 'sign':
      return piece.text === '' ? '' : codeMarkdown(clip(piece.text, LONGEST_NAME));
    case 'prose':
      return prose(piece.text, LONGEST_PROSE);
    case 'strong':
      return `**${escapeMarkdown(piece.text)}**`;
    case 'badge':
      return piece.tone === 'bad' ? `**${escapeMarkdown(piece.text)}**` : escapeMarkdown(piece.text);
    case 'link':
      return renderPiece(piece.text);
  }
}

function prose(text: string, most: number): string {
  return escapeMarkdown(clip(text, most));
}
