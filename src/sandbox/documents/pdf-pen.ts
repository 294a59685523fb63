import type { FontShelf } from './fonts.js';
import { replaceMissing } from './missing-scripts.js';
import type { Picture } from './paper.js';
import type { PdfPicture } from './pdf-pictures.js';
import { createTextKeeper } from './pdf-text.js';
import { type PlacedPicture, placePicture } from './place-picture.js';
import { joinStrips, paginate, type Strip, zipColumns } from './strips.js';
import { type Line, layOutText } from './text-layout.js';

export interface TextLook {
  readonly size: number;
  readonly color: string;
  readonly isBold?: boolean;
  /** Space in points at the start of the line (on the right in Arabic) and at its end. */
  readonly startInset?: number;
  readonly endInset?: number;
  /** Width of the text; by default all available width. */
  readonly width?: number;
  /** True to align the line to the end (left in Arabic). */
  readonly isAtEnd?: boolean;
  /** True if the next line must be on the same page, as for headings and introductions of lists. */
  readonly keepsNext?: boolean;
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
/** Height in points of short content: a sixth of a page. */
const SHORT = 130;

/**
 * Lays out strips on the pages of a tagged PDF, from the side where the language begins. `finish` breaks them into pages and
 * draws them. No heading, introduction or single line of a paragraph comes last on a page.
 */
export class PdfPen {
  readonly #document: Document;
  readonly #shelf: FontShelf;
  readonly #isRightToLeft: boolean;
  /** The structure element that is being laid out or drawn, after those that contain it. */
  #parts: readonly Part[];
  #strips: Strip[] = [];
  #gap = 0;
  readonly #keeper = createTextKeeper();
  readonly #pictures: ReadonlyMap<Picture, PdfPicture>;
  readonly missing = new Set<string>();
  /** The current position, in points from the top of the page. */
  y = MARGIN;

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

  /** Leaves space before the next line, unless that line begins a page. */
  leave(points: number): void {
    this.#gap += points;
  }

  /** Lays out the content of one structure element. */
  inPart(type: string, layOut: () => void, alt?: string): void {
    const part = this.#document.struct(type, alt === undefined ? {} : { alt });
    this.#parts.at(-1)?.add(part);
    const around = this.#parts;
    this.#parts = [...around, part];
    layOut();
    this.#parts = around;
  }

  /** Lays out columns next to each other, line by line. Each column sets its own insets. */
  beside(...columns: readonly (() => void)[]): void {
    this.#addAll(
      columns.map((layOut) => this.#collect(layOut)),
      zipColumns,
    );
  }

  /** Lays out columns next to each other and prevents page breaks in them. */
  besideWhole(...columns: readonly (() => void)[]): void {
    this.#addAll(
      columns.map((layOut) => [joinStrips(this.#collect(layOut))]),
      zipColumns,
    );
  }

  /** Keeps short content on one page. Longer content has at least two lines on its last page. */
  unit(layOut: () => void): void {
    const own = this.#collect(layOut);
    const from = joinStrips(own).height <= SHORT ? 0 : own.length - 2;
    const kept = own.map((strip, index) => (index < from ? strip : { ...strip, keepsNext: index < own.length - 1 }));
    this.#addAll([kept], () => kept);
  }

  /** Keeps the last line on the same page as the next one. */
  keepNext(): void {
    const last = this.#strips.pop();
    if (last !== undefined) this.#strips.push({ ...last, keepsNext: true });
  }

  measure(text: string, size: number): number {
    return Math.max(0, ...this.#layOut(text, { size, color: '' }, this.width).map((line) => line.width));
  }

  text(type: string, text: string, look: TextLook): void {
    if (text === '') return;
    const { size, startInset = 0, endInset = 0, width = this.width - startInset - endInset, isAtEnd = false } = look;
    const isFromRight = this.#isRightToLeft !== isAtEnd;
    const start = MARGIN + (this.#isRightToLeft ? this.width - startInset - width : startInset);
    this.inPart(type, () => {
      const lines = this.#layOut(text, look, width);
      for (const [index, line] of lines.entries()) {
        const x = isFromRight ? start + width - line.width : start;
        const isEdge = index === 0 || index === lines.length - 2;
        const keepsNext = index < lines.length - 1 ? isEdge || look.keepsNext : look.keepsNext;
        this.#add(size * LINE_HEIGHT, () => this.#marked(type, () => this.#drawLine(line, x, look)), keepsNext);
      }
    });
  }

  figure(picture: Picture, frame: PictureFrame): void {
    const { height } = placePicture(picture, frame).shown;
    this.inPart('Figure', () => this.#add(height, () => this.picture(picture, frame)), picture.caption);
  }

  /** Draws a picture and returns its height. Does not move `y`. */
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

  /** Draws the coloured band at the top of the first page. */
  band(color: string): void {
    this.#artifact(() => this.#document.rect(0, 0, this.#document.page.width, 12).fill(color));
  }

  rule(color: string): void {
    const draw = (): void => {
      this.#document
        .moveTo(MARGIN, this.y + 1)
        .lineTo(MARGIN + this.width, this.y + 1)
        .lineWidth(0.8)
        .stroke(color);
    };
    this.#add(0, () => this.#artifact(draw), true);
  }

  /** Draws all pages. The foot of each page has a text at its start, of at most two lines, and a text at its end. */
  finish(tellFoot: (page: number, pages: number) => readonly [start: string, end: string]): void {
    const places = paginate(this.#strips, this.#document.page.height - MARGIN - FOOT);
    const pages = 1 + Math.max(0, ...places.map(({ page }) => page));
    for (let page = 0; page < pages; page += 1) {
      if (page > 0) this.#document.addPage();
      for (const [index, place] of places.entries())
        if (place.page === page) this.#strips[index]?.draw(MARGIN + place.top);
      this.#drawFoot(...tellFoot(page + 1, pages));
    }
    this.#parts[0]?.end();
  }

  #drawFoot(start: string, end: string): void {
    const look = { size: 8, color: '#666666' };
    const [ending] = this.#layOut(end, look, this.width);
    const room = this.width - (ending?.width ?? 0) - 24;
    const beginning = this.#layOut(start, look, room).slice(0, 2);
    const [left, right] = [MARGIN, MARGIN + this.width];
    const draw = (line: Line | undefined, isAtStart: boolean, row = 0): void => {
      if (line === undefined) return;
      this.y = this.#document.page.height - 38 + row * size;
      const x = isAtStart !== this.#isRightToLeft ? left : right - line.width;
      this.#artifact(() => this.#drawLine(line, x, look), 'Pagination');
    };
    const size = look.size * LINE_HEIGHT;
    for (const [row, line] of beginning.entries()) draw(line, true, row);
    draw(ending, false);
  }

  /** Collects strips without adding them to the page. */
  #collect(layOut: () => void): readonly Strip[] {
    const [around, gap] = [this.#strips, this.#gap];
    const own: Strip[] = [];
    this.#strips = own;
    this.#gap = 0;
    layOut();
    this.#strips = around;
    this.#gap = gap;
    return own;
  }

  #addAll(
    columns: readonly (readonly Strip[])[],
    merge: (columns: readonly (readonly Strip[])[]) => readonly Strip[],
  ): void {
    for (const [index, strip] of merge(columns).entries()) {
      this.#strips.push(index > 0 ? strip : { ...strip, gap: strip.gap + this.#gap });
      this.#gap = 0;
    }
  }

  #add(height: number, draw: () => void, keepsNext = false): void {
    const parts = this.#parts;
    const drawThere = (top: number): void => {
      this.y = top;
      this.#parts = parts;
      draw();
    };
    this.#strips.push({ gap: this.#gap, height, keepsNext, draw: drawThere });
    this.#gap = 0;
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

  /** Draws decoration, which is not part of the content. */
  #artifact(draw: () => unknown, type: 'Layout' | 'Pagination' = 'Layout'): void {
    this.#document.markContent('Artifact', { type });
    draw();
    this.#document.endMarkedContent();
  }
}
