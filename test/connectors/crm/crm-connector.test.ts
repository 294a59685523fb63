import { describe, expect, it } from 'vitest';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import type { FileStreamConfig } from '../../../src/connectors/drop/resolve-file-stream.js';
import {
  buildContext,
  catchSyncError,
  column,
  makeFolder,
  type ReadResult,
  readAll,
  streamConfig,
  writeFileIn,
} from '../fixtures.js';

async function readStream(name: string, content: string, rest: Partial<FileStreamConfig> = {}): Promise<ReadResult> {
  const folder = await makeFolder();
  await writeFileIn(folder, name, content);
  return readAll(createFileConnector('crm.deals', streamConfig(folder, '*', rest), buildContext()));
}

describe('JSON documents', () => {
  it('finds the rows by pointer, and gives their place as the position in the list', async () => {
    const document = JSON.stringify({
      'a/b': {
        rows: [
          { id: 1, name: ' x ', age: null, more: 1 },
          { id: 'b', name: '' },
        ],
      },
    });
    const result = await readStream('d.json', document, { rows: '/a~1b/rows' });
    expect(result.records.map(({ key, cells, place }) => [key, cells, place.line])).toEqual([
      ['1', { id: '1', name: 'x' }, 1],
      ['b', { id: 'b', name: '' }, 2],
    ]);
    expect(result.evidence.complete).toBe(true);
    expect((await readStream('d.json', '[{"id":"1","name":"x"}]', { rows: '' })).records).toHaveLength(1);
  });

  it.each([
    ['a document without the rows that the pointer names', '{"result":[]}', 'Nearest: "result"'],
    ['rows that are not a list', '{"results":{"a":1}}', 'found an object'],
    ['a truncated document', '{"results":[{"id":"secret person"},\n{"id', 'line 2'],
  ])('rejects %s', async (_, document, said) => {
    const error = await catchSyncError(readStream('d.json', document));
    expect(error.code).toBe('SYNC_SOURCE_FORMAT');
    expect(error.place).toMatch(/d\.json$/);
    expect(error.message).toContain(said);
    expect(error.message).not.toContain('secret person');
  });

  it('rejects a row without a declared column, and suggests the nearest name', async () => {
    const result = await readStream('d.json', '{"results":[{"id":"1","nmae":"x"}]}');
    expect(result.rejected).toMatchObject([{ key: '1', code: 'SYNC_ROW_CELL' }]);
    expect(result.rejected[0]?.reason).toContain('"nmae"');
  });

  it.each(['null', '[]', '"x"', '{"id":"","name":"x"}', '{"id":12345678901234567890,"name":"x"}', '{"name":"x"}'])(
    'finds no usable key in %s',
    async (row) => {
      const result = await readStream('d.json', `{"results":[${row}]}`);
      expect(result.rejected).toMatchObject([{ key: null, place: { line: 1 } }]);
      expect(result.evidence.complete).toBe(false);
    },
  );
});

describe('NDJSON', () => {
  it('rejects only the bad line, with its number, and then proves no absence', async () => {
    const result = await readStream('d.ndjson', '{"id":"1","name":"å"}\r\n\n{"id":"2"\n{"id":"3","name":"c","age":3}');
    expect(result.records.map(({ key, place }) => [key, place.line])).toEqual([
      ['1', 1],
      ['3', 4],
    ]);
    expect(result.rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_FORMAT', place: { line: 3 } }]);
    expect(result.evidence).toMatchObject({ rows: 3, rejected: 1, complete: false });
  });

  it('joins lines across chunks', async () => {
    const long = 'å'.repeat(300_000);
    const result = await readStream('d.jsonl', `{"id":"1","name":"a","note":"${long}"}\n{"id":"2","name":"b"}\n`);
    expect(result.records.map((record) => record.cells.name)).toEqual(['a', 'b']);
    expect(result.records[0]?.raw).toContain(long);
  });
});

it('reads CSV streams with the same reader as HR drops', async () => {
  const result = await readStream('d.csv', 'id;name;age;owners\n1;x;;a|b\n', {
    columns: { id: column('string'), owners: column('list', { separator: '|' }) },
  });
  expect(result.records[0]?.cells).toEqual({ id: '1', owners: ['a', 'b'] });
});
