import { describe, expect, it, test } from 'vitest';
import type { DocumentDelivery } from '../../../src/config/resolve-documents.js';
import type { DocumentRecord } from '../../../src/model/delivery.js';
import { forecastDownloads } from '../../../src/service/limiter.js';
import type { ServiceFile } from '../../../src/service/service-file.js';
import { checkDocument } from '../../../src/writeback/documents/check-document.js';
import type { Survey } from '../../../src/writeback/documents/document-kind.js';
import { countDue, mayRemove, queueDocuments } from '../../../src/writeback/documents/queue-documents.js';

function fileOf(contentType: string | null, ...chunks: readonly string[]): ServiceFile {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1');
  }
  return { contentType, fileName: null, length: null, bytes: bytes(), cancel: async () => undefined };
}

async function readWhole(file: ServiceFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

describe("the service's answer for a document", () => {
  it.each([
    ['pdf', 'in pieces', ['%P', 'DF-1.7 …', '%%E', 'OF\n']],
    ['docx', 'in one piece', ['PK\u0003\u0004 … PK\u0005\u0006 end']],
    ['pptx', 'with much before its end', ['PK\u0003\u0004', 'x'.repeat(5_000), 'PK\u0005\u0006']],
  ] as const)('accepts a %s, %s, unchanged', async (format, _, chunks) => {
    expect(await readWhole(checkDocument(fileOf('application/octet-stream', ...chunks), format, 'x'))).toBe(
      Buffer.from(chunks.join(''), 'latin1').toString('latin1'),
    );
  });

  it.each([
    ['pdf', ['<!DOCTYPE html><title>Sign in</title>'], 'something of type text/html, not a pdf'],
    ['pdf', [], 'something of type text/html, not a pdf'],
    ['pdf', ['%PDF-1.7 half of'], 'a pdf without its end'],
    ['docx', ['%PDF-1.7 %%EOF'], 'something of type text/html, not a docx'],
    ['pptx', ['PK\u0003\u0004', 'PK\u0005\u0006', 'x'.repeat(5_000)], 'a pptx without its end'],
  ] as const)('rejects an answer that is not a %s: %j', async (format, chunks, found) => {
    const error = await readWhole(checkDocument(fileOf('text/html', ...chunks), format, 'out/x')).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'SYNC_DOCUMENT_UNUSABLE', message: `The service answered ${found}.` });
  });
});

test.each([
  [0, 0],
  [1, 0],
  [10, 18],
  [11, 60],
  [100, 558],
  [1_000, 5_958],
])('forecasts %i downloads as %i seconds', (calls, seconds) => {
  expect(forecastDownloads(calls)).toBe(seconds);
});

const DELIVERY: DocumentDelivery = {
  name: 'cvs',
  at: 'deliveries.cvs',
  kind: 'cv_documents',
  format: 'pdf',
  language: 'en',
  template: null,
  filter: { text: [], anyField: {}, skills: [], tags: [] },
  offices: [],
  stage: 'all',
  owned: false,
  schedule: null,
  atMost: 1,
  gone: 'remove',
  place: { drop: '/out', sftp: null },
  fileName: '{name}.pdf',
};

function surveyOf(stamps: Readonly<Record<string, string>>, isWhole = true): Survey {
  const listed = Object.entries(stamps).map(([key, stamp]) => ({
    key,
    stamp,
    words: { name: key },
    fetch: () => Promise.reject(new Error('not asked')),
  }));
  return { listed, isWhole, calls: {} };
}

describe('due documents', () => {
  const { asked } = queueDocuments(DELIVERY, surveyOf({}), [], 0);
  const laid = (key: string, more: object = {}): DocumentRecord => ({
    delivery: 'cvs',
    entity: 'users',
    key,
    laid: { file: `${key}.pdf`, sha256: 'x', bytes: 1, stamp: 's1', asked, externalId: '', at: '', ...more },
    missing: 0,
    failure: null,
  });
  const due = (stamps: Readonly<Record<string, string>>, records: readonly DocumentRecord[], nowMs = 0) =>
    queueDocuments(DELIVERY, surveyOf(stamps), records, nowMs).due.map(({ listed }) => listed.key);

  test('include new, changed, and differently requested or named records, and no others', () => {
    const records = [laid('b'), laid('c'), laid('d', { asked: 'else' }), laid('e', { file: 'else.pdf' })];
    expect(due({ a: 's1', b: 's1', c: 's2', d: 's1', e: 's1' }, records)).toEqual(['a', 'c', 'd', 'e']);
  });

  test('wait after a failure until their time or a change, and then come last', () => {
    const failure = { stamp: 's1', asked, times: 2, nextMs: 500, code: 'X', message: '', remedy: '' };
    const failed: DocumentRecord = { ...laid('a'), laid: null, failure };
    expect(due({ a: 's1', b: 's1' }, [failed], 499)).toEqual(['b']);
    expect(queueDocuments(DELIVERY, surveyOf({ a: 's1' }), [failed], 499).resting).toEqual([failed]);
    expect(due({ a: 's1', b: 's1' }, [failed], 500)).toEqual(['b', 'a']);
    expect(due({ a: 's2', b: 's1' }, [failed], 499)).toEqual(['b', 'a']);
  });

  test('lose nobody because of an empty or incomplete list', () => {
    const gone = (survey: Survey): number =>
      countDue(DELIVERY, queueDocuments(DELIVERY, survey, [laid('a'), laid('b')], 0)).gone;
    expect(gone(surveyOf({ a: 's1' }))).toBe(1);
    expect(gone(surveyOf({ a: 's1' }, false))).toBe(0);
    expect(gone(surveyOf({}))).toBe(0);
    expect(mayRemove(surveyOf({}))).toBe(false);
  });
});
