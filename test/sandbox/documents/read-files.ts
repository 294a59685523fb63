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
    nodes.push((await page.getStructTree()) as Node);
  }
  const flat = nodes.flatMap(flatten);
  return {
    title: info.Title ?? '',
    language: info.Language ?? '',
    isTagged: ((await pdf.getMarkInfo()) as { readonly Marked?: boolean } | null)?.Marked === true,
    pageWidth,
    text: squeeze(texts.join(' ')),
    roles: flat.flatMap(({ role }) => role ?? []),
    alternatives: flat.flatMap(({ alt }) => alt ?? []),
    edgeOf: (letters) => edges.find(({ text }) => text.includes(squeeze(letters)))?.x,
  };
}

function flatten(node: Node): readonly Node[] {
  return [node, ...(node.children ?? []).flatMap(flatten)];
}
