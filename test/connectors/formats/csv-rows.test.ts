import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createParsedRows } from '../../../src/connectors/formats/csv-parser.js';
import { createCsvRows } from '../../../src/connectors/formats/csv-rows.js';

type Create = typeof createCsvRows;

/** All that reading a text tells: rows with their lines, and where and why it stopped. */
async function read(create: Create, chunks: readonly string[], separator: string) {
  const taken: [number, ...string[]][] = [];
  const rows = create(separator, 1, (fields, line) => taken.push([line, ...fields]));
  for (const chunk of chunks) await rows.write(Buffer.from(chunk));
  await rows.end();
  const { stop } = rows;
  rows.close();
  return { taken, stop };
}

const piece = fc.constantFrom(
  'a',
  'é',
  '€',
  ';',
  ';',
  ',',
  ' ',
  '\t',
  '\u00a0',
  '"',
  '"',
  '""',
  '"x"',
  '\n',
  '\n',
  '\r\n',
  '\r',
);
const line = fc.array(fc.constantFrom('a', 'bc', ' d ', '"e"', '"f;g"', '"h ""i"""', '', ' "j" ', '"k\nl"'), {
  maxLength: 4,
});
const plain = fc.array(line, { maxLength: 6 }).map((lines) =>
  lines
    .map((fields) => fields.join(';'))
    .join('\n')
    .split(/(?=[;\n])/),
);

it('reads the same rows as the parser does, whatever the text and however it is cut', async () => {
  const chunks = fc.oneof(
    fc.array(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      { maxLength: 6 },
    ),
    plain,
  );
  await fc.assert(
    fc.asyncProperty(chunks, fc.constantFrom(';', ',', '\t', ' ', ';;'), async (text, separator) => {
      expect(await read(createCsvRows, text, separator)).toEqual(await read(createParsedRows, text, separator));
    }),
    { numRuns: 2_000 },
  );
});

it('leaves rows of absurd length to the parser, cut or whole', async () => {
  for (const long of ['x'.repeat(300_000), 'x'.repeat(1_100_000)]) {
    for (const text of [
      [`a;b\n${long};c\nd;e\n`],
      ['a;b\n', long.slice(0, 270_000), `${long.slice(270_000)};c\nd;e\n`],
    ])
      expect(await read(createCsvRows, text, ';')).toEqual(await read(createParsedRows, text, ';'));
  }
});

it('hands on what the taker throws', async () => {
  const rows = createCsvRows(';', 1, () => {
    throw new Error('no more');
  });
  await expect(rows.write(Buffer.from('a;b\n'))).rejects.toThrow('no more');
});
