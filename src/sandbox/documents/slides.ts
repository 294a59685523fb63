/** A run of text on a slide; `breakLine` ends its paragraph. */
export interface SlideText {
  readonly text: string;
  readonly options: {
    readonly fontSize: number;
    readonly bold?: boolean;
    readonly color: string;
    readonly breakLine?: boolean;
    readonly bullet?: boolean;
    /** Points. */
    readonly paraSpaceBefore?: number;
    readonly paraSpaceAfter?: number;
    /** Keeps a heading on the same slide as the next paragraph. */
    readonly keepsNext?: boolean;
  };
  /** Name of the section that this heading begins. */
  readonly section?: string;
}

export interface FilledSlide {
  readonly texts: readonly SlideText[];
  /** Names of the sections with content on the slide. */
  readonly sections: readonly string[];
}

/** Space for text in inches; the cover has less than other slides. */
export interface SlideRoom {
  readonly width: number;
  readonly coverHeight: number;
  readonly height: number;
}

interface SlideParagraph {
  readonly runs: readonly SlideText[];
  readonly height: number;
  readonly keepsNext: boolean;
}

/**
 * Distributes texts over slides; the cover comes first and may get none. Heights are estimated generously, because no
 * presentation program is available to measure them.
 */
export function fillSlides(texts: readonly SlideText[], room: SlideRoom): readonly FilledSlide[] {
  const slides: SlideParagraph[][] = [[]];
  let left = room.coverHeight;
  const paragraphs = splitLong(texts, room.width, room.height).map((runs) => buildParagraph(runs, room.width));
  for (const group of groupKept(paragraphs)) {
    const needed = group.reduce((sum, paragraph) => sum + paragraph.height, 0);
    if (needed > left) {
      slides.push([]);
      left = room.height;
    }
    slides.at(-1)?.push(...group);
    left -= needed;
  }
  let section: string | undefined;
  return slides.map((shown) => {
    const runs = shown.flatMap((paragraph) => paragraph.runs);
    const begun = runs.flatMap((run) => run.section ?? []);
    const goesOn = section !== undefined && runs[0]?.section === undefined ? [section] : [];
    section = begun.at(-1) ?? section;
    return { texts: runs, sections: [...goesOn, ...begun] };
  });
}

function buildParagraph(runs: readonly SlideText[], width: number): SlideParagraph {
  const size = Math.max(...runs.map(({ options }) => options.fontSize));
  const lines = Math.ceil(runs.reduce((sum, { text }) => sum + estimateWidth(text, size), 0) / width);
  const space = ({ options }: SlideText): number => (options.paraSpaceBefore ?? 0) + (options.paraSpaceAfter ?? 0);
  const around = Math.max(...runs.map(space));
  const height = (Math.max(1, lines) * size * 1.25 + around) / 72;
  return { runs, height, keepsNext: runs.some(({ options }) => options.keepsNext) };
}

/** Inches: a little over half the font size for most letters, the full size for ideographs. */
function estimateWidth(text: string, size: number): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return ((text.length - wide) * 0.53 + wide * 1.02) * (size / 72);
}

/** Splits paragraphs longer than half a slide at the ends of sentences. */
function splitLong(texts: readonly SlideText[], width: number, height: number): readonly (readonly SlideText[])[] {
  const paragraphs: SlideText[][] = [[]];
  for (const run of texts) {
    for (const piece of cutText(run, width * (height / 2) * (72 / run.options.fontSize / 1.25))) {
      paragraphs.at(-1)?.push(piece);
      if (piece.options.breakLine) paragraphs.push([]);
    }
  }
  return paragraphs.filter((runs) => runs.length > 0);
}

function cutText(run: SlideText, room: number): readonly SlideText[] {
  if (estimateWidth(run.text, run.options.fontSize) <= room) return [run];
  const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(run.text)];
  const pieces: string[] = [''];
  for (const { segment } of sentences) {
    const last = pieces.at(-1) ?? '';
    if (last !== '' && estimateWidth(last + segment, run.options.fontSize) > room) pieces.push(segment);
    else pieces[pieces.length - 1] = last + segment;
  }
  return pieces.map((text) => ({ ...run, text: text.trim() }));
}

/** Groups each heading with the paragraph after it. */
function groupKept(paragraphs: readonly SlideParagraph[]): readonly (readonly SlideParagraph[])[] {
  const groups: SlideParagraph[][] = [];
  let isOpen = false;
  for (const paragraph of paragraphs) {
    if (isOpen) groups.at(-1)?.push(paragraph);
    else groups.push([paragraph]);
    isOpen = paragraph.keepsNext;
  }
  return groups;
}
