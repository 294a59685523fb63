import type { ValueDifference } from './differences.js';
import type { Tone } from './kinds.js';

/** The target of a link: a section of the page, or the changes that a filter finds. */
export type ReportLink = SectionId | Readonly<Record<string, string>>;

export const SECTION_IDS = [
  'guards',
  'understood',
  'adoption',
  'held',
  'bulk-load',
  'to-sources',
  'reports',
  'changes',
  'fields',
  'evidence',
  'cost',
] as const;
export type SectionId = (typeof SECTION_IDS)[number];

/** A piece of text that each format renders in its own way. A bare string is our own text, and a number is a count. */
export type Piece =
  | string
  | number
  /**
   * `name` is the name of a record, `prose` a sentence with data in it, and `code` an identifier of the program or of a
   * source.
   */
  | { readonly is: 'name' | 'prose' | 'code' | 'strong'; readonly text: string }
  | { readonly is: 'badge' | 'sign'; readonly text: string; readonly tone: Tone }
  | { readonly is: 'link'; readonly to: ReportLink; readonly text: Piece; readonly tone?: Tone };
export type Text = Piece | readonly Piece[];

export interface SectionCell {
  readonly text: Text;
  /** A second line with less important text. */
  readonly note?: Text;
  readonly differences?: readonly ValueDifference[];
  /** More cells of the same kind, which some formats fold. */
  readonly more?: readonly SectionCell[];
}

export interface TableColumn {
  readonly name: Text;
  readonly isNumber?: boolean;
}

export interface SectionTable {
  readonly kind: 'table';
  readonly columns: readonly TableColumn[];
  /** The first cell of a row is its name. */
  readonly rows: readonly (readonly (Text | SectionCell)[])[];
}

export interface BarPart {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
  readonly to?: ReportLink;
}

/** A chart of numbers that are also in the text or in a table. */
export interface Chart {
  readonly kind: 'chart';
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly bars: readonly { readonly label: string; readonly parts: readonly BarPart[] }[];
  /** True if the chart must name its parts below, because no table does. */
  readonly hasLegend: boolean;
}

export type Block =
  | { readonly kind: 'text'; readonly text: Text; readonly tone?: Tone | 'muted' }
  | SectionTable
  | Chart
  /** A table and a chart, side by side if there is room. */
  | { readonly kind: 'pair'; readonly table: SectionTable; readonly chart: Chart }
  /** `align` is the column at which a terminal begins the values, which are not truncated. */
  | { readonly kind: 'facts'; readonly facts: readonly ReportFact[]; readonly align?: number }
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly more: number }
  | { readonly kind: 'command'; readonly label: string; readonly command: string }
  /** A separate box: a card, or with a tone, a notice. */
  | { readonly kind: 'card'; readonly title: Text; readonly tone: Tone; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'fold';
      readonly title: Text;
      readonly note?: Text;
      readonly isOpen: boolean;
      readonly blocks: readonly Block[];
    };

export interface ReportFact {
  readonly name: string;
  readonly value: string;
}

export interface ReportSection {
  readonly id: SectionId;
  readonly title: string;
  /** Name in a list of the sections; by default the title. */
  readonly short?: string;
  /** True for a section that is rarely read. A format that supports folding may fold it. */
  readonly isAside?: boolean;
  readonly blocks: readonly Block[];
}

export function name(text: string): Piece {
  return { is: 'name', text };
}

export function prose(text: string): Piece {
  return { is: 'prose', text };
}

export function code(text: string): Piece {
  return { is: 'code', text };
}

export function badge(text: string, tone: Tone): Piece {
  return { is: 'badge', text, tone };
}

export function link(to: ReportLink, text: Piece, tone: Tone = 'plain'): Piece {
  return { is: 'link', to, text, tone };
}

/** Drops the null blocks. */
export function blocksOf(...blocks: readonly (Block | null)[]): readonly Block[] {
  return blocks.filter((block) => block !== null);
}

export function cellOf(cell: Text | SectionCell): SectionCell {
  return typeof cell === 'object' && 'text' in cell && !('is' in cell) ? cell : { text: cell };
}

/** The text without any formatting. */
export function plainText(text: Text): string {
  return piecesOf(text)
    .map((piece) => {
      if (typeof piece !== 'object') return String(piece);
      return piece.is === 'link' ? plainText(piece.text) : piece.text;
    })
    .join('');
}

export function piecesOf(text: Text): readonly Piece[] {
  return isPieces(text) ? text : [text];
}

function isPieces(text: Text): text is readonly Piece[] {
  return Array.isArray(text);
}
