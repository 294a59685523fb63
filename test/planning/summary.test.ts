import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { Unread } from '../../src/planning/reads/unread.js';
import { buildEvidence, buildMeta, newPlanId } from '../../src/planning/saved/summary.js';
import type { StreamRead } from '../../src/planning/staging/read-streams.js';
import type { StagedEntity } from '../../src/planning/staging/stage-sources.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { evidenceOf, observedOf, openTestStores } from '../samples.js';

const NOW = '2026-11-20T12:00:00.000Z';
const clock = { now: () => Date.parse(NOW), sleep: async () => undefined };
const stream = (source: string, more: Partial<StreamRead> = {}): StreamRead =>
  ({ source, evidence: evidenceOf({ source }), error: null, ...more }) as StreamRead;
const staged = (deciding: readonly StreamRead[], enriching: readonly StreamRead[] = []): readonly StagedEntity[] => [
  { entity: 'users', deciding, enriching } as unknown as StagedEntity,
];
const failed = new SyncError('SYNC_SERVICE_DOWN', { message: 'no answer', remedy: 'Wait.', place: 'https://x.test' });

describe('the description of a plan', () => {
  const config = loadSample(SAMPLE);
  const meta = (derived: object) =>
    buildMeta('p1', { config, clock, asOf: null }, {
      mirrorRead: { users: 'r7' },
      staged: [],
      undoes: undefined,
      only: null,
      ...derived,
    } as never);

  it('includes when it was created, when it expires, and when each source was read', () => {
    const reads = staged(
      [stream('hr'), stream('crm', { evidence: null })],
      [stream('idp', { evidence: evidenceOf({ source: 'idp', readAt: NOW }) })],
    );
    expect(meta({ staged: reads })).toEqual({
      ...{ plan: 'p1', created: NOW, expires: new Date(Date.parse(NOW) + config.plan.expiresMs).toISOString() },
      ...{ config: config.file, mirror: 'r7', reads: { hr: '2026-11-20T08:00:00.000Z', idp: NOW } },
    });
  });

  it('includes the run it undoes, and the only object it is about', () => {
    expect(meta({ undoes: 'r1', only: 'user:E1' })).toMatchObject({ undoes: 'r1', only: 'user:E1' });
    expect(Object.keys(meta({}))).not.toContain('only');
    expect(Object.keys(meta({}))).not.toContain('undoes');
  });

  it('shows in the id if a run created it for itself', () => {
    expect(newPlanId(clock, 'plan')).toMatch(/^p20261120T120000000Z-[0-9a-f]{6}$/);
    expect(newPlanId(clock, 'run')).toMatch(/^p20261120T120000000Z-[0-9a-f]{6}.+$/);
  });
});

describe('the evidence of a plan', () => {
  const ask = (reads: readonly StagedEntity[], unread: readonly Unread[] = [], absence: string | null = null) => {
    const stores = openTestStores();
    stores.mirror.save([observedOf('u1'), observedOf('u2', {}, { active: false })], 1);
    return buildEvidence(reads, unread, { stores, config: { policy: 'sync' } }, absence);
  };
  const nothing = { at: null, delivery: null, rows: null, rejected: null, complete: false, digest: null };

  it('includes each read of a source, and if it decides existence', () => {
    const live = stream('idp', {
      evidence: evidenceOf({ source: 'idp', kind: 'live', complete: false, incompleteBecause: 'a page was short' }),
    });
    const { sources, mirror } = ask(staged([stream('hr')], [live]));
    const same = { entity: 'users', at: '/drop/hr/employees-1.csv', rows: 100, rejected: 0, digest: 'd1' };
    expect(sources).toEqual([
      { ...same, source: 'hr', decides: true, delivery: 'employees-1.csv 100 1', complete: true, because: null },
      { ...same, source: 'idp', decides: false, delivery: null, complete: false, because: 'a page was short' },
    ]);
    expect(mirror).toEqual({ users: { all: 2, active: 1 } });
  });

  it('includes a failed source, and what the service did not show', () => {
    const unread = [{ leftAlone: ['projects', 'staffing'], error: failed }] as unknown as readonly Unread[];
    const { sources } = ask(staged([stream('hr', { evidence: null, error: failed })]), unread);
    expect(sources).toEqual([
      { ...nothing, entity: 'users', source: 'hr', decides: true, because: 'no answer' },
      {
        ...nothing,
        entity: 'projects, staffing',
        source: 'service',
        decides: true,
        because: 'no answer',
        at: 'https://x.test',
      },
    ]);
  });

  it('includes the reads that prove an absence, if there are any', () => {
    expect(ask([], [], 'proof')).toHaveProperty('absence', 'proof');
    expect(ask([])).not.toHaveProperty('absence');
  });
});
