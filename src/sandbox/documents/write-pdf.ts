import PDFDocument from 'pdfkit';
import { FontShelf } from './fonts.js';
import type { EntryBlock, Fact, Paper, PaperBlock, Picture, Rendered } from './paper.js';
import { PdfPen } from './pdf-pen.js';
import { embedPictures } from './pdf-pictures.js';

const INK = '#222222';
const GREY = '#666666';
const LABEL_WIDTH = 130;
const PORTRAIT = 84;
const GAP = 12;

/** Writes a tagged PDF: the structure contains every text in reading order, next to how it is drawn. */
export async function writePdf(paper: Paper): Promise<Rendered> {
  const date = new Date(paper.changedMs);
  const document = new PDFDocument({
    size: paper.look.page === 'a4' ? 'A4' : 'LETTER',
    margin: 0,
    // Use only our own fonts.
    font: '',
    bufferPages: true,
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
  if (missing.length > 0) drawText(pen, `${paper.notShown}: ${missing.join(', ')}`, { size: 8, color: GREY });
  pen.finish((page, pages) => [paper.look.footer || paper.look.company, paper.head.name, `${page}/${pages}`]);
  document.end();
  await ended;
  return { bytes: Buffer.concat(chunks), missing };
}

function drawHead(pen: PdfPen, { head, look }: Paper): void {
  pen.band(look.accent);
  if (look.logo) {
    pen.inPart(
      'Figure',
      () => pen.picture(look.logo as Picture, { width: 120, height: 30, isAtEnd: true }),
      look.logo.caption,
    );
    pen.leave(38);
  }
  const top = pen.y;
  const inset = head.portrait ? PORTRAIT + GAP : 0;
  pen.text('H1', head.name, { size: 22, isBold: true, color: look.accent, endInset: inset });
  pen.leave(2);
  pen.text('P', head.subtitle, { size: 13, color: INK, endInset: inset });
  pen.leave(5);
  for (const line of head.lines) pen.text('P', line, { size: 9, color: GREY, endInset: inset });
  if (head.portrait) {
    const { portrait } = head;
    const bottom = pen.y;
    pen.y = top;
    pen.inPart(
      'Figure',
      () => pen.picture(portrait, { width: PORTRAIT, height: PORTRAIT, isAtEnd: true }),
      portrait.caption,
    );
    pen.y = Math.max(bottom, top + PORTRAIT);
  }
  pen.leave(6);
}

function drawHeading(pen: PdfPen, heading: string, accent: string): void {
  pen.leave(12);
  // A heading stays with the lines after it.
  pen.keepTogether(60);
  pen.text('H2', heading, { size: 13, isBold: true, color: accent });
  pen.rule(accent);
  pen.leave(7);
}

function drawBlock(pen: PdfPen, block: PaperBlock, accent: string): void {
  switch (block.kind) {
    case 'entry':
      pen.inPart('Sect', () => drawEntry(pen, block, accent));
      break;
    case 'facts':
      pen.inPart('L', () => {
        for (const fact of block.facts) drawFact(pen, fact);
      });
      pen.leave(4);
      break;
    case 'pictures':
      drawPictures(pen, block.pictures);
      break;
    default:
      drawProse(pen, block.paragraphs);
  }
}

function drawEntry(pen: PdfPen, { title, period, subtitle, blocks }: EntryBlock, accent: string): void {
  pen.keepTogether(44);
  const top = pen.y;
  const width = pen.measure(period, 9);
  pen.text('H3', title || subtitle, { size: 11, isBold: true, color: INK, endInset: width + GAP });
  const bottom = pen.y;
  if (period !== '') {
    pen.y = top + 1.5;
    pen.text('P', period, { size: 9, color: GREY, isAtEnd: true });
  }
  pen.y = Math.max(bottom, pen.y);
  if (title !== '') pen.text('P', subtitle, { size: 9.5, color: accent });
  pen.leave(2);
  for (const block of blocks) drawBlock(pen, block, accent);
  pen.leave(6);
}

function drawFact(pen: PdfPen, { label, value }: Fact): void {
  pen.keepTogether(14);
  pen.inPart('LI', () => {
    const [top, page] = [pen.y, pen.page];
    pen.text('Lbl', label, { size: 9.5, isBold: true, color: INK, width: LABEL_WIDTH - GAP });
    const bottom = pen.y;
    // If a label of several lines moved to the next page, its value starts there too.
    if (pen.page === page) pen.y = top;
    pen.text('LBody', value, { size: 9.5, color: INK, startInset: LABEL_WIDTH });
    if (pen.page === page) pen.y = Math.max(bottom, pen.y);
  });
  pen.leave(1.5);
}

function drawProse(pen: PdfPen, paragraphs: readonly { readonly text: string; readonly isItem: boolean }[]): void {
  for (const [index, { text, isItem }] of paragraphs.entries()) {
    if (isItem) drawItem(pen, text);
    else drawText(pen, text, { size: 9.5, color: INK });
    if (index < paragraphs.length - 1) pen.leave(isItem ? 1.5 : 4);
  }
  pen.leave(4);
}

function drawText(pen: PdfPen, text: string, look: { readonly size: number; readonly color: string }): void {
  pen.text('P', text, look);
}

function drawItem(pen: PdfPen, text: string): void {
  pen.keepTogether(13);
  pen.inPart('L', () =>
    pen.inPart('LI', () => {
      const top = pen.y;
      pen.text('Lbl', '•', { size: 9.5, color: INK });
      pen.y = top;
      pen.text('LBody', text, { size: 9.5, color: INK, startInset: 12 });
    }),
  );
}

/** Three pictures per row, with captions below. */
function drawPictures(pen: PdfPen, pictures: readonly Picture[]): void {
  const width = (pen.width - 2 * GAP) / 3;
  for (let from = 0; from < pictures.length; from += 3) {
    pen.leave(3);
    pen.keepTogether(150);
    const top = pen.y;
    let bottom = top;
    for (const [column, picture] of pictures.slice(from, from + 3).entries()) {
      const startInset = column * (width + GAP);
      pen.y = top;
      const draw = (): number => pen.picture(picture, { width, height: 110, startInset });
      const height = pen.inPart('Figure', draw, picture.caption);
      pen.y = top + height + 3;
      pen.text('Caption', picture.caption, { size: 8, color: GREY, startInset, width });
      bottom = Math.max(bottom, pen.y);
    }
    pen.y = bottom + 6;
  }
}
