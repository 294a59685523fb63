import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { decodeFile } from '../../../src/connectors/formats/decode.js';
import { catchSyncError } from '../fixtures.js';

async function decode(bytes: Buffer, configured: string | null = null, chunkSize = 3): Promise<string> {
  const file = {
    at: '/drop/a.csv',
    async *bytes() {
      for (let i = 0; i < bytes.length; i += chunkSize) yield bytes.subarray(i, i + chunkSize);
    },
  };
  const chunks: Buffer[] = [];
  const seen: Buffer[] = [];
  for await (const chunk of decodeFile(file, configured, (raw) => seen.push(raw))) chunks.push(chunk);
  expect(Buffer.concat(seen).equals(bytes)).toBe(true);
  return Buffer.concat(chunks).toString('utf8');
}

describe('decodeFile', () => {
  it('passes UTF-8 through, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.integer({ min: 4, max: 9 }),
        async (text, size) => {
          fc.pre(!text.includes('\0') && !text.startsWith('\uFEFF'));
          expect(await decode(Buffer.from(text), null, size)).toBe(Buffer.from(text).toString());
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(['\uFEFFid;Ærø\n', 'id;Ærø\n'])(
    'reads UTF-16 in both byte orders, with and without a byte order mark: %j',
    async (text) => {
      const little = Buffer.from(text, 'utf16le');
      expect(await decode(little, null, 64)).toBe('id;Ærø\n');
      expect(await decode(Buffer.from(little).swap16(), null, 64)).toBe('id;Ærø\n');
    },
  );

  it('drops the byte order mark of UTF-8', async () => {
    expect(await decode(Buffer.from('\uFEFFid\n'))).toBe('id\n');
  });

  it('uses the configured encoding only if the file is not entirely UTF-8', async () => {
    const latin = Buffer.from([0x69, 0x64, 0x0a, 0xc6, 0x72, 0xf8, 0x80]);
    expect(await decode(latin, 'windows-1252')).toBe('id\nÆrø€');
    expect(await decode(Buffer.from('id\nÆrø€'), 'windows-1252')).toBe('id\nÆrø€');
    // The file is valid UTF-8 at first and something else later; it must be decoded in one encoding.
    expect(await decode(Buffer.concat([Buffer.from('é,'), Buffer.from([0xe9])]), 'windows-1252')).toBe('Ã©,é');
  });

  it.each([
    ['an invalid sequence', Buffer.concat([Buffer.from('id\nÆ\uFFFD'), Buffer.from([0xe6, 0x41])]), 8],
    ['a truncated sequence at the end', Buffer.concat([Buffer.from('id\n'), Buffer.from([0xe2, 0x82])]), 3],
  ])('rejects %s with its offset and the remedy', async (_, bytes, offset) => {
    const error = await catchSyncError(decode(bytes));
    expect(error.code).toBe('SYNC_SOURCE_ENCODING');
    expect(error.message).toContain(`offset ${offset}`);
    expect(error.remedy).toContain('encoding: windows-1252');
    expect(error.place).toBe('/drop/a.csv');
  });

  it('reports an unknown encoding and a renamed workbook', async () => {
    await expect(decode(Buffer.from([0xe9]), 'klingon')).rejects.toThrow(/klingon/);
    await expect(decode(Buffer.from('PK\u0003\u0004xx'), null, 64)).rejects.toSatisfy(
      (error) => error instanceof SyncError && error.code === 'SYNC_SOURCE_FORMAT',
    );
  });
});
