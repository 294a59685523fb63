import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_VALUES, parseJson } from '../../../src/connectors/rows/parse-json.js';
import { tries } from '../../depth.js';

function parseByThrowing(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

describe('parseJson, compared with JSON.parse', () => {
  const texts = [
    ...['{}', '[]', ' [ 1 , 2 ] ', '{"a":{"b":[null,true,false]}}', '"\\u00e9\\n\\"/"', '\t\r\n0', '-0.5e+10', '1E5'],
    ...['"\u2028 \ud800"', '"\\ud800"', '{"a":1,"a":2}', '{"__proto__":1}', '"\u007f"', '"/"'],
    ...['', ' ', '{', '}', '{"id":', '{"id":}', '{"id"}', '{id:1}', "{'id':1}", '{"a":1,}', '[1,]', '[,1]', '[1 2]'],
    ...[
      '01',
      '+1',
      '.5',
      '1.',
      '1e',
      '- 1',
      '0x1',
      'NaN',
      'Infinity',
      'undefined',
      'nul',
      'nulll',
      'True',
      'true false',
    ],
    ...['"', '"\n"', '"\u0000"', '"\\x41"', '"\\u12g4"', '"\\', '"a" "b"', '\ufeff{}', '\u00a0{}', '\v1', '[1]]', '[}'],
  ];
  test.each(texts)('agrees on %j', (text) => {
    expect(parseJson(text)).toEqual(parseByThrowing(text));
  });

  test('agrees on any damaged text', () => {
    const damaged = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.nat(5),
        fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', '0', 'e', '.'),
      )
      .map(([text, at, length, put]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + length);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.json(), fc.string()), (text) => {
        expect(parseJson(text)).toEqual(parseByThrowing(text));
      }),
      { numRuns: tries(3_000) },
    );
  });

  test('rejects JSON that is deeper or larger than any real document', () => {
    const nest = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nest(MAX_DEPTH))).not.toBeNull();
    expect(parseJson(nest(MAX_DEPTH + 1))).toBeNull();
    expect(parseJson(`[${nest(MAX_DEPTH - 1)},${nest(MAX_DEPTH - 1)}]`)).not.toBeNull();
    const list = (values: number): string => `[${'0,'.repeat(values - 2)}0]`;
    expect(parseJson(list(MAX_VALUES))).not.toBeNull();
    expect(parseJson(list(MAX_VALUES + 1))).toBeNull();
    expect(parseJson('['.repeat(1_000_000))).toBeNull();
    expect(parseJson('{"a":'.repeat(1_000_000))).toBeNull();
  });
});
