import pptx from 'pptxgenjs';
import { chooseFonts } from './office-fonts.js';
import type { EntryBlock, Paper, PaperBlock, Picture, Rendered } from './paper.js';
import { placePicture } from './place-picture.js';
import { fillSlides, type SlideText } from './slides.js';

/** Inches, on a wide slide. */
const WIDTH = 13.33;
const MARGIN = 0.6;
const INNER = WIDTH - 2 * MARGIN;
const BODY = { top: 1.35, height: 5.3 };
const COVER = { top: 4.1, height: 2 };
const INK = '222222';
const GREY = '666666';

/** The types describe the CommonJS build, where the class is nested one level deeper. */
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

/** Writes slides: a cover with the name, then each section over as many slides as it needs. Text stays editable. */
export async function writePptx(paper: Paper): Promise<Rendered> {
  const deck = openDeck(paper);
  const texts = paper.sections.flatMap(({ heading, blocks }) => {
    const text = blocks.flatMap((block) => writeTexts(deck, block));
    return text.length === 0 ? [] : [writeSection(deck, heading), ...text];
  });
  const [cover, ...slides] = fillSlides(texts, { width: INNER, coverHeight: COVER.height, height: BODY.height });
  drawCover(deck, cover?.texts ?? []);
  for (const { texts, sections } of slides) {
    // If a slide has only one section, that is its title.
    const shown = sections.length === 1 ? texts.filter(({ section }) => section === undefined) : texts;
    drawTexts(addPage(deck, nameSlide(sections)), deck, shown, BODY);
  }
  for (const { heading, blocks } of paper.sections) {
    const pictures = blocks.flatMap(listPictures);
    for (let from = 0; from < pictures.length; from += 3) drawPictures(deck, heading, pictures.slice(from, from + 3));
  }
  return { bytes: (await deck.show.write({ outputType: 'nodebuffer' })) as Buffer, missing: [] };
}

function nameSlide(sections: readonly string[]): string {
  const named = sections.slice(0, 3).join(' · ');
  return sections.length > 3 ? `${named} …` : named;
}

function writeSection({ accent }: Deck, heading: string): SlideText {
  const options = {
    fontSize: 17,
    bold: true,
    color: accent,
    breakLine: true,
    keepsNext: true,
    paraSpaceBefore: 9,
    paraSpaceAfter: 3,
  };
  return { text: heading, section: heading, options };
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
  show.defineSlideMaster({
    title: 'PAGE',
    background: { color: 'FFFFFF' },
    objects: [
      { rect: { x: 0, y: 0, w: WIDTH, h: 0.14, fill: { color: accent } } },
      {
        text: {
          text: footer,
          options: { x: MARGIN, y: 6.95, w: INNER, h: 0.3, fontSize: 10, color: GREY, align: 'center' },
        },
      },
      {
        placeholder: {
          options: {
            name: 'title',
            type: 'title',
            x: MARGIN,
            y: 0.4,
            w: INNER,
            h: 0.7,
            align,
            bold: true,
            fontSize: 26,
            color: accent,
          },
          text: '',
        },
      },
    ],
    slideNumber: { ...number, fontSize: 10, color: GREY },
  });
  return { show, paper, accent, text: { fontFace, lang: language, rtlMode: isRightToLeft, align } };
}

function addPage({ show, text }: Deck, heading: string): Slide {
  const slide = show.addSlide({ masterName: 'PAGE' });
  slide.addText(heading, { placeholder: 'title', rtlMode: text.rtlMode, lang: text.lang });
  return slide;
}

function drawCover(deck: Deck, texts: readonly SlideText[]): void {
  const { paper, text, accent } = deck;
  const { head, look } = paper;
  const slide = addPage(deck, head.name);
  const portrait = head.portrait ? 2.6 : 0;
  const lines = [
    { text: head.subtitle, options: { ...text, fontSize: 22, color: INK, breakLine: true } },
    ...head.lines.map((line) => ({ text: line, options: { ...text, fontSize: 14, color: GREY, breakLine: true } })),
  ].filter((line) => line.text !== '');
  const x = text.rtlMode ? MARGIN + portrait : MARGIN;
  if (lines.length > 0) slide.addText(lines, { ...text, x, y: 1.6, w: INNER - portrait, h: 2.2, valign: 'top' });
  slide.addShape('rect', { x: MARGIN, y: 1.25, w: INNER, h: 0.03, fill: { color: accent } });
  if (head.portrait) {
    addPicture(slide, head.portrait, { x: text.rtlMode ? MARGIN : WIDTH - MARGIN - 2.3, y: 1.6, w: 2.3, h: 2.3 });
  }
  if (look.logo) addPicture(slide, look.logo, { x: text.rtlMode ? WIDTH - MARGIN - 2 : MARGIN, y: 6.25, w: 2, h: 0.6 });
  drawTexts(slide, deck, texts, COVER);
}

function drawTexts(slide: Slide, deck: Deck, texts: readonly SlideText[], place: typeof BODY): void {
  if (texts.length === 0) return;
  const runs = texts.map(({ text, options: { keepsNext: _, ...look } }) => ({
    text,
    options: { ...deck.text, ...look },
  }));
  const frame = { x: MARGIN, y: place.top, w: INNER, h: place.height };
  slide.addText(runs, { ...deck.text, ...frame, valign: 'top', margin: 0 });
}

function drawPictures(deck: Deck, heading: string, pictures: readonly Picture[]): void {
  const slide = addPage(deck, heading);
  const width = (INNER - 0.6) / 3;
  for (const [index, picture] of pictures.entries()) {
    const column = deck.text.rtlMode ? 2 - index : index;
    const x = MARGIN + column * (width + 0.3);
    const height = addPicture(slide, picture, { x, y: BODY.top, w: width, h: 4.2 });
    if (picture.caption === '') continue;
    slide.addText(picture.caption, {
      ...deck.text,
      x,
      y: BODY.top + height + 0.1,
      w: width,
      h: 0.8,
      fontSize: 12,
      color: GREY,
      valign: 'top',
    });
  }
}

interface SlideFrame {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Returns the height that it takes. */
function addPicture(slide: Slide, picture: Picture, frame: SlideFrame): number {
  const { shown, stored, degrees, isMirrored } = placePicture(picture, { width: frame.w, height: frame.h });
  const data = `image/${picture.type === 'png' ? 'png' : 'jpeg'};base64,${Buffer.concat(picture.parts).toString('base64')}`;
  slide.addImage({
    data,
    // A slide has the place of a picture before it is turned around its centre.
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

function listPictures(block: PaperBlock): readonly Picture[] {
  if (block.kind === 'pictures') return block.pictures;
  return block.kind === 'entry' ? block.blocks.flatMap(listPictures) : [];
}

function writeTexts({ accent }: Deck, block: PaperBlock): readonly SlideText[] {
  switch (block.kind) {
    case 'entry':
      return writeEntry(accent, block);
    case 'facts':
      // One run per paragraph: with several, the library repeats the paragraph's properties.
      return block.facts.map(({ label, value }) => ({
        text: `${label}: ${value}`,
        options: { fontSize: 14, color: INK, breakLine: true, paraSpaceAfter: 3 },
      }));
    case 'pictures':
      return [];
    default:
      return block.paragraphs.map(({ text, isItem }) => ({
        text,
        options: { fontSize: 14, color: INK, breakLine: true, paraSpaceAfter: 4, ...(isItem ? { bullet: true } : {}) },
      }));
  }
}

function writeEntry(accent: string, { title, subtitle, period, blocks }: EntryBlock): readonly SlideText[] {
  const lines = [
    {
      text: title || subtitle,
      options: { fontSize: 16, bold: true, color: INK, breakLine: true, keepsNext: true, paraSpaceBefore: 5 },
    },
    {
      text: [title === '' ? '' : subtitle, period].filter((word) => word !== '').join(' · '),
      options: { fontSize: 12, color: accent, breakLine: true, keepsNext: true, paraSpaceAfter: 3 },
    },
  ];
  return [
    ...lines.filter((line) => line.text !== ''),
    ...blocks.flatMap((block) => writeTexts({ accent } as Deck, block)),
  ];
}
