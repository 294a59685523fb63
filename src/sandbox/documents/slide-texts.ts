import { type EntryBlock, type FactsBlock, isIntroduction, type PaperBlock, type ProseParagraph } from './paper.js';

/** A paragraph on a slide. */
export interface SlideText {
  readonly text: string;
  /** Size in points. */
  readonly size: number;
  readonly color: string;
  readonly isBold?: boolean;
  readonly isItem?: boolean;
  /** Space before the paragraph, in points. */
  readonly before?: number;
  readonly after?: number;
  /** Set if the paragraph must not be the last on a slide. */
  readonly keepsNext?: boolean;
  /** Set if the paragraph may be shortened when there is not enough room. */
  readonly isProse?: boolean;
  /** The name of the section, set on its heading. */
  readonly section?: string;
}

export const INK = '222222';
export const GREY = '666666';
const LINE_HEIGHT = 1.25;

/**
 * Estimates the height of texts in inches. Only presentation programs know the exact height, so the estimate is rather too
 * high.
 */
export function estimateHeight(texts: readonly SlideText[], width: number): number {
  return texts.reduce((sum, text) => sum + estimateParagraph(text, width), 0);
}

function estimateParagraph({ text, size, isItem, before = 0, after = 0 }: SlideText, width: number): number {
  const lines = Math.ceil(estimateWidth(text, size) / (isItem ? width - 0.4 : width));
  return (Math.max(1, lines) * size * LINE_HEIGHT + before + after) / 72;
}

/** Estimates the width of a text in inches: a little over half the size for most letters, and the size for ideographs. */
export function estimateWidth(text: string, size: number): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return ((text.length - wide) * 0.53 + wide * 1.02) * (size / 72);
}

export function tellSection(heading: string, color: string): SlideText {
  return { text: heading, section: heading, size: 17, isBold: true, color, before: 9, after: 3, keepsNext: true };
}

/** Converts a block to texts. Pictures give no text, because slides show them next to it. */
export function tellBlock(block: PaperBlock, accent: string, size = 14): readonly SlideText[] {
  switch (block.kind) {
    case 'entry':
      return [...tellEntryHead(block, accent, size), ...block.blocks.flatMap((one) => tellBlock(one, accent, size))];
    case 'facts':
      return tellFacts(block, size);
    case 'role':
      return [
        {
          text: `${block.label}: ${block.name}`,
          size,
          isBold: true,
          color: INK,
          before: 6,
          after: 2,
          keepsNext: block.paragraphs.length > 0,
        },
        ...tellProse(block.paragraphs, size),
      ];
    case 'pictures':
      return [];
    default:
      return tellProse(block.paragraphs, size);
  }
}

function tellFacts({ facts }: FactsBlock, size: number): readonly SlideText[] {
  return facts.map(({ label, value }) => ({ text: `${label}: ${value}`, size, color: INK, after: 3 }));
}

function tellProse(paragraphs: readonly ProseParagraph[], size: number): readonly SlideText[] {
  return paragraphs.map(({ text, isItem }) => ({
    text,
    size,
    color: INK,
    after: 4,
    isItem,
    isProse: true,
    keepsNext: isIntroduction(text),
  }));
}

/** Returns the title of an entry, with the customer or employer and the period. */
export function tellEntryHead(entry: EntryBlock, accent: string, size = 17): readonly SlideText[] {
  const look = { isBold: true, color: INK, before: 5, after: 2, keepsNext: true };
  const title = { text: entry.title || entry.subtitle, size: Math.max(17, size), ...look };
  return [title, ...tellContext(entry, accent)];
}

export function tellContext({ title, subtitle, period }: EntryBlock, accent: string): readonly SlideText[] {
  const text = [title === '' ? '' : subtitle, period].filter((word) => word !== '').join(' · ');
  return text === '' ? [] : [{ text, size: 12, color: accent, after: 4, keepsNext: true }];
}
