import {
  Document,
  Footer,
  HeadingLevel,
  ImageRun,
  type IParagraphOptions,
  type IRunOptions,
  type IStylesOptions,
  LineRuleType,
  Packer,
  PageNumber,
  Paragraph,
  Tab,
  Table,
  TableBorders,
  TableCell,
  TableRow,
  TabStopType,
  TextRun,
  VerticalAlignTable,
  WidthType,
} from 'docx';
import { chooseFonts, splitDirections } from './office-fonts.js';
import type { EntryBlock, Paper, PaperBlock, Picture, Rendered } from './paper.js';
import { placePicture } from './place-picture.js';

/** Twentieths of a point, Word's unit. */
const MARGIN = 1000;
const PAGES = { a4: { width: 11906, height: 16838 }, letter: { width: 12240, height: 15840 } };
const LABELS = 2600;
const GREY = '666666';

interface Ink {
  readonly isRightToLeft: boolean;
  readonly accent: string;
  /** Width between the margins. */
  readonly width: number;
}

/** Writes a Word document of ordinary headings, paragraphs and lists, which is easy to edit. */
export async function writeDocx(paper: Paper): Promise<Rendered> {
  const page = PAGES[paper.look.page];
  const ink: Ink = {
    isRightToLeft: paper.isRightToLeft,
    accent: paper.look.accent.slice(1),
    width: page.width - 2 * MARGIN,
  };
  const margin = { top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN };
  const document = new Document({
    title: paper.title,
    creator: paper.look.company || 'talent-sync',
    styles: buildStyles(paper, ink),
    sections: [
      {
        properties: { page: { size: page, margin } },
        footers: { default: writeFooter(paper, ink) },
        children: [
          ...writeHead(paper, ink),
          ...paper.sections.flatMap((section) => [
            write(ink, section.heading, { heading: HeadingLevel.HEADING_1 }),
            ...section.blocks.flatMap((block) => writeBlock(ink, block)),
          ]),
        ],
      },
    ],
  });
  return { bytes: await Packer.toBuffer(document), missing: [] };
}

function buildStyles({ language }: Paper, { accent }: Ink): IStylesOptions {
  const { latin, complex, eastAsian } = chooseFonts(language);
  const font = { ascii: latin, hAnsi: latin, cs: complex, eastAsia: eastAsian };
  const spacing = { before: 280, after: 100 };
  return {
    default: {
      document: {
        run: {
          font,
          size: 20,
          sizeComplexScript: 20,
          language: { value: language, eastAsia: language, bidirectional: language },
        },
        paragraph: { spacing: { after: 80, line: 264, lineRule: LineRuleType.AUTO } },
      },
      title: { run: { font, size: 44, sizeComplexScript: 44, bold: true, boldComplexScript: true, color: accent } },
      heading1: {
        run: { font, size: 26, sizeComplexScript: 26, bold: true, boldComplexScript: true, color: accent },
        paragraph: {
          spacing,
          keepNext: true,
          border: { bottom: { style: 'single', size: 6, space: 2, color: accent } },
        },
      },
      heading2: {
        run: { font, size: 22, sizeComplexScript: 22, bold: true, boldComplexScript: true, color: '222222' },
        paragraph: { spacing: { before: 160, after: 20 }, keepNext: true },
      },
    },
  };
}

/** Splits text into runs of one direction, so that mixed text is displayed correctly. */
function writeRuns(text: string, look: Omit<IRunOptions, 'children' | 'text'> = {}): TextRun[] {
  return splitDirections(text).map(
    (piece) =>
      new TextRun({
        ...look,
        text: piece.text,
        ...(piece.isRightToLeft ? { rightToLeft: true } : {}),
        ...(look.bold === undefined ? {} : { boldComplexScript: look.bold }),
      }),
  );
}

function write(ink: Ink, text: string, options: IParagraphOptions & { readonly look?: IRunOptions } = {}): Paragraph {
  const { look, ...others } = options;
  return new Paragraph({ bidirectional: ink.isRightToLeft, children: writeRuns(text, look), ...others });
}

function writeHead({ head, look }: Paper, ink: Ink): (Paragraph | Table)[] {
  const words = [
    write(ink, head.name, { heading: HeadingLevel.TITLE, spacing: { after: 40 } }),
    ...(head.subtitle === '' ? [] : [write(ink, head.subtitle, { look: { size: 26, sizeComplexScript: 26 } })]),
    ...head.lines.map((line) => write(ink, line, { look: { color: GREY, size: 18, sizeComplexScript: 18 } })),
  ];
  const logo = look.logo ? [writePicture(ink, look.logo, { width: 160, height: 40 })] : [];
  if (head.portrait === undefined) return [...logo, ...words];
  const side = 1900;
  const cell = (width: number, children: Paragraph[]): TableCell =>
    new TableCell({
      children,
      width: { size: width, type: WidthType.DXA },
      borders: TableBorders.NONE,
      verticalAlign: VerticalAlignTable.CENTER,
    });
  const portrait = writePicture(ink, head.portrait, { width: 112, height: 112 });
  const table = new Table({
    rows: [new TableRow({ children: [cell(ink.width - side, words), cell(side, [portrait])] })],
    columnWidths: [ink.width - side, side],
    width: { size: ink.width, type: WidthType.DXA },
    borders: TableBorders.NONE,
    visuallyRightToLeft: ink.isRightToLeft,
  });
  return [...logo, table];
}

function writeBlock(ink: Ink, block: PaperBlock): Paragraph[] {
  switch (block.kind) {
    case 'entry':
      return writeEntry(ink, block);
    case 'facts':
      return block.facts.map(({ label, value }) =>
        write(ink, '', {
          children: [...writeRuns(label, { bold: true }), new TextRun({ children: [new Tab()] }), ...writeRuns(value)],
          indent: { start: LABELS, hanging: LABELS },
          tabStops: [{ type: TabStopType.LEFT, position: LABELS }],
          spacing: { after: 40 },
        }),
      );
    case 'pictures':
      return block.pictures.flatMap((picture) => [
        writePicture(ink, picture, { width: 380, height: 240 }),
        ...(picture.caption === '' ? [] : [write(ink, picture.caption, { look: { color: GREY, size: 17 } })]),
      ]);
    default:
      return block.paragraphs.map(({ text, isItem }) => write(ink, text, isItem ? { bullet: { level: 0 } } : {}));
  }
}

function writeEntry(ink: Ink, { title, subtitle, period, blocks }: EntryBlock): Paragraph[] {
  const time =
    period === ''
      ? []
      : [new TextRun({ children: [new Tab()] }), ...writeRuns(period, { bold: false, color: GREY, size: 18 })];
  return [
    new Paragraph({
      bidirectional: ink.isRightToLeft,
      heading: HeadingLevel.HEADING_2,
      children: [...writeRuns(title || subtitle), ...time],
      tabStops: [{ type: TabStopType.RIGHT, position: ink.width }],
    }),
    ...(subtitle === '' || title === '' ? [] : [write(ink, subtitle, { look: { color: ink.accent }, keepNext: true })]),
    ...blocks.flatMap((block) => writeBlock(ink, block)),
  ];
}

/** Scales a picture to fit into a frame, in pixels. */
function writePicture(
  ink: Ink,
  picture: Picture,
  frame: { readonly width: number; readonly height: number },
): Paragraph {
  const { stored, degrees, isMirrored } = placePicture(picture, frame);
  const run = new ImageRun({
    type: picture.type,
    data: Buffer.concat(picture.parts),
    transformation: {
      width: Math.max(1, Math.round(stored.width)),
      height: Math.max(1, Math.round(stored.height)),
      ...(degrees === 0 ? {} : { rotation: degrees }),
      ...(isMirrored ? { flip: { horizontal: true } } : {}),
    },
    altText: { name: picture.caption, title: picture.caption, description: picture.caption },
  });
  return new Paragraph({ bidirectional: ink.isRightToLeft, children: [run], keepNext: picture.caption !== '' });
}

function writeFooter({ look, head }: Paper, ink: Ink): Footer {
  const small = { size: 16, sizeComplexScript: 16, color: GREY };
  const page = new TextRun({ ...small, children: [new Tab(), PageNumber.CURRENT, ' / ', PageNumber.TOTAL_PAGES] });
  const words = [look.footer || look.company, head.name].filter((word) => word !== '').join(' · ');
  return new Footer({
    children: [
      new Paragraph({
        bidirectional: ink.isRightToLeft,
        children: [...writeRuns(words, small), page],
        tabStops: [{ type: TabStopType.RIGHT, position: ink.width }],
      }),
    ],
  });
}
