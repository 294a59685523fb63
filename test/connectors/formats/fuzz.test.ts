import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import { tries } from '../../depth.js';
import { buildContext, csvConfig, makeFolder, NO_RULES, type ReadResult, readAll, writeFileIn } from '../fixtures.js';

const MANIFEST = { pattern: '{file}.json', rows: '/rows', sha256: '/sha256' };

/** Reads a file with these bytes: returns its rows, or why none of them counts. */
async function openReader(): Promise<
  (bytes: Buffer, proof?: { rows: number; whole: Buffer }) => Promise<ReadResult | SyncError>
> {
  const folder = await makeFolder();
  const context = buildContext();
  return async (bytes, proof) => {
    await writeFileIn(folder, 'a.csv', bytes);
    if (proof !== undefined) {
      const sha256 = createHash('sha256').update(proof.whole).digest('hex');
      await writeFileIn(folder, 'a.csv.json', JSON.stringify({ rows: proof.rows, sha256 }));
    }
    const rules = { ...NO_RULES, manifest: proof === undefined ? null : MANIFEST };
    const connector = createFileConnector('hr', csvConfig(folder, { rules, encoding: 'windows-1252' }), context);
    return readAll(connector).catch((error: unknown) => {
      if (error instanceof SyncError && error.code !== 'SYNC_INTERNAL') return error;
      throw error;
    });
  };
}

const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a,b', 'a"b', 'two\r\nlines', ';', '0007', '=1+1'),
);
const people = fc.array(
  cell.map((text) => text.replaceAll('\u0000', '')),
  { minLength: 1, maxLength: 12 },
);

function print(names: readonly string[]): Buffer {
  const rows = names.map((name, i) => `k${i},"${name.replaceAll('"', '""')}",${i}`);
  return Buffer.from(`id,name,age\r\n${rows.join('\r\n')}\r\n`);
}

it('reads any bytes or rejects them with a code, and counts all it reads', async () => {
  const read = await openReader();
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.constantFrom('id', 'name', 'age', ',', ';', '"', '\n', '\r', '\u0000', 'ø', ' ', '1'), {
        maxLength: 60,
      })
      .map((parts) => Buffer.from(`id,name,age\n${parts.join('')}`)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      const result = await read(Buffer.from(content));
      if (result instanceof SyncError) {
        expect(result.remedy).not.toBe('');
        return;
      }
      const { evidence, records, rejected } = result;
      expect(evidence.rows).toBe(records.length + rejected.length);
      if (rejected.some(({ key }) => key === null)) expect(evidence.complete).toBe(false);
    }),
    { numRuns: tries(200) },
  );
});

it('reads every row as it was written, whatever its cells contain', async () => {
  const read = await openReader();
  await fc.assert(
    fc.asyncProperty(people, async (names) => {
      const result = await read(print(names));
      if (result instanceof SyncError) throw result;
      expect(result.evidence).toMatchObject({ rows: names.length, rejected: 0, complete: true });
      expect(result.records.map(({ cells }) => cells.name)).toEqual(names.map((name) => name.trim()));
    }),
    { numRuns: tries(100) },
  );
});

it('notices any damage by means of a manifest, so that nobody is absent without proof', async () => {
  const read = await openReader();
  const damage = fc.record({ at: fc.nat(), length: fc.nat(20), put: fc.uint8Array({ maxLength: 5 }) });
  await fc.assert(
    fc.asyncProperty(people, damage, async (names, { at, length, put }) => {
      const whole = print(names);
      const from = at % whole.length;
      const damaged = Buffer.concat([whole.subarray(0, from), put, whole.subarray(from + length)]);
      const result = await read(damaged, { rows: names.length, whole });
      expect(result instanceof SyncError).toBe(!damaged.equals(whole));
    }),
    { numRuns: tries(100) },
  );
});
