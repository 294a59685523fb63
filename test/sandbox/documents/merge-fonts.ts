import { create } from 'fontkit';

type Tables = ReadonlyMap<string, Buffer>;

/** The tables of a TrueType file by their tags. */
function readTables(font: Buffer): Tables {
  const count = font.readUInt16BE(4);
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const at = 12 + 16 * index;
      const start = font.readUInt32BE(at + 8);
      return [font.toString('latin1', at, at + 4), font.subarray(start, start + font.readUInt32BE(at + 12))];
    }),
  );
}

function pick(tables: Tables, tag: string): Buffer {
  return tables.get(tag) ?? Buffer.alloc(0);
}

/**
 * One font of the parts that web fonts come in: other programs take fonts of one name for the same. It has shapes, widths and
 * characters, and nothing that joins or moves letters.
 */
export function mergeFonts(parts: readonly Buffer[], family: string, isBold: boolean): Buffer {
  const shapes: Buffer[] = [];
  const widths: Buffer[] = [];
  const characters = new Map<number, number>();
  for (const part of parts) {
    const tables = readTables(part);
    const font = create(part);
    if (font.cmap === undefined) continue;
    for (const code of font.characterSet)
      if (!characters.has(code)) characters.set(code, shapes.length + font.glyphForCodePoint(code).id);
    widths.push(...listWidths(tables));
    shapes.push(...listShapes(tables, shapes.length));
  }
  const first = readTables(parts[0] ?? Buffer.alloc(0));
  const [head, hhea] = [Buffer.from(pick(first, 'head')), Buffer.from(pick(first, 'hhea'))];
  head.writeInt16BE(1, 50);
  hhea.writeUInt16BE(shapes.length, 34);
  const maxp = mergeLimits(parts, shapes.length);
  return writeTables([
    ['OS/2', pick(first, 'OS/2')],
    ['cmap', writeCharacters(characters)],
    ['glyf', Buffer.concat(shapes)],
    ['head', head],
    ['hhea', hhea],
    ['hmtx', Buffer.concat(widths)],
    ['loca', writeOffsets(shapes)],
    ['maxp', maxp],
    ['name', writeNames(family, isBold ? 'Bold' : 'Regular')],
    ['post', Buffer.concat([Buffer.from('00030000', 'hex'), pick(first, 'post').subarray(4, 32)])],
  ]);
}

function countShapes(tables: Tables): number {
  return pick(tables, 'maxp').readUInt16BE(4);
}

function listWidths(tables: Tables): readonly Buffer[] {
  const hmtx = pick(tables, 'hmtx');
  const known = pick(tables, 'hhea').readUInt16BE(34);
  return Array.from({ length: countShapes(tables) }, (_, index) =>
    index < known
      ? hmtx.subarray(4 * index, 4 * index + 4)
      : Buffer.concat([
          hmtx.subarray(4 * known - 4, 4 * known - 2),
          hmtx.subarray(2 * known + 2 * index, 2 * known + 2 * index + 2),
        ]),
  );
}

/** Each with its instructions. The parts of composed ones get their new numbers. */
function listShapes(tables: Tables, offset: number): readonly Buffer[] {
  const [glyf, loca] = [pick(tables, 'glyf'), pick(tables, 'loca')];
  const isLong = pick(tables, 'head').readInt16BE(50) === 1;
  const startOf = (index: number): number => (isLong ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index));
  return Array.from({ length: countShapes(tables) }, (_, index) => {
    const shape = Buffer.from(glyf.subarray(startOf(index), startOf(index + 1)));
    if (shape.length > 0 && shape.readInt16BE(0) < 0) renumber(shape, offset);
    return Buffer.concat([shape, Buffer.alloc((4 - (shape.length % 4)) % 4)]);
  });
}

/** Bits of a part of a composed shape (OpenType, glyf). */
const [WORDS, SCALE, MORE, TWO_SCALES, MATRIX] = [0x1, 0x8, 0x20, 0x40, 0x80];

function renumber(shape: Buffer, offset: number): void {
  let at = 10;
  for (let flags = MORE; flags & MORE; ) {
    flags = shape.readUInt16BE(at);
    shape.writeUInt16BE(shape.readUInt16BE(at + 2) + offset, at + 2);
    at +=
      4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : 0) + (flags & TWO_SCALES ? 4 : 0) + (flags & MATRIX ? 8 : 0);
  }
}

/** The highest limits of all parts. */
function mergeLimits(parts: readonly Buffer[], count: number): Buffer {
  const limits = parts.map((part) => pick(readTables(part), 'maxp'));
  const maxp = Buffer.from(limits[0] ?? Buffer.alloc(0));
  for (let at = 6; at < maxp.length; at += 2)
    maxp.writeUInt16BE(Math.max(...limits.map((one) => (at + 2 <= one.length ? one.readUInt16BE(at) : 0))), at);
  maxp.writeUInt16BE(count, 4);
  return maxp;
}

function writeOffsets(shapes: readonly Buffer[]): Buffer {
  const offsets = Buffer.alloc(4 * (shapes.length + 1));
  let at = 0;
  for (const [index, shape] of shapes.entries()) {
    at += shape.length;
    offsets.writeUInt32BE(at, 4 * (index + 1));
  }
  return offsets;
}

/** Format 12 of the character map: a group for each character. */
function writeCharacters(characters: ReadonlyMap<number, number>): Buffer {
  const known = [...characters].sort(([a], [b]) => a - b);
  const table = Buffer.alloc(28 + 12 * known.length);
  table.writeUInt16BE(1, 2);
  table.writeUInt16BE(3, 4);
  table.writeUInt16BE(10, 6);
  table.writeUInt32BE(12, 8);
  table.writeUInt16BE(12, 12);
  table.writeUInt32BE(16 + 12 * known.length, 16);
  table.writeUInt32BE(known.length, 24);
  for (const [index, [code, shape]] of known.entries()) {
    table.writeUInt32BE(code, 28 + 12 * index);
    table.writeUInt32BE(code, 32 + 12 * index);
    table.writeUInt32BE(shape, 36 + 12 * index);
  }
  return table;
}

function writeNames(family: string, style: string): Buffer {
  const names = [
    [1, family],
    [2, style],
    [4, `${family} ${style}`],
    [6, `${family.replaceAll(' ', '')}-${style}`],
  ] as const;
  const texts = names.map(([, text]) => Buffer.from(text, 'utf16le').swap16());
  const head = Buffer.alloc(6 + 12 * names.length);
  head.writeUInt16BE(names.length, 2);
  head.writeUInt16BE(head.length, 4);
  let offset = 0;
  for (const [index, [id]] of names.entries()) {
    const length = texts[index]?.length ?? 0;
    for (const [place, value] of [3, 1, 0x409, id, length, offset].entries())
      head.writeUInt16BE(value, 6 + 12 * index + 2 * place);
    offset += length;
  }
  return Buffer.concat([head, ...texts]);
}

function writeTables(tables: readonly (readonly [tag: string, bytes: Buffer])[]): Buffer {
  const directory = Buffer.alloc(12 + 16 * tables.length);
  directory.writeUInt32BE(0x10000, 0);
  directory.writeUInt16BE(tables.length, 4);
  let at = directory.length;
  const padded = tables.map(([tag, bytes], index) => {
    directory.write(tag, 12 + 16 * index, 'latin1');
    directory.writeUInt32BE(at, 20 + 16 * index);
    directory.writeUInt32BE(bytes.length, 24 + 16 * index);
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    at += bytes.length + padding.length;
    return Buffer.concat([bytes, padding]);
  });
  return Buffer.concat([directory, ...padded]);
}
