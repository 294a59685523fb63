import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { createFileConnector } from '../../src/connectors/drop/file-connector.js';
import {
  buildContext,
  csvConfig,
  makeFolder,
  type ReadResult,
  readAll,
  streamConfig,
  writeFileIn,
} from '../connectors/fixtures.js';
import { tries } from '../depth.js';

/** Possible contents of harmful files: quotes, breaks, bytes that are not text, marks, formulas, control characters. */
const HARM = [
  ...[
    'id',
    'name',
    'age',
    'k1',
    '1',
    ',',
    ';',
    '\t',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    ' ',
    'sep=;\n',
    '{',
    '}',
    '[',
    ']',
    ':',
    '\\',
  ],
  ...[
    '\u0000',
    '\ufeff',
    '\u2028',
    '\u202e',
    '\u001b[2J',
    'ø',
    '😀',
    '=cmd|x',
    '__proto__',
    'constructor',
    '-----BEGIN',
  ],
].map((text) => Buffer.from(text));
const BYTES = [[0xff], [0xfe, 0xff], [0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80], [0x1f, 0x8b], [0x50, 0x4b, 3, 4]].map(
  (one) => Buffer.from(one),
);
const heads = fc.constantFrom('id,name,age\n', 'id;name;age\r\n', '\ufeff"id","name","age"\n', '', '[', '{"id":"1",');
const bytes = fc
  .tuple(
    heads,
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: fc.constantFrom(...HARM) },
        fc.constantFrom(...BYTES),
        fc.uint8Array({ maxLength: 9 }),
      ),
      {
        maxLength: 80,
      },
    ),
  )
  .map(([head, parts]) => Buffer.concat([Buffer.from(head), ...parts.map((part) => Buffer.from(part))]));

/** Everything read must be counted, and every rejection must have a code and a remedy. */
function check(result: ReadResult | SyncError): void {
  if (result instanceof SyncError) {
    expect(result.code).not.toBe('SYNC_INTERNAL');
    expect(result.remedy).not.toBe('');
    // Nothing in the file may control the reader's terminal through the message.
    expect(result.message).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    return;
  }
  const { evidence, records, rejected } = result;
  expect(evidence.rows).toBe(records.length + rejected.length);
  if (rejected.some(({ key }) => key === null)) expect(evidence.complete).toBe(false);
  for (const { key, cells } of records) {
    expect(key).not.toBe('');
    expect(Object.getPrototypeOf(cells)).toBe(Object.prototype);
  }
}

async function readOrRefuse(connector: Parameters<typeof readAll>[0]): Promise<ReadResult | SyncError> {
  return readAll(connector).catch((error: unknown) => {
    if (error instanceof SyncError) return error;
    throw error;
  });
}

for (const ending of ['csv', 'ndjson', 'json']) {
  it(`reads or rejects any bytes in a file .${ending}`, async () => {
    const folder = await makeFolder();
    const context = buildContext();
    const connector =
      ending === 'csv'
        ? createFileConnector('hr', csvConfig(folder), context)
        : createFileConnector('crm.deals', streamConfig(folder, `*.${ending}`), context);
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFileIn(folder, `a.${ending}`, content);
        check(await readOrRefuse(connector));
      }),
      { numRuns: tries(250) },
    );
  });
}
