import { describe, expect, it } from 'vitest';
import { ApplyTally } from '../../src/apply/apply-tally.js';
import { type ErrorCode, SyncError } from '../../src/base/errors.js';
import type { PlannedChange } from '../../src/model/plan.js';
import { plannedOf } from './scripted-service.js';

/** The number of rejections in a row that prove a missing permission. */
const MOST = 3;

const of = (key: string, more: Partial<PlannedChange> = {}): PlannedChange => ({
  ...plannedOf('update', more),
  key,
  id: `id-${key}`,
});
const failure = (code: ErrorCode): SyncError => new SyncError(code, { message: `because ${code}`, remedy: 'Wait.' });

type End = 'done' | 'already so' | 'not taken' | ErrorCode;

/** Counts changes with these ends: `done` or an error code. */
function run(...ends: readonly End[]): ApplyTally {
  const tally = new ApplyTally();
  for (const [at, end] of ends.entries()) {
    const isResult = end === 'done' || end === 'already so' || end === 'not taken';
    tally.count(of(`E${at}`), isResult ? { result: end, error: null } : { result: 'refused', error: failure(end) });
  }
  return tally;
}

describe("the effect of a change's end on the remaining changes", () => {
  it('counts completed changes, including those that were done already', () => {
    expect(run('done', 'already so')).toMatchObject({ done: 2, failed: [], stopped: null });
  });

  it('counts a reactivation as one, and a relink that reactivates as both', () => {
    const tally = new ApplyTally();
    const done = { result: 'done', error: null } as const;
    tally.count(of('E1', { action: 'reactivate' }), done);
    expect(tally.counts).toEqual({ users: { reactivate: 1 } });
    tally.count(of('E2', { action: 'relink', after: { deactivated: false } }), done);
    expect(tally.counts).toEqual({ users: { reactivate: 2, relink: 1 } });
  });

  it('reports values that the service did not keep', () => {
    const { done, failed } = run('not taken');
    expect(done).toBe(0);
    expect(failed).toMatchObject([
      {
        entity: 'users',
        key: 'E0',
        change: 'id-E0',
        code: 'SYNC_WRITE_NOT_TAKEN',
        message: expect.stringContaining('values other than'),
        remedy: expect.stringContaining('do not map values'),
      },
    ]);
  });

  it('skips changes that need a value which a rejected field keeps', () => {
    const tally = new ApplyTally();
    for (const [key, field] of [
      ['E1', 'upn'],
      ['E2', 'title'],
    ] as const)
      tally.count(of(key), { result: 'not taken', error: failure('SYNC_FIELD_REFUSED'), unsent: [field] });
    expect(tally.explainBlock(of('E9', { needs: ['users:E1'] }))).toBe('users:E1 failed');
    expect(tally.explainBlock(of('E9', { needs: ['users:E2'] }))).toBeNull();
  });

  it('skips changes that need a failed one, but not after a rejected field', () => {
    const tally = run('SYNC_SERVICE_REFUSED', 'SYNC_FIELD_REFUSED');
    expect(tally.explainBlock(of('E9', { needs: ['users:E0'] }))).toBe('users:E0 failed');
    expect(tally.explainBlock(of('E9', { needs: ['users:E1'] }))).toBeNull();
    tally.block(of('E9'), 'users:E0 failed');
    expect(tally.failed.at(-1)).toMatchObject({
      ...{ code: 'SYNC_CHANGE_BLOCKED', message: 'Not tried: users:E0 failed.' },
      remedy: 'Fix the cause first; the next run then plans this change again.',
    });
    expect(tally.explainBlock(of('E10', { needs: ['users:E9'] }))).toBe('users:E9 failed');
  });

  const stops: readonly (readonly [readonly End[], string | null])[] = [
    [['SYNC_SERVICE_UNAUTHENTICATED'], 'SYNC_SERVICE_UNAUTHENTICATED'],
    [['SYNC_SERVICE_LIMITED'], 'SYNC_SERVICE_LIMITED'],
    [['SYNC_SERVICE_REFUSED', 'SYNC_SERVICE_FORBIDDEN'], null],
    [Array<End>(4).fill('SYNC_SERVICE_DOWN'), null],
    [Array<End>(5).fill('SYNC_SERVICE_DOWN'), 'SYNC_SERVICE_DOWN'],
    [Array<End>(5).fill('SYNC_SERVICE_UNKNOWN_OUTCOME'), 'SYNC_SERVICE_DOWN'],
    [[...Array<End>(4).fill('SYNC_SERVICE_DOWN'), 'done', 'SYNC_SERVICE_DOWN'], null],
    [[...Array<End>(4).fill('SYNC_SERVICE_DOWN'), 'SYNC_SERVICE_REFUSED', 'SYNC_SERVICE_DOWN'], null],
  ];
  it.each(stops)('after %o, stops with %s', (ends, code) => {
    expect(run(...ends).stopped?.code ?? null).toBe(code);
  });

  it('skips the rest of an entity that the key may not change', () => {
    const isClosed = (...ends: readonly End[]): boolean => run(...ends).explainBlock(of('E9')) !== null;
    const forbidden = (times: number): readonly End[] => Array<End>(times).fill('SYNC_SERVICE_FORBIDDEN');
    expect(run(...forbidden(MOST)).explainBlock(of('E9'))).toBe('the key has no permission to change this entity');
    expect(isClosed(...forbidden(MOST - 1))).toBe(false);
    expect(isClosed(...forbidden(MOST - 1), 'done', 'SYNC_SERVICE_FORBIDDEN')).toBe(false);
    expect(run(...forbidden(MOST)).explainBlock({ ...of('C1'), entity: 'customers' })).toBeNull();
  });
});
