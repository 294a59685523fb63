import PDFDocument from 'pdfkit';
import { FontShelf } from './fonts.js';
import {
  type EntryBlock,
  type Fact,
  keepsNextParagraph,
  type Paper,
  type PaperBlock,
  type Picture,
  type ProseParagraph,
  type Rendered,
  type RoleBlock,
} from './paper.js';
import { PdfPen, type TextLook } from './pdf-pen.js';
import { embedPictures } from './pdf-pictures.js';
import { joinWords } from './teller.js';

const INK = '#222222';
const GREY = '#666666';
const LABEL_WIDTH = 130;
const PORTRAIT = 84;
const GAP = 12;

/** Writes a tagged PDF. Its structure contains all texts in reading order, in addition to the drawing. */
export async function writePdf(paper: Paper): Promise<Rendered> {
  const date = new Date(paper.changedMs);
  const document = new PDFDocument({
    size: paper.look.page === 'a4' ? 'A4' : 'LETTER',
    margin: 0,
    // Only our own fonts are used.
    font: '',
    tagged: true,
    pdfVersion: '1.7',
    lang: paper.language,
    displayTitle: true,
    info: { Title: paper.title, Author: paper.look.company, Creator: 'talent-sync', CreationDate: date, ModDate: date },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.on('end', resolve));
  const pictures = await embedPictures(document, paper);
  const pen = new PdfPen(document, { shelf: new FontShelf(), pictures, isRightToLeft: paper.isRightToLeft });
  drawHead(pen, paper);
  for (const { heading, blocks } of paper.sections) {
    pen.inPart('Sect', () => {
      drawHeading(pen, heading, paper.look.accent);
      for (const block of blocks) drawBlock(pen, block, paper.look.accent);
    });
  }
  const missing = [...pen.missing];
  if (missing.length > 0) pen.text('P', `${paper.labels.notShown}: ${missing.join(', ')}`, { size: 8, color: GREY });
  const { look, head } = paper;
  pen.finish((page, pages) => [look.footer || look.company, joinWords([head.name, `${page}/${pages}`])]);
  document.end();
  await ended;
  return { bytes: Buffer.concat(chunks), missing };
}

function drawHead(pen: PdfPen, { head, look }: Paper): void {
  const { logo } = look;
  const { portrait } = head;
  pen.band(look.accent);
  if (logo) {
    pen.figure(logo, { width: 120, height: 30, isAtEnd: true });
    pen.leave(8);
  }
  const endInset = portrait ? PORTRAIT + GAP : 0;
  const drawWords = (): void => {
    pen.text('H1', head.name, { size: 22, isBold: true, color: look.accent, endInset });
    pen.leave(2);
    pen.text('P', head.subtitle, { size: 13, color: INK, endInset });
    pen.leave(5);
    for (const line of head.lines) pen.text('P', line, { size: 9, color: GREY, endInset });
  };
  if (portrait) {
    pen.besideWhole(drawWords, () => pen.figure(portrait, { width: PORTRAIT, height: PORTRAIT, isAtEnd: true }));
  } else drawWords();
  pen.leave(6);
}

function drawHeading(pen: PdfPen, heading: string, accent: string): void {
  pen.leave(12);
  pen.text('H2', heading, { size: 13, isBold: true, color: accent, keepsNext: true });
  pen.rule(accent);
  pen.leave(7);
}

function drawBlock(pen: PdfPen, block: PaperBlock, accent: string): void {
  switch (block.kind) {
    case 'entry':
      pen.unit(() => pen.inPart('Sect', () => drawEntry(pen, block, accent)));
      pen.leave(10);
      break;
    case 'facts':
      pen.inPart('L', () => {
        for (const fact of block.facts) drawFact(pen, fact);
      });
      pen.leave(4);
      break;
    case 'role':
      pen.inPart('L', () => drawRole(pen, block));
      pen.leave(4);
      break;
    case 'pictures':
      pen.keepNext();
      drawPictures(pen, block.pictures);
      break;
    default:
      drawProse(pen, block.paragraphs);
      pen.leave(4);
  }
}

function drawEntry(pen: PdfPen, { title, period, subtitle, blocks }: EntryBlock, accent: string): void {
  const endInset = pen.measure(period, 9) + GAP;
  const drawPeriod = (): void => {
    pen.leave(1.5);
    pen.text('P', period, { size: 9, color: GREY, isAtEnd: true });
  };
  const look = { size: 11, isBold: true, color: INK, endInset, keepsNext: true };
  pen.beside(() => pen.text('H3', title || subtitle, look), drawPeriod);
  if (title !== '') pen.text('P', subtitle, { size: 9.5, color: accent, keepsNext: true });
  pen.leave(2);
  for (const block of blocks) drawBlock(pen, block, accent);
}

function drawFact(pen: PdfPen, { label, value }: Fact): void {
  drawLabelled(pen, label, () => pen.text('LBody', value, { size: 9.5, color: INK, startInset: LABEL_WIDTH }));
  pen.leave(1.5);
}

function drawRole(pen: PdfPen, { label, name, paragraphs }: RoleBlock): void {
  const look = { size: 9.5, isBold: true, color: INK, startInset: LABEL_WIDTH, keepsNext: paragraphs.length > 0 };
  const drawText = (): void => {
    pen.text('P', name, look);
    pen.leave(1.5);
    drawProse(pen, paragraphs, LABEL_WIDTH);
  };
  drawLabelled(pen, label, () => pen.inPart('LBody', drawText));
}

function drawLabelled(pen: PdfPen, label: string, drawBody: () => void): void {
  const drawLabel = (): void =>
    pen.text('Lbl', label, { size: 9.5, isBold: true, color: INK, width: LABEL_WIDTH - GAP });
  pen.inPart('LI', () => pen.beside(drawLabel, drawBody));
}

function drawProse(pen: PdfPen, paragraphs: readonly ProseParagraph[], startInset = 0): void {
  for (const [index, { text, isItem }] of paragraphs.entries()) {
    if (index > 0) pen.leave(isItem ? 1.5 : 4);
    const look = { size: 9.5, color: INK, startInset, keepsNext: keepsNextParagraph(paragraphs, index) };
    if (isItem) drawItem(pen, text, look);
    else pen.text('P', text, look);
  }
}

function drawItem(pen: PdfPen, text: string, look: TextLook): void {
  const drawBullet = (): void => pen.text('Lbl', '•', look);
  const drawText = (): void => pen.text('LBody', text, { ...look, startInset: (look.startInset ?? 0) + 12 });
  pen.inPart('L', () => pen.inPart('LI', () => pen.beside(drawBullet, drawText)));
}

/** Draws three pictures per row, each with its caption below. */
function drawPictures(pen: PdfPen, pictures: readonly Picture[]): void {
  const width = (pen.width - 2 * GAP) / 3;
  for (let from = 0; from < pictures.length; from += 3) {
    const columns = pictures.slice(from, from + 3).map((picture, column) => (): void => {
      const startInset = column * (width + GAP);
      pen.figure(picture, { width, height: 110, startInset });
      pen.leave(3);
      pen.text('Caption', picture.caption, { size: 8, color: GREY, startInset, width });
    });
    pen.leave(4);
    pen.besideWhole(...columns);
    pen.leave(6);
  }
}
