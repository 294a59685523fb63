import type { ValueDifference } from './differences.js';
import type { Tone } from './kinds.js';

/** Where a link leads: to a section of the page, or to the changes that a filter finds. */
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

/** A stretch of text that each format shows in its own way; a bare string is our own words, and a number a count. */
export type Piece =
  | string
  | number
  /** `name`: what a record is called; `prose`: a sentence with data in it; `code`: a word of the program or of a source. */
  | { readonly is: 'name' | 'prose' | 'code' | 'strong'; readonly text: string }
  | { readonly is: 'badge' | 'sign'; readonly text: string; readonly tone: Tone }
  | { readonly is: 'link'; readonly to: ReportLink; readonly text: Piece; readonly tone?: Tone };
export type Text = Piece | readonly Piece[];

export interface SectionCell {
  readonly text: Text;
  /** A second line that says less. */
  readonly note?: Text;
  readonly differences?: readonly ValueDifference[];
  /** Further ones of the same kind, for formats that can fold them. */
  readonly more?: readonly SectionCell[];
}

export interface TableColumn {
  readonly name: Text;
  readonly isNumber?: boolean;
}

export interface SectionTable {
  readonly kind: 'table';
  readonly columns: readonly TableColumn[];
  /** A row's first cell names it. */
  readonly rows: readonly (readonly (Text | SectionCell)[])[];
}

export interface BarPart {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
  readonly to?: ReportLink;
}

/** A picture of numbers that also are in words or in a table. */
export interface Chart {
  readonly kind: 'chart';
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly bars: readonly { readonly label: string; readonly parts: readonly BarPart[] }[];
  /** Names the parts under the picture, where no table does. */
  readonly hasLegend: boolean;
}

export type Block =
  | { readonly kind: 'text'; readonly text: Text; readonly tone?: Tone | 'muted' }
  | SectionTable
  | Chart
  /** Side by side where there is room. */
  | { readonly kind: 'pair'; readonly table: SectionTable; readonly chart: Chart }
  /** `align`: the column at which a terminal begins the values, which it shows whole. */
  | { readonly kind: 'facts'; readonly facts: readonly ReportFact[]; readonly align?: number }
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly more: number }
  | { readonly kind: 'command'; readonly label: string; readonly command: string }
  /** Something that is apart: a card, or with a tone a notice. */
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
  /** What a list of the sections calls it, unless by its title. */
  readonly short?: string;
  /** Little read: a format that folds may fold it. */
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

/** The blocks that there are. */
export function blocksOf(...blocks: readonly (Block | null)[]): readonly Block[] {
  return blocks.filter((block) => block !== null);
}

export function cellOf(cell: Text | SectionCell): SectionCell {
  return typeof cell === 'object' && 'text' in cell && !('is' in cell) ? cell : { text: cell };
}

/** Text as it reads without any look. */
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
