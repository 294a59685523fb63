import { estimateHeight, type SlideText } from './slide-texts.js';

export interface CutTexts {
  readonly texts: readonly SlideText[];
  readonly isCut: boolean;
}

/**
 * Texts that fit: prose is cut after a sentence, or after a word where not even one sentence fits, and ends in an ellipsis. What
 * is no prose is kept, such as skills and roles. The first stretch of prose gets what the later ones leave, and half of the room
 * at least.
 *
 * @param height in inches
 */
export function cutTexts(texts: readonly SlideText[], width: number, height: number, language: string): CutTexts {
  const stretches = groupProse(texts);
  const heightOf = (stretch: readonly SlideText[]): number => estimateHeight(stretch, width);
  const isProse = ([first]: readonly SlideText[]): boolean => first?.isProse === true;
  let left = height - stretches.filter((one) => !isProse(one)).reduce((sum, one) => sum + heightOf(one), 0);
  let later = stretches.filter(isProse).reduce((sum, one) => sum + heightOf(one), 0);
  let isCut = false;
  const kept = stretches.map((stretch) => {
    if (!isProse(stretch)) return stretch;
    later -= heightOf(stretch);
    const shown = cutProse(stretch, width, Math.max(left - later, left / 2), language);
    left -= heightOf(shown);
    isCut ||= shown.length < stretch.length || shown.at(-1)?.text !== stretch.at(-1)?.text;
    return shown;
  });
  return { texts: kept.flat(), isCut };
}

/** Stretches of prose, and of what is none. */
function groupProse(texts: readonly SlideText[]): readonly (readonly SlideText[])[] {
  const stretches: SlideText[][] = [];
  for (const text of texts) {
    const last = stretches.at(-1);
    if (last?.[0] !== undefined && Boolean(last[0].isProse) === Boolean(text.isProse)) last.push(text);
    else stretches.push([text]);
  }
  return stretches;
}

function cutProse(texts: readonly SlideText[], width: number, height: number, language: string): readonly SlideText[] {
  const shown: SlideText[] = [];
  let left = height;
  for (const text of texts) {
    const needed = estimateHeight([text], width);
    if (needed > left) {
      const cut = cutParagraph(text, width, left, language);
      return cut === undefined ? endInEllipsis(shown) : [...shown, cut];
    }
    shown.push(text);
    left -= needed;
  }
  return shown;
}

function endInEllipsis(shown: readonly SlideText[]): readonly SlideText[] {
  const end = shown.findLastIndex(({ keepsNext }) => !keepsNext);
  return shown.slice(0, end + 1).map((one, index) => (index === end ? { ...one, text: `${one.text} …` } : one));
}

/** As many sentences, or else words, as fit; undefined where there is no room for a line. */
function cutParagraph(text: SlideText, width: number, height: number, language: string): SlideText | undefined {
  for (const granularity of ['sentence', 'word'] as const) {
    const pieces = [...new Intl.Segmenter(language, { granularity }).segment(text.text)].map(({ segment }) => segment);
    for (let count = pieces.length - 1; count > 0; count -= 1) {
      const cut = { ...text, text: `${pieces.slice(0, count).join('').trimEnd()} …` };
      if (estimateHeight([cut], width) <= height) return cut;
    }
  }
  return undefined;
}
