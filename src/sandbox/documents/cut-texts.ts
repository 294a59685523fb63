import { estimateHeight, type SlideText } from './slide-texts.js';

export interface CutTexts {
  readonly texts: readonly SlideText[];
  readonly isCut: boolean;
}

/** Maximum number of lines for texts other than prose, such as a list of skills. */
const MOST_LINES = 2;

/**
 * Shortens texts until they fit. Prose ends after a complete sentence, or after a word if no sentence fits, and then has an
 * ellipsis. Skills and roles are kept in two lines each. Each stretch of prose gets the space that the later ones do not need,
 * but at least half of the remaining space.
 *
 * @param height in inches
 */
export function cutTexts(all: readonly SlideText[], width: number, height: number, language: string): CutTexts {
  const heightOf = (texts: readonly SlideText[]): number => estimateHeight(texts, width);
  let texts = all.map((text) => (text.isProse ? text : cutLines(text, width, language)));
  let left = height - heightOf(texts.filter(({ isProse }) => !isProse));
  while (left < 0) {
    const dropped = texts.findLastIndex(({ isProse }) => !isProse);
    left += heightOf(texts.slice(dropped, dropped + 1));
    texts = texts.toSpliced(dropped, 1);
  }
  const stretches = groupProse(texts);
  let later = heightOf(texts.filter(({ isProse }) => isProse));
  const kept = stretches.flatMap((stretch) => {
    if (!stretch[0]?.isProse) return stretch;
    later -= heightOf(stretch);
    const shown = cutProse(stretch, width, Math.max(left - later, left / 2), language);
    left -= heightOf(shown);
    return shown;
  });
  return { texts: kept, isCut: kept.length < all.length || kept.some((text, index) => text.text !== all[index]?.text) };
}

function cutLines(text: SlideText, width: number, language: string): SlideText {
  const height = estimateHeight([{ ...text, text: '' }], width) * MOST_LINES;
  return estimateHeight([text], width) <= height ? text : (cutParagraph(text, width, height, language) ?? text);
}

/** Shortens a text to two lines. */
export function cutToLines(text: string, size: number, width: number, language: string): string {
  return cutLines({ text, size, color: '' }, width, language).text;
}

/** Groups neighbouring texts into stretches that consist only of prose or only of other texts. */
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

/** Keeps as many complete sentences as fit, or else as many words; undefined if there is no room for a line. */
function cutParagraph(text: SlideText, width: number, height: number, language: string): SlideText | undefined {
  for (const granularity of ['sentence', 'word'] as const) {
    const pieces = [...new Intl.Segmenter(language, { granularity }).segment(text.text)].map(({ segment }) => segment);
    const take = (count: number): SlideText => {
      const kept = pieces
        .slice(0, count)
        .join('')
        .replace(/[\s·,、，]+$/u, '');
      return { ...text, text: `${kept} …` };
    };
    let [count, most] = [0, pieces.length - 1];
    while (count < most) {
      const middle = Math.ceil((count + most) / 2);
      if (estimateHeight([take(middle)], width) <= height) count = middle;
      else most = middle - 1;
    }
    if (count > 0) return take(count);
  }
  return undefined;
}
