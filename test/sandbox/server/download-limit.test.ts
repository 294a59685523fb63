import { describe, expect, test } from 'vitest';
import { buildDownloadLimit } from '../../../src/sandbox/server/download-limit.js';

describe('download limit', () => {
  test('counts no rejected download, and allows downloads again if the clock is set back', () => {
    const limit = buildDownloadLimit();
    expect([limit.take(10_000), limit.take(11_000), limit.take(12_000)]).toEqual([undefined, 1, undefined]);
    expect(limit.take(5_000)).toBeUndefined();
  });

  test('allows ten a minute at any pace', () => {
    const limit = buildDownloadLimit();
    for (let count = 0; count < 10; count += 1) expect(limit.take(count * 3000)).toBeUndefined();
    expect(limit.take(30_000)).toBe(30);
    expect(limit.take(60_000)).toBeUndefined();
  });
});
