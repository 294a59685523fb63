import type { PaperBlock, Picture } from './paper.js';
import type { SlideText } from './slide-texts.js';

/** The content of a slide below its title. */
export interface PlannedSlide {
  readonly title: string;
  readonly columns: readonly SlideColumn[];
  /** A note at the foot, such as "More in the CV". */
  readonly note: string;
}

/** A column of texts or pictures. `start` is in inches from the side where the language begins. */
export interface SlideColumn {
  readonly start: number;
  readonly width: number;
  readonly texts: readonly SlideText[];
  readonly pictures: readonly Picture[];
}

/** Size of the area below the title, in inches. */
export const BODY = { width: 12.13, height: 5.1 };
export const COLUMN_GAP = 0.4;
export const HALF = (BODY.width - COLUMN_GAP) / 2;
/** Width in inches of a text next to pictures. */
export const WIDE = 7.4;

export function column(start: number, width: number, texts: readonly SlideText[]): SlideColumn {
  return { start, width, texts, pictures: [] };
}

export function showPictures(pictures: readonly Picture[]): readonly SlideColumn[] {
  const start = WIDE + COLUMN_GAP;
  return pictures.length === 0 ? [] : [{ start, width: BODY.width - start, texts: [], pictures }];
}

export function listPictures(block: PaperBlock): readonly Picture[] {
  if (block.kind === 'pictures') return block.pictures;
  return block.kind === 'entry' ? block.blocks.flatMap(listPictures) : [];
}
