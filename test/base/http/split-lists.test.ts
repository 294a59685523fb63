import { describe, expect, test } from 'vitest';
import { AnswerFault } from '../../../src/base/http/answer-fault.js';
import { USUAL_OBJECT } from '../../../src/base/http/limits.js';
import { readOutline, readRows } from '../../../src/base/http/split-lists.js';
import type { Json } from '../../../src/model/json.js';
import { oneIn } from '../../depth.js';

function cut(text: string, size: number): readonly Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

/** Reassembles the document from its outline and the rows of all its lists. */
async function takeApart(text: string, depth: number, size: number, find: (body: Json) => readonly Json[]) {
  const chunks = cut(text, size);
  const { body, numberOf } = await readOutline(chunks, depth, USUAL_OBJECT);
  const list = find(body);
  const number = numberOf(list);
  if (number === null) return { isLong: false, rows: list };
  const rows: Json[] = [];
  for await (const batch of readRows(chunks, depth, USUAL_OBJECT, number)) rows.push(...batch);
  return { isLong: true, rows };
}

const ROWS = Array.from({ length: 40 }, (_, index) => ({
  id: `Ås "${index}" \\ ] } , [ {`,
  inner: [{ list: [index, [], {}] }, null, true, -1.5e3],
  '': '\u2028\ud83d\ude00',
}));
const LONG = [...ROWS, { long: 'x'.repeat(70_000) }];

describe('splits a document, cut anywhere', () => {
  test.each(oneIn(1 / 2, [1, 2, 3, 7, 64, 1_000, 1_000_000], 1))('into pieces of %d bytes', async (size) => {
    for (const rows of [LONG, ROWS, [], [1, 'a', null, [], {}]] as readonly (readonly Json[])[]) {
      const isLong = rows === LONG;
      for (const indent of [0, 2]) {
        const plain = JSON.stringify(rows, null, indent);
        const named = JSON.stringify({ before: [1, 2], deep: { rows: [3] }, rows, after: ['x'] }, null, indent);
        const deep = JSON.stringify({ rows: [0], deep: { other: [LONG], rows } }, null, indent);
        const inDeep = (body: Json) => (body as { deep: { rows: readonly Json[] } }).deep.rows;
        expect(await takeApart(plain, 0, size, (body) => body as readonly Json[])).toEqual({ isLong, rows });
        expect(await takeApart(named, 1, size, (body) => (body as { rows: readonly Json[] }).rows)).toEqual({
          isLong,
          rows,
        });
        expect(await takeApart(deep, 2, size, inDeep)).toEqual({ isLong, rows });
      }
    }
  });

  test('keeps short lists next to the rows unchanged', async () => {
    const { body } = await readOutline(
      cut(JSON.stringify({ links: [{ next: '/2' }], rows: LONG, n: 1 }), 50),
      1,
      USUAL_OBJECT,
    );
    expect(body).toMatchObject({ links: [{ next: '/2' }], n: 1 });
  });
});

const BROKEN = [
  '[1,2',
  '[1,,2]',
  '[1,]',
  '[,1]',
  '[1 2]',
  '[1}',
  '{"a":[1,2]',
  '{"a":[1,2]]',
  '[1]]',
  '',
  '[',
  '[1],[2]',
  '{"a" [1]}',
];
test.each(BROKEN)('rejects %s as JSON, short or long', async (text) => {
  const long = text.replace('1', JSON.stringify('x'.repeat(70_000)));
  for (const one of [text, long]) {
    const depth = one.startsWith('{') ? 1 : 0;
    const find = (body: Json) => (Array.isArray(body) ? body : (Object.values(body as object)[0] as readonly Json[]));
    await expect(takeApart(one, depth, 5, find)).rejects.toBeInstanceOf(AnswerFault);
  }
});

test.each([
  ['one object is too long', `[${JSON.stringify('x'.repeat(4_200_000))}]`, 'longer than 4 MiB'],
  ['one object has too many values', `[[${'[],'.repeat(200_001)}1]]`, 'more than 200000 values'],
  ['there are too many rows', `[${'1,'.repeat(500_001)}1]`, 'more than 500000 rows'],
  ['too much data next to the rows', `{"rows":[1],"x":${JSON.stringify('x'.repeat(4_200_000))}}`, 'outside its rows'],
])('rejects an answer: %s', async (_, text, words) => {
  await expect(readOutline(cut(text, 65_536), text.startsWith('{') ? 1 : 0, USUAL_OBJECT)).rejects.toThrow(words);
});
