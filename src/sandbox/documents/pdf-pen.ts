import type { FontShelf } from './fonts.js';
import { replaceMissing } from './missing-scripts.js';
import type { Picture } from './paper.js';
import type { PdfPicture } from './pdf-pictures.js';
import { createTextKeeper } from './pdf-text.js';
import { type PlacedPicture, placePicture } from './place-picture.js';
import { type Line, layOutText } from './text-layout.js';

export interface TextLook {
  readonly size: number;
  readonly color: string;
  readonly isBold?: boolean;
  /** Points left free at the start of the line (on the right in Arabic), and at its end. */
  readonly startInset?: number;
  readonly endInset?: number;
  /** By default all available width. */
  readonly width?: number;
  /** Aligns the line to the end (left in Arabic). */
  readonly isAtEnd?: boolean;
}

interface PictureFrame {
  readonly width: number;
  readonly height: number;
  readonly startInset?: number;
  readonly isAtEnd?: boolean;
}

interface PenParts {
  readonly shelf: FontShelf;
  readonly pictures: ReadonlyMap<Picture, PdfPicture>;
  readonly isRightToLeft: boolean;
}

type Document = PDFKit.PDFDocument;
type Part = PDFKit.PDFStructureElement;

const MARGIN = 50;
const FOOT = 60;
const LINE_HEIGHT = 1.42;

/** Draws a tagged PDF from top to bottom, starting on the side where the language begins, and adds pages as needed. */
export class PdfPen {
  readonly #document: Document;
  readonly #shelf: FontShelf;
  readonly #isRightToLeft: boolean;
  readonly #parts: Part[];
  readonly #keeper = createTextKeeper();
  readonly #pictures: ReadonlyMap<Picture, PdfPicture>;
  readonly missing = new Set<string>();
  /** From the top, in points. */
  y = MARGIN;
  page = 0;

  constructor(document: Document, { shelf, pictures, isRightToLeft }: PenParts) {
    this.#document = document;
    this.#shelf = shelf;
    this.#pictures = pictures;
    this.#isRightToLeft = isRightToLeft;
    const root = document.struct('Document');
    document.addStructure(root);
    this.#parts = [root];
  }

  get width(): number {
    return this.#document.page.width - 2 * MARGIN;
  }

  leave(points: number): void {
    this.y += points;
  }

  /** Starts a new page unless this much space is left on the current one. */
  keepTogether(points: number): void {
    if (this.y + points <= this.#document.page.height - FOOT) return;
    this.#document.addPage();
    this.page += 1;
    this.y = MARGIN;
  }

  /** Puts everything that `draw` draws into one part of the structure. */
  inPart<T>(type: string, draw: () => T, alt?: string): T {
    const part = this.#document.struct(type, alt === undefined ? {} : { alt });
    this.#parts.at(-1)?.add(part);
    this.#parts.push(part);
    const drawn = draw();
    this.#parts.pop();
    part.end();
    return drawn;
  }

  measure(text: string, size: number): number {
    return Math.max(0, ...this.#layOut(text, { size, color: '' }, this.width).map((line) => line.width));
  }

  text(type: string, text: string, look: TextLook): void {
    if (text === '') return;
    const { size, startInset = 0, endInset = 0, width = this.width - startInset - endInset, isAtEnd = false } = look;
    const isFromRight = this.#isRightToLeft !== isAtEnd;
    this.inPart(type, () => {
      for (const line of this.#layOut(text, look, width)) {
        this.keepTogether(size * LINE_HEIGHT);
        const start = MARGIN + (this.#isRightToLeft ? this.width - startInset - width : startInset);
        const x = isFromRight ? start + width - line.width : start;
        this.#marked(type, () => this.#drawLine(line, x, look));
        this.y += size * LINE_HEIGHT;
      }
    });
  }

  /** Returns the height of the picture; does not move `y`. */
  picture(picture: Picture, frame: PictureFrame): number {
    const placed = placePicture(picture, frame);
    const { width, height } = placed.shown;
    const inset = frame.startInset ?? 0;
    const isFromRight = this.#isRightToLeft !== (frame.isAtEnd ?? false);
    const x = isFromRight ? MARGIN + this.width - inset - width : MARGIN + inset;
    this.#marked('Figure', () => this.#placePicture(picture, placed, x));
    return height;
  }

  #placePicture(picture: Picture, { shown, stored, degrees, isMirrored }: PlacedPicture, x: number): void {
    const embedded = this.#pictures.get(picture);
    if (embedded === undefined) return;
    const document = this.#document;
    document
      .save()
      .translate(x + shown.width / 2, this.y + shown.height / 2)
      .rotate(degrees)
      .scale(isMirrored ? -1 : 1, 1)
      .image(embedded as never, -stored.width / 2, -stored.height / 2, stored)
      .restore();
  }

  /** The coloured band at the top of the first page. */
  band(color: string): void {
    this.#artifact(() => this.#document.rect(0, 0, this.#document.page.width, 12).fill(color));
  }

  rule(color: string): void {
    const y = this.y + 1;
    this.#artifact(() =>
      this.#document
        .moveTo(MARGIN, y)
        .lineTo(MARGIN + this.width, y)
        .lineWidth(0.8)
        .stroke(color),
    );
  }

  /** Ends the structure, and writes the footer of every page: at its start, in the middle and at its end. */
  finish(tellFoot: (page: number, pages: number) => readonly string[]): void {
    this.#parts[0]?.end();
    const { count } = this.#document.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#document.switchToPage(page);
      this.y = this.#document.page.height - 36;
      for (const [place, words] of tellFoot(page + 1, count).entries()) this.#drawFoot(words, place);
    }
  }

  #drawFoot(words: string, place: number): void {
    const look = { size: 8, color: '#666666' };
    const [line] = this.#layOut(words, look, this.width);
    if (line === undefined) return;
    const share = (this.#isRightToLeft ? 2 - place : place) / 2;
    const x = MARGIN + (this.width - line.width) * share;
    this.#artifact(() => this.#drawLine(line, x, look), 'Pagination');
  }

  #layOut(text: string, { size, isBold = false }: TextLook, width: number): readonly Line[] {
    const shown = replaceMissing(text, this.#shelf, this.missing);
    return layOutText(shown, { size, isBold, isRightToLeft: this.#isRightToLeft, width }, this.#shelf);
  }

  #drawLine({ runs }: Line, x: number, { size, color }: TextLook): void {
    const document = this.#document;
    for (const run of runs) {
      const { face } = run;
      document.font(face.font as never, face.name);
      this.#keeper.use((document as unknown as { readonly _font: object })._font, run.isFromRight);
      document
        .fontSize(size)
        .fillColor(color)
        .strokeColor(color)
        .lineWidth(size * 0.035);
      document.text(run.text, x + run.x, this.y + size * 1.05, {
        lineBreak: false,
        features: [],
        baseline: 'alphabetic',
        stroke: face.isThickened,
        fill: true,
      });
    }
  }

  #marked(type: string, draw: () => unknown): void {
    const content = this.#document.markStructureContent(type);
    draw();
    this.#document.endMarkedContent();
    this.#parts.at(-1)?.add(content);
  }

  /** Decoration, which is not part of the content. */
  #artifact(draw: () => unknown, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.#document.markContent('Artifact', { type });
    draw();
    this.#document.endMarkedContent();
  }
}
