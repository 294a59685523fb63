import {
  type Block,
  cellOf,
  plainText,
  type ReportFact,
  type SectionCell,
  type SectionTable,
  type Text,
} from '../sections/section.js';
import { foldDifferences } from './fold-text.js';
import { chooseWidth, clip, createStyle, displayWidth, padDisplay, type TerminalLook, wrapItems } from './style.js';

const LONGEST = 900;
const SHOWN_ROWS = 12;
/** Maximum width of a column. A wider one would leave no room for the last column. */
const WIDEST_COLUMN = 44;

/** Renders only facts, one per line, without colours. */
export function renderFacts(facts: readonly ReportFact[], align: number, indent: number): readonly string[] {
  return renderBlock({ kind: 'facts', facts, align }, indent, { style: createStyle(false), width: chooseWidth(null) });
}

/** Prose as indented lines. */
export function fold(text: string, indent: number, { width }: TerminalLook, longest = LONGEST): readonly string[] {
  if (text === '') return [];
  return wrapItems(clip(text, longest).split(' '), ' ', width - indent).map((line) => ' '.repeat(indent) + line);
}

/** Renders blocks of a section as lines. Charts are left out, because their numbers are also in text or tables. */
export function renderBlocks(blocks: readonly Block[], indent: number, look: TerminalLook): readonly string[] {
  return blocks.flatMap((block) => renderBlock(block, indent, look));
}

function renderBlock(block: Block, indent: number, look: TerminalLook): readonly string[] {
  const { style, width } = look;
  const space = ' '.repeat(indent);
  switch (block.kind) {
    case 'text': {
      const paint = style[block.tone === 'muted' ? 'dim' : (block.tone ?? 'plain')];
      return fold(plainText(block.text), indent, look).map(paint);
    }
    case 'table':
      return renderTable(block, indent, look);
    case 'pair':
      return renderTable(block.table, indent, look);
    case 'chart':
      return [];
    case 'facts':
      return block.facts.map(({ name, value }) =>
        block.align === undefined
          ? `${space}  ${clip(`${name}: ${value}`, width - indent - 2)}`
          : `${space}${name.padEnd(block.align)}${value}`,
      );
    case 'names': {
      const names = block.names.map((name) => clip(name, width - indent));
      const more = block.more === 0 ? [] : [`… and ${block.more} more`];
      return wrapItems([...names, ...more], ' · ', width - indent).map((line) => style.dim(space + line));
    }
    case 'command':
      // The command is never truncated, because people copy it.
      return [style.dim(`${space}${block.label}: ${block.command}`)];
    case 'card': {
      const isNotice = block.tone !== 'plain';
      const title = isNotice ? `! ${plainText(block.title)}` : plainText(block.title);
      const paint = isNotice ? style[block.tone] : style.bold;
      return [
        ...fold(title, indent, look).map(paint),
        ...renderBlocks(block.blocks, indent + (isNotice ? 4 : 2), look),
      ];
    }
    case 'fold':
      return [...fold(plainText(block.title), indent, look), ...renderBlocks(block.blocks, indent + 2, look)];
  }
}

/** Renders columns next to each other. A long last column continues on more lines. */
function renderTable({ columns, rows }: SectionTable, indent: number, look: TerminalLook): readonly string[] {
  const shown = rows.slice(0, SHOWN_ROWS).map((row) => row.map((cell) => cellOf(cell)));
  const names = columns.map(({ name }) => plainText(name));
  const widths = names.map((name, i) =>
    Math.min(WIDEST_COLUMN, Math.max(...[name, ...shown.map((row) => textOfCell(row[i]))].map(displayWidth))),
  );
  const place = (text: string, i: number): string => {
    if (columns[i]?.isNumber === true) return text.padStart(widths[i] ?? 0);
    return i === columns.length - 1 ? text : padDisplay(text, widths[i] ?? 0);
  };
  const before = indent + widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const lines = shown.flatMap((row) => {
    const [last, ...others] = fold(textOfCell(row.at(-1)), before, look);
    const start = row.slice(0, -1).map((cell, i) => place(clip(textOfCell(cell), widths[i] ?? 0), i));
    const end =
      columns.at(-1)?.isNumber === true ? place(textOfCell(row.at(-1)), columns.length - 1) : last?.trimStart();
    const line = `${' '.repeat(indent)}${[...start, end ?? ''].join('  ')}`.trimEnd();
    return [line, ...(columns.at(-1)?.isNumber === true ? [] : others), ...listBelow(row, indent + 2, look)];
  });
  const rest = rows.length - shown.length;
  const more = rest === 0 ? [] : [`${' '.repeat(indent)}… and ${rest} more (--json)`];
  const head = `${' '.repeat(indent)}${names.map(place).join('  ')}`;
  return [look.style.dim(head), ...lines, ...more.map(look.style.dim)];
}

function textOfCell(cell: SectionCell | undefined): string {
  return clip(plainText(cell?.text ?? ('' satisfies Text)), LONGEST);
}

/** The lines below a row: second lines, and values before and after. */
function listBelow(row: readonly SectionCell[], indent: number, look: TerminalLook): readonly string[] {
  return row.flatMap(({ note, differences = [] }) => [
    ...(note === undefined ? [] : fold(plainText(note), indent, look).map(look.style.dim)),
    ...foldDifferences(differences, indent, look),
  ]);
}
