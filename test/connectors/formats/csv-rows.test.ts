import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CsvRows, type ParsedRow } from '../../../src/connectors/formats/csv-rows.js';
import { sweep, tries } from '../../depth.js';
import { createParsedRows } from './csv-parser.js';

/** Returns everything learned from a text: the rows with their lines, and where and why reading stopped. */
async function read(isOurs: boolean, chunks: readonly string[], separator: string) {
  const taken: [number, number, ...string[]][] = [];
  const take = ({ fields, line, newlines }: Omit<ParsedRow, 'text'>) => void taken.push([line, newlines, ...fields]);
  const rows = isOurs ? new CsvRows(separator, 1, { take }) : createParsedRows(separator, 1, take);
  for (const chunk of chunks) await rows.write(Buffer.from(chunk));
  await rows.end();
  if ('close' in rows) rows.close();
  return { taken, stop: rows.stop };
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

it('reads the same rows as the parser from any text in any chunks', async () => {
  const chunks = fc.oneof(
    fc.array(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
      { maxLength: 6 },
    ),
    plain,
  );
  await fc.assert(
    fc.asyncProperty(chunks, fc.constantFrom(';', ',', '\t', ' ', ';;'), async (text, separator) => {
      // After an empty quoted field the parser accepts a no-break space and `"" ""`, which it rejects after any other.
      fc.pre(!/""[ \t]*(?:[ \t]"|\u00a0)/.test(text.join('')));
      expect(await read(true, text, separator)).toEqual(await read(false, text, separator));
    }),
    { numRuns: tries(2_000) },
  );
});

sweep('judges absurdly long rows as the parser does, in one chunk or several', async () => {
  for (const long of ['x'.repeat(300_000), 'x'.repeat(1_100_000)]) {
    for (const text of [
      [`a;b\n${long};c\nd;e\n`],
      ['a;b\n', long.slice(0, 270_000), `${long.slice(270_000)};c\nd;e\n`],
    ])
      expect(await read(true, text, ';')).toEqual(await read(false, text, ';'));
  }
});

it('throws the error of its consumer', () => {
  const rows = new CsvRows(';', 1, {
    take() {
      throw new Error('no more');
    },
  });
  expect(() => rows.write(Buffer.from('a;b\n'))).toThrow('no more');
});

it('offers each single-line row as text first, and reads no fields of those accepted that way', () => {
  const [passed, taken]: [string[], string[]] = [[], []];
  const rows = new CsvRows(';', 1, {
    take: ({ text, line }) => void taken.push(`${line} ${text}`),
    pass: (text, line) => text.startsWith('p') && passed.push(`${line} ${text}`) > 0,
  });
  for (const chunk of ['a;b\r\np;', '1\n"p;x\ny";2\np;"z"', '\np;2']) rows.write(Buffer.from(chunk));
  rows.end();
  expect({ passed, taken }).toEqual({
    passed: ['2 p;1', '5 p;"z"', '6 p;2'],
    taken: ['1 a;b', '3 "p;x\ny";2'],
  });
});
