import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { countChanges } from '../../src/app/watch-progress.js';
import { isInCi, wantsColor } from '../../src/cli/context.js';
import { createProgress } from '../../src/cli/progress.js';
import type { ProgressStep } from '../../src/model/progress.js';
import { describeStep } from '../../src/report/texts/progress-text.js';

const STEP = { step: 'reading hr', of: 'rows', more: 100, total: 100_000 };

describe('progress', () => {
  it('shows total, rate and time left, or only a count without a total', () => {
    const half = { startedMs: 0, done: 50_000 };
    expect(describeStep({ ...STEP, ...half }, 10_000)).toBe('reading hr: 50,000 of 100,000 rows, 5,000/s, 10 s left');
    expect(describeStep({ ...STEP, ...half, total: null }, 10_000)).toBe('reading hr: 50,000 rows, 5,000/s');
    expect(describeStep({ ...STEP, ...half, total: 40_000 }, 10_000)).toBe('reading hr: 50,000 rows, 5,000/s');
    expect(describeStep({ ...STEP, startedMs: 0, done: 100 }, 5)).toBe('reading hr: 100 of 100,000 rows');
  });

  it('counts the people of an import separately, and asks for the total once', () => {
    const told: ProgressStep[] = [];
    const count = vi.fn(() => ({ imported: 5_000, others: 3 }));
    const onChange = countChanges(count, (step) => void told.push(step));
    for (const change of [{ batch: 'import:hr' }, {}, { batch: 'links:P1' }]) onChange(change);
    expect(told.map(({ step, total }) => [step, total])).toEqual([
      ['waiting for the import', 5_000],
      ['applying', 3],
      ['applying', 3],
    ]);
    expect(count).toHaveBeenCalledTimes(1);
  });

  it('prints a line every ten seconds without a terminal, so short steps print nothing', () => {
    const stderr = new PassThrough();
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const progress = createProgress({ stderr, env: {} });
      progress.on(STEP);
      now.mockReturnValue(9_000);
      progress.on(STEP);
      expect(stderr.read()).toBeNull();
      now.mockReturnValue(11_000);
      progress.on(STEP);
      progress.on(STEP);
      progress.clear();
      expect(String(stderr.read())).toMatch(/^reading hr: 300 of 100,000 rows, \d+\/s, \d+ min left\n$/);
      expect(stderr.read()).toBeNull();
    } finally {
      now.mockRestore();
    }
  });

  it('draws the step on a terminal', async () => {
    const stderr = Object.assign(new PassThrough(), {
      isTTY: true,
      columns: 80,
      clearLine: () => true,
      cursorTo: () => true,
      moveCursor: () => true,
    });
    const progress = createProgress({ stderr, env: {} });
    for (let i = 0; i < 40; i += 1) {
      progress.on(STEP);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    progress.clear();
    expect(String(stderr.read())).toContain('reading hr: ');
  });
});

describe('colours', () => {
  const look = (env: NodeJS.ProcessEnv, isTTY: boolean): boolean =>
    wantsColor({ stdout: Object.assign(new PassThrough(), { isTTY }), env });

  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ CI: 'true' }, false, false],
  ])('%o on a terminal %s: %s', (env, isTTY, wanted) => {
    expect(look(env, isTTY)).toBe(wanted);
  });

  it('recognises a build server by CI', () => {
    expect([isInCi({ CI: 'true' }), isInCi({ CI: '1' }), isInCi({ CI: 'false' }), isInCi({})]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
