import {
  AlignmentType,
  Document,
  Footer,
  HeadingLevel,
  ImageRun,
  type IParagraphOptions,
  type IRunOptions,
  type IStylesOptions,
  LevelFormat,
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
import {
  type EntryBlock,
  keepsNextParagraph,
  type Paper,
  type PaperBlock,
  type Picture,
  type ProseParagraph,
  type Rendered,
  type RoleBlock,
} from './paper.js';
import { placePicture } from './place-picture.js';

/** In twentieths of a point, Word's unit. */
const MARGIN = 1000;
const FOOT = 1250;
const PAGES = { a4: { width: 11906, height: 16838 }, letter: { width: 12240, height: 15840 } };
const LABELS = 2600;
const ITEM = 280;
/** Name of the numbering for list items. */
const ITEMS = 'items';
/** Width of the column with the portrait. */
const SIDE = 1900;
const GREY = '666666';

/** A finished element, or the options of a paragraph that may still get `keepNext`. */
type ParagraphDraft = IParagraphOptions | Paragraph | Table;

interface Ink {
  readonly isRightToLeft: boolean;
  readonly accent: string;
  /** Width of the text area, without the margins. */
  readonly width: number;
}

/** Writes a Word document with ordinary headings, paragraphs and lists, which are easy to edit. */
export async function writeDocx(paper: Paper): Promise<Rendered> {
  const page = PAGES[paper.look.page];
  const ink: Ink = {
    isRightToLeft: paper.isRightToLeft,
    accent: paper.look.accent.slice(1),
    width: page.width - 2 * MARGIN,
  };
  const margin = { top: MARGIN, bottom: FOOT, left: MARGIN, right: MARGIN, footer: FOOT / 2 };
  const document = new Document({
    title: paper.title,
    creator: paper.look.company || 'talent-sync',
    styles: buildStyles(paper, ink),
    numbering: {
      config: [{ reference: ITEMS, levels: [{ level: 0, format: LevelFormat.BULLET, text: '•' }] }],
    },
    sections: [
      {
        properties: { page: { size: page, margin } },
        footers: { default: writeFooter(paper, ink) },
        children: [
          ...writeHead(paper, ink),
          ...paper.sections.flatMap((section) => [
            { ...write(ink, section.heading), heading: HeadingLevel.HEADING_1 },
            ...section.blocks.flatMap((block) => writeBlock(ink, block)),
          ]),
        ].map(finish),
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
        paragraph: { spacing: { before: 240, after: 20 }, keepNext: true },
      },
    },
  };
}

/** Splits a text into runs with one direction each, so that mixed text is displayed correctly. */
function writeRuns(text: string, look: Omit<IRunOptions, 'children' | 'text'> = {}): TextRun[] {
  return splitDirections(text).map(
    (piece) =>
      new TextRun({
        ...look,
        text: piece.text,
        ...(piece.isRightToLeft ? { rightToLeft: true } : {}),
      }),
  );
}

function write(ink: Ink, text: string, look?: IRunOptions): IParagraphOptions {
  return { bidirectional: ink.isRightToLeft, children: writeRuns(text, look) };
}

function isOptions(draft: ParagraphDraft): draft is IParagraphOptions {
  return !(draft instanceof Paragraph || draft instanceof Table);
}

function finish(draft: ParagraphDraft): Paragraph | Table {
  return isOptions(draft) ? new Paragraph(draft) : draft;
}

function writeHead({ head, look }: Paper, ink: Ink): readonly ParagraphDraft[] {
  const words: readonly IParagraphOptions[] = [
    { ...write(ink, head.name), heading: HeadingLevel.TITLE, spacing: { after: 40 } },
    ...(head.subtitle === '' ? [] : [write(ink, head.subtitle, { size: 26 })]),
    ...head.lines.map((line) => write(ink, line, { color: GREY, size: 18 })),
  ];
  const logo = look.logo
    ? [writePicture(ink, look.logo, { width: 160, height: 40 }, { keepNext: true, alignment: AlignmentType.END })]
    : [];
  if (head.portrait === undefined) return [...logo, ...words];
  const portrait = writePicture(ink, head.portrait, { width: 112, height: 112 }, { alignment: AlignmentType.END });
  const cells = [words.map((options) => new Paragraph(options)), [portrait]];
  return [...logo, writeGrid(ink, [ink.width - SIDE, SIDE], [cells])];
}

/** Arranges columns in a table without lines. Page breaks inside a row are not allowed. */
function writeGrid(ink: Ink, columnWidths: number[], rows: readonly (readonly Paragraph[][])[]): Table {
  const cell = (children: Paragraph[], column: number): TableCell =>
    new TableCell({
      children,
      width: { size: columnWidths[column] ?? 0, type: WidthType.DXA },
      borders: TableBorders.NONE,
      margins: { left: 0, right: 0 },
      verticalAlign: VerticalAlignTable.TOP,
    });
  return new Table({
    rows: rows.map((cells) => new TableRow({ cantSplit: true, children: cells.map(cell) })),
    columnWidths,
    width: { size: ink.width, type: WidthType.DXA },
    borders: TableBorders.NONE,
    visuallyRightToLeft: ink.isRightToLeft,
  });
}

function writeBlock(ink: Ink, block: PaperBlock): readonly ParagraphDraft[] {
  switch (block.kind) {
    case 'entry':
      return writeEntry(ink, block);
    case 'facts':
      return block.facts.map(({ label, value }, index) => ({
        ...writeLabelled(ink, label, writeRuns(value)),
        spacing: { before: index === 0 ? 60 : 0, after: 40 },
      }));
    case 'role':
      return writeRole(ink, block);
    case 'pictures':
      return writePictures(ink, block.pictures);
    default:
      return writeProse(ink, block.paragraphs);
  }
}

/** Puts a label next to its text. */
function writeLabelled(ink: Ink, label: string, body: readonly TextRun[]): IParagraphOptions {
  return {
    bidirectional: ink.isRightToLeft,
    children: [...writeRuns(label, { bold: true }), new TextRun({ children: [new Tab()] }), ...body],
    indent: { start: LABELS, hanging: LABELS },
    tabStops: [{ type: TabStopType.LEFT, position: LABELS }],
  };
}

function writeRole(ink: Ink, { label, name, paragraphs }: RoleBlock): readonly ParagraphDraft[] {
  const head = writeLabelled(ink, label, writeRuns(name, { bold: true }));
  const spacing = { before: 60, after: 20 };
  return [{ ...head, spacing, keepNext: paragraphs.length > 0 }, ...writeProse(ink, paragraphs, LABELS)];
}

function writeProse(ink: Ink, paragraphs: readonly ProseParagraph[], start = 0): readonly ParagraphDraft[] {
  return paragraphs.map(({ text, isItem }, index) => ({
    ...write(ink, text),
    keepNext: keepsNextParagraph(paragraphs, index),
    ...(isItem
      ? {
          numbering: { reference: ITEMS, level: 0 },
          indent: { start: start + ITEM, hanging: ITEM },
          spacing: { after: paragraphs[index + 1]?.isItem ? 40 : 80 },
        }
      : { indent: { start } }),
  }));
}

function writeEntry(ink: Ink, { title, subtitle, period, blocks }: EntryBlock): readonly ParagraphDraft[] {
  const time =
    period === ''
      ? []
      : [new TextRun({ children: [new Tab()] }), ...writeRuns(period, { bold: false, color: GREY, size: 18 })];
  let drafts: readonly ParagraphDraft[] = [
    {
      bidirectional: ink.isRightToLeft,
      heading: HeadingLevel.HEADING_2,
      children: [...writeRuns(title || subtitle), ...time],
      tabStops: [{ type: TabStopType.RIGHT, position: ink.width }],
    },
    ...(subtitle === '' || title === ''
      ? []
      : [{ ...write(ink, subtitle, { color: ink.accent }), keepNext: true, spacing: { after: 60 } }]),
  ];
  for (const block of blocks) {
    // A picture stays on the page of the lines before it.
    drafts = [...(block.kind === 'pictures' ? keepNext(drafts, -1) : drafts), ...writeBlock(ink, block)];
  }
  // Prevents the last line from being alone on the next page.
  return keepNext(drafts, -2);
}

/** @param at counted from the end */
function keepNext(drafts: readonly ParagraphDraft[], at: number): readonly ParagraphDraft[] {
  const index = drafts.length + at;
  return drafts.map((draft, place) => (place === index && isOptions(draft) ? { ...draft, keepNext: true } : draft));
}

/** Shows one picture with its caption below, or several pictures in rows of three. */
function writePictures(ink: Ink, pictures: readonly Picture[]): readonly ParagraphDraft[] {
  const frame = { width: 205, height: 147 };
  const place = (picture: Picture): Paragraph[] => [
    writePicture(ink, picture, frame, { keepNext: picture.caption !== '', spacing: { before: 80, after: 60 } }),
    ...(picture.caption === '' ? [] : [writeCaption(ink, picture.caption)]),
  ];
  const [first, ...others] = pictures;
  if (first === undefined) return [];
  if (others.length === 0) return place(first);
  const width = Math.floor(ink.width / 3);
  const rows = Array.from({ length: Math.ceil(pictures.length / 3) }, (_, row) =>
    [0, 1, 2].map((column) => pictures[3 * row + column]),
  );
  const cells = rows.map((row) => row.map((picture) => (picture ? place(picture) : [new Paragraph(write(ink, ''))])));
  return [writeGrid(ink, [width, width, width], cells)];
}

function writeCaption(ink: Ink, caption: string): Paragraph {
  const options = write(ink, caption, { color: GREY, size: 17 });
  return new Paragraph({ ...options, spacing: { after: 160 } });
}

/** Scales a picture to fit into a frame. Sizes are in pixels. */
function writePicture(
  ink: Ink,
  picture: Picture,
  frame: { readonly width: number; readonly height: number },
  options: IParagraphOptions,
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
  return new Paragraph({ bidirectional: ink.isRightToLeft, children: [run], ...options });
}

function writeFooter({ look, head }: Paper, ink: Ink): Footer {
  const small = { size: 16, color: GREY };
  // Programs disagree about the order of two numbers in right-to-left text.
  const number = ink.isRightToLeft ? [PageNumber.CURRENT] : [PageNumber.CURRENT, '/', PageNumber.TOTAL_PAGES];
  const page = new TextRun({ ...small, children: [new Tab(), ...number] });
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
