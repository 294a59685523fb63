import { inflateRawSync } from 'node:zlib';
import { getDocumentProxy } from 'unpdf';

/** Returns the files of a ZIP archive by name, as text. */
export function unzip(archive: Buffer, encoding: 'utf8' | 'latin1' = 'utf8'): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    const [method, packed] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(start, start + packed);
    files.set(
      archive.toString('utf8', at + 46, at + 46 + name),
      (method === 8 ? inflateRawSync(bytes) : bytes).toString(encoding),
    );
    at += 46 + name + extra + comment;
  }
  return files;
}

interface Node {
  readonly role?: string;
  readonly alt?: string;
  readonly children?: readonly Node[];
}

export interface ReadPdf {
  readonly title: string;
  readonly language: string;
  readonly isTagged: boolean;
  /** In points. */
  readonly pageWidth: number;
  /** The copied text, with ligatures taken apart and without spaces, because readers guess them from gaps. */
  readonly text: string;
  /** The roles of the structure, in reading order. */
  readonly roles: readonly string[];
  readonly alternatives: readonly string[];
  /** Returns the left edge of the first text with these letters. */
  edgeOf(letters: string): number | undefined;
  readonly pages: readonly PdfPage[];
}

export interface PdfPage {
  readonly height: number;
  /** From the top; `bottom` is how far the base of a line is from the foot of the page, in points. */
  readonly lines: readonly { readonly text: string; readonly bottom: number; readonly size: number }[];
  /** The role of the part that the page begins with. */
  readonly firstRole: string;
}

export function squeeze(text: string): string {
  return text.normalize('NFKC').replace(/\s+/gu, '');
}

export async function readPdf(bytes: Buffer): Promise<ReadPdf> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { info } = (await pdf.getMetadata()) as unknown as { readonly info: Readonly<Record<string, string>> };
  const texts: string[] = [];
  const nodes: Node[] = [];
  const edges: { readonly text: string; readonly x: number }[] = [];
  const pages: PdfPage[] = [];
  let pageWidth = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    pageWidth = page.getViewport({ scale: 1 }).width;
    const { items } = await page.getTextContent();
    for (const item of items) {
      if (!('str' in item)) continue;
      texts.push(item.str);
      edges.push({ text: squeeze(item.str), x: item.transform[4] as number });
    }
    const tree = (await page.getStructTree()) as Node;
    nodes.push(tree);
    const firstRole = flatten(tree).find(({ children }) => children?.some((child) => !child.role))?.role ?? '';
    pages.push({
      height: page.getViewport({ scale: 1 }).height,
      lines: joinItems(items as readonly Item[]),
      firstRole,
    });
  }
  const flat = nodes.flatMap(flatten);
  return {
    title: info.Title ?? '',
    language: info.Language ?? '',
    isTagged: ((await pdf.getMarkInfo()) as { readonly Marked?: boolean } | null)?.Marked === true,
    pageWidth,
    pages,
    text: squeeze(texts.join(' ')),
    roles: flat.flatMap(({ role }) => role ?? []),
    alternatives: flat.flatMap(({ alt }) => alt ?? []),
    edgeOf: (letters) => edges.find(({ text }) => text.includes(squeeze(letters)))?.x,
  };
}

interface Item {
  readonly str?: string;
  readonly height: number;
  readonly transform: readonly number[];
}

/** Pieces at about the same height are a line; the foot of the page comes last. */
function joinItems(items: readonly Item[]): PdfPage['lines'] {
  const lines: { text: string; bottom: number; size: number }[] = [];
  for (const { str = '', height, transform } of items) {
    const bottom = transform[5] ?? 0;
    if (str.trim() === '') continue;
    const line = lines.find((one) => Math.abs(one.bottom - bottom) < 3);
    if (line) line.text += ` ${str}`;
    else lines.push({ text: str, bottom, size: height });
  }
  return lines.toSorted((a, b) => b.bottom - a.bottom);
}

function flatten(node: Node): readonly Node[] {
  return [node, ...(node.children ?? []).flatMap(flatten)];
}

export interface ReadSlide {
  readonly title: string;
  readonly text: string;
  readonly pictures: number;
  /** Left edges of the first picture and of the first text under the title. */
  readonly pictureAt: number;
  readonly textAt: number;
}

/** Slides in their order. */
export function readSlides(pptx: Buffer): readonly ReadSlide[] {
  const files = unzip(pptx);
  const names = [...files.keys()].filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name));
  const numberOf = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  return names
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .map((name) => {
      const shapes = (files.get(name) ?? '').split(/<p:sp>|<p:pic>/).slice(1);
      const textOf = (xml: string): string => [...xml.matchAll(/<a:t>([^<]*)</g)].map(([, text]) => text).join('');
      const edgeOf = (xml = ''): number => Number(/<a:off x="(\d+)"/.exec(xml)?.[1]);
      const others = shapes.filter((shape) => !shape.includes('type="title"'));
      const pictures = others.filter((shape) => shape.includes('<a:blip '));
      return {
        title: textOf(shapes.find((shape) => shape.includes('type="title"')) ?? ''),
        text: others.map(textOf).join('\n'),
        pictures: pictures.length,
        pictureAt: edgeOf(pictures[0]),
        textAt: edgeOf(others.find((shape) => !pictures.includes(shape))),
      };
    });
}
