import pptx from 'pptxgenjs';
import { cutToLines } from './cut-texts.js';
import { chooseFonts } from './office-fonts.js';
import type { Paper, Picture, Rendered } from './paper.js';
import { placePicture } from './place-picture.js';
import { TITLE_SIZE } from './plan-projects.js';
import { planSlides } from './plan-slides.js';
import { BODY, type SlideColumn } from './slide-columns.js';
import { estimateWidth, GREY, INK, type SlideText } from './slide-texts.js';

/** In inches, for a wide slide. */
const WIDTH = 13.33;
const MARGIN = 0.6;
const TOP = 1.4;
const INNER = BODY.width;
/** Size in points. */
const LONG_TITLE_SIZE = 20;

/** The types describe the CommonJS build, in which the class is nested one level deeper. */
const Presentation = pptx as unknown as typeof pptx.default;
type Show = InstanceType<typeof Presentation>;
type Slide = ReturnType<Show['addSlide']>;

interface Deck {
  readonly show: Show;
  readonly paper: Paper;
  readonly accent: string;
  readonly text: {
    readonly fontFace: string;
    readonly lang: string;
    readonly rtlMode: boolean;
    readonly align: 'left' | 'right';
  };
}

/** Writes slides: first the subject of the document, then the content for a presentation. All text remains editable. */
export async function writePptx(paper: Paper): Promise<Rendered> {
  const deck = openDeck(paper);
  drawCover(deck);
  for (const { title, columns, note } of planSlides(paper)) {
    const slide = addPage(deck, title);
    for (const column of columns) {
      drawTexts(slide, deck, column);
      drawPictures(slide, deck, column);
    }
    drawNote(slide, deck, note);
  }
  return { bytes: (await deck.show.write({ outputType: 'nodebuffer' })) as Buffer, missing: [] };
}

function openDeck(paper: Paper): Deck {
  const { look, language, isRightToLeft } = paper;
  const show = new Presentation();
  const accent = look.accent.slice(1);
  const { latin, complex, eastAsian } = chooseFonts(language);
  const fonts: Readonly<Record<string, string>> = { ar: complex, fa: complex, he: complex, ur: complex };
  const isEastAsian = ['ja', 'ko', 'zh'].includes(language);
  const fontFace = isEastAsian ? eastAsian : (fonts[language] ?? latin);
  const align = isRightToLeft ? 'right' : 'left';
  show.layout = 'LAYOUT_WIDE';
  show.title = paper.title;
  show.company = look.company;
  show.author = look.company || 'talent-sync';
  show.rtlMode = isRightToLeft;
  show.theme = { headFontFace: fontFace, bodyFontFace: fontFace };
  const number = { x: isRightToLeft ? MARGIN : WIDTH - MARGIN - 0.7, y: 6.95, w: 0.7, h: 0.3 };
  const footer = look.footer || look.company;
  const title = {
    name: 'title',
    type: 'title',
    x: MARGIN,
    w: INNER,
    align,
    margin: 0,
    bold: true,
    color: accent,
  } as const;
  const white = { color: 'FFFFFF' };
  show.defineSlideMaster({
    title: 'COVER',
    background: white,
    objects: [
      { rect: { x: 0, y: 0, w: WIDTH, h: 1.1, fill: { color: accent } } },
      { placeholder: { options: { ...title, y: 2, h: 0.9, fontSize: 40, valign: 'bottom' }, text: '' } },
    ],
  });
  show.defineSlideMaster({
    title: 'PAGE',
    background: white,
    objects: [
      { rect: { x: 0, y: 0, w: WIDTH, h: 0.14, fill: { color: accent } } },
      {
        text: {
          text: footer,
          options: { x: MARGIN, y: 6.95, w: INNER, h: 0.3, fontSize: 10, color: GREY, align: 'center' },
        },
      },
      { placeholder: { options: { ...title, y: 0.45, h: 0.75, fontSize: TITLE_SIZE, valign: 'middle' }, text: '' } },
    ],
    slideNumber: { ...number, fontSize: 10, color: GREY },
  });
  return { show, paper, accent, text: { fontFace, lang: language, rtlMode: isRightToLeft, align } };
}

/** Adds a slide. A title that is too long for one line gets smaller letters and at most two lines. */
function addPage({ show, text }: Deck, title: string, masterName: 'COVER' | 'PAGE' = 'PAGE'): Slide {
  const slide = show.addSlide({ masterName });
  const isLong = masterName === 'PAGE' && estimateWidth(title, TITLE_SIZE) > INNER;
  const shown = isLong ? cutToLines(title, LONG_TITLE_SIZE, INNER, text.lang) : title;
  // The size must be set on a run, because the library gives the text the size of the placeholder.
  const options = { lang: text.lang, rtlMode: text.rtlMode, align: text.align };
  const run = { text: shown, options: { ...options, ...(isLong && { fontSize: LONG_TITLE_SIZE }) } };
  slide.addText([run], { ...options, placeholder: 'title', margin: 0 });
  return slide;
}

/** @param start inches from the side on which the language begins */
function placeFrame({ text }: Deck, start: number, width: number): { readonly x: number; readonly w: number } {
  return { x: text.rtlMode ? WIDTH - MARGIN - start - width : MARGIN + start, w: width };
}

function drawCover(deck: Deck): void {
  const { paper, text } = deck;
  const { head, look } = paper;
  const slide = addPage(deck, head.name, 'COVER');
  const lines = [
    { text: head.subtitle, options: { ...text, fontSize: 24, color: INK, breakLine: true, paraSpaceAfter: 10 } },
    ...head.lines.map((line) => ({ text: line, options: { ...text, fontSize: 14, color: GREY, breakLine: true } })),
  ].filter((line) => line.text !== '');
  const portrait = 2.9;
  const width = INNER - (head.portrait ? portrait + 0.4 : 0);
  if (lines.length > 0)
    slide.addText(lines, { ...text, ...placeFrame(deck, 0, width), y: 3, h: 2.6, valign: 'top', margin: 0 });
  if (head.portrait)
    addPicture(slide, head.portrait, { ...placeFrame(deck, INNER - portrait, portrait), y: 1.9, h: portrait });
  if (look.logo) addPicture(slide, look.logo, { ...placeFrame(deck, 0, 2.4), y: 6.2, h: 0.7 });
}

function drawTexts(slide: Slide, deck: Deck, { start, width, texts }: SlideColumn): void {
  if (texts.length === 0) return;
  const frame = { ...placeFrame(deck, start, width), y: TOP, h: BODY.height };
  slide.addText(
    texts.map((text) => writeText(deck, text)),
    { ...deck.text, ...frame, valign: 'top', margin: 0 },
  );
}

function writeText(deck: Deck, { text, size, color, isBold, isItem, before, after }: SlideText) {
  const look = { fontSize: size, color, breakLine: true, paraSpaceBefore: before ?? 0, paraSpaceAfter: after ?? 0 };
  return { text, options: { ...deck.text, ...look, ...(isBold && { bold: true }), ...(isItem && { bullet: true }) } };
}

/** Stacks pictures, each with its caption. */
function drawPictures(slide: Slide, deck: Deck, { start, width, pictures }: SlideColumn): void {
  const frame = placeFrame(deck, start, width);
  const share = BODY.height / Math.max(1, pictures.length);
  let top = TOP;
  for (const picture of pictures) {
    const height = addPicture(slide, picture, { ...frame, y: top, h: share - 0.6 });
    top += height + 0.05;
    if (picture.caption !== '') {
      const caption = cutToLines(picture.caption, 11, width, deck.text.lang);
      slide.addText(caption, { ...deck.text, ...frame, y: top, h: 0.4, fontSize: 11, color: GREY, margin: 0 });
      top += 0.4;
    }
    top += 0.15;
  }
}

function drawNote(slide: Slide, deck: Deck, note: string): void {
  if (note === '') return;
  const frame = { ...placeFrame(deck, 0, INNER), y: 6.55, h: 0.3 };
  slide.addText(note, { ...deck.text, ...frame, fontSize: 11, italic: true, color: GREY, margin: 0 });
}

interface SlideFrame {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Adds a picture and returns its height. */
function addPicture(slide: Slide, picture: Picture, frame: SlideFrame): number {
  const { shown, stored, degrees, isMirrored } = placePicture(picture, { width: frame.w, height: frame.h });
  const data = `image/${picture.type === 'png' ? 'png' : 'jpeg'};base64,${Buffer.concat(picture.parts).toString('base64')}`;
  slide.addImage({
    data,
    // A slide stores the position that a picture has before it is turned around its centre.
    x: frame.x + (shown.width - stored.width) / 2,
    y: frame.y + (shown.height - stored.height) / 2,
    w: stored.width,
    h: stored.height,
    rotate: degrees,
    flipH: isMirrored,
    altText: picture.caption,
  });
  return shown.height;
}
