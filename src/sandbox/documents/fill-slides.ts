import { estimateHeight, type SlideText } from './slide-texts.js';

/** The space for texts on a slide, in inches. */
export interface SlideRoom {
  readonly width: number;
  readonly height: number;
}

export interface FilledSlide {
  readonly texts: readonly SlideText[];
  /** The names of the sections that the slide shows at least in part. */
  readonly sections: readonly string[];
}

/** Distributes texts over slides. A heading never comes last on a slide. */
export function fillSlides(texts: readonly SlideText[], { width, height }: SlideRoom): readonly FilledSlide[] {
  const slides: SlideText[][] = [];
  let left = 0;
  for (const group of groupKept(texts.flatMap((text) => splitLong(text, width, height / 2)))) {
    const needed = estimateHeight(group, width);
    if (needed > left) {
      slides.push([]);
      left = height;
    }
    slides.at(-1)?.push(...group);
    left -= needed;
  }
  let section: string | undefined;
  return slides.map((shown) => {
    const begun = shown.flatMap((text) => text.section ?? []);
    const continued = section !== undefined && shown[0]?.section === undefined ? [section] : [];
    section = begun.at(-1) ?? section;
    return { texts: shown, sections: [...continued, ...begun] };
  });
}

/** Splits a text that is too high into several pieces, between sentences. */
function splitLong(text: SlideText, width: number, height: number): readonly SlideText[] {
  if (estimateHeight([text], width) <= height) return [text];
  const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text.text);
  const pieces: string[] = [''];
  for (const { segment } of sentences) {
    const longer = (pieces.at(-1) ?? '') + segment;
    if (pieces.at(-1) !== '' && estimateHeight([{ ...text, text: longer }], width) > height) pieces.push(segment);
    else pieces[pieces.length - 1] = longer;
  }
  return pieces.map((piece) => ({ ...text, text: piece.trim() }));
}

/** Groups each heading with the text that follows it. */
function groupKept(texts: readonly SlideText[]): readonly (readonly SlideText[])[] {
  const groups: SlideText[][] = [];
  let isOpen = false;
  for (const text of texts) {
    if (isOpen) groups.at(-1)?.push(text);
    else groups.push([text]);
    isOpen = text.keepsNext ?? false;
  }
  return groups;
}
