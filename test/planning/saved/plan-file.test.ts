import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batches } from '../../../src/base/clock.js';
import { SyncError } from '../../../src/base/errors.js';
import type { Json } from '../../../src/model/json.js';
import type { PlannedChange } from '../../../src/model/plan.js';
import type { PlannedSourceChange } from '../../../src/model/write-back.js';
import { openPlanDocument } from '../../../src/planning/saved/plan-document.js';
import {
  findPlanFile,
  type PlanMeta,
  type PlanParts,
  type PlanSummary,
  prunePlans,
  writePlan,
} from '../../../src/planning/saved/plan-file.js';
import { readPlan } from '../../../src/planning/saved/read-plan.js';
import { createFingerprint } from '../../../src/reconcile/build-change.js';
import { tries } from '../../depth.js';
import { changeOf, makeFolder, PLAN_KEY } from '../../samples.js';

const META: PlanMeta = {
  plan: 'p20261120T080000000Z-abcdef',
  created: '2026-11-20T08:00:00.000Z',
  expires: '2026-11-21T08:00:00.000Z',
  config: '/etc/acme.yaml',
  mirror: 'feed',
};
const SUMMARY: PlanSummary = {
  declined: [],
  counts: { users: { create: 1 } },
  toSources: {},
  cost: { writes: 1, reads: 0, by_endpoint: {}, seconds: 0.1 },
  held: 0,
  heldCounts: { records: 0, fields: 0, conflicts: 0 },
  waiting: 0,
  guards: [],
  bulkLoad: null,
  deliveries: [],
  nearMisses: [],
  evidence: { sources: [], mirror: null },
  adoption: null,
  understood: null,
};

const HOLD = { entity: 'users', key: 'E9', place: 'p', code: 'SYNC_MAP_VALUE', reason: 'r', remedy: 'm' };
const PARTS: PlanParts = { meta: META, changes: [], back: [], holds: [HOLD], summary: SUMMARY };
const BACK: PlannedSourceChange = {
  ...{ id: 'b1', source: 'hr', record: 'E1', entity: 'users', key: 'E1', label: 'Jane', place: 'hr.csv:2', cells: [] },
  ...{ reason: 'the service knows it better', needs: [], withheld: null, approval: null },
};

function planned(key: string, more: Partial<PlannedChange> = {}): PlannedChange {
  return { ...changeOf('users', key), stage: 3000, withheld: null, approval: null, ...more };
}

function write(changes: readonly PlannedChange[], folder = makeFolder()) {
  return writePlan(folder, { ...PARTS, changes }, PLAN_KEY, undefined);
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SyncError) return error.code;
    throw error;
  }
  return 'none';
}

describe('writePlan and readPlan', () => {
  it('writes one JSON document with one change per line, for its owner alone', async () => {
    const changes = [planned('E1'), planned('E2', { withheld: { by: 'guard', name: 'users.create' } })];
    const { file, fingerprint } = await write(changes);
    const text = readFileSync(file, 'utf8');
    const whole = JSON.parse(text) as Readonly<Record<string, unknown>>;
    expect(Object.keys(whole)).toEqual([
      'format',
      'meta',
      'toService',
      'toSources',
      'held',
      'counts',
      'source_counts',
      'guards',
      'bulk_load',
      'evidence',
      'cost',
      'fingerprint',
      'sha256',
      'seal',
    ]);
    expect(whole.toService).toEqual(changes);
    expect(whole.meta).toEqual(META);
    expect(text.split('\n').filter((line) => line.startsWith('{"action"')).length).toBe(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual([`${META.plan}.json`]);
    expect(whole.fingerprint).toBe(fingerprint);
  });

  it('compute the fingerprint from the ids in their order', async () => {
    const expected = createFingerprint();
    for (const id of ['id-users-E1', 'id-users-E2']) expected.add(id);
    expect((await write([planned('E1'), planned('E2')])).fingerprint).toBe(expected.digest());
  });

  it('give the same bytes for the same input', async () => {
    const [one, two] = [await write([planned('E1')]), await write([planned('E1')])];
    expect(readFileSync(one.file, 'utf8')).toBe(readFileSync(two.file, 'utf8'));
  });

  it('read back what was written, even an empty plan and any values', async () => {
    const values = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    }) as fc.Arbitrary<Record<string, Json>>;
    const change = fc
      .record({
        key: fc.string({ unit: 'binary' }),
        label: fc.string({ unit: 'binary' }),
        after: values,
        id: fc.uuid(),
      })
      .map(({ key, label, after, id }) => planned(key, { label, after, id }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 5 }), async (changes) => {
        const { file, fingerprint } = await write(changes);
        const saved = await readPlan(file, PLAN_KEY);
        expect(saved).toEqual({
          meta: META,
          file,
          fingerprint,
          guards: [],
          toSources: [],
          changes: changes.map(({ id, entity, action, key, label, fields, withheld }) => ({
            id,
            entity,
            action,
            key,
            label,
            fields,
            withheld,
          })),
        });
      }),
      { numRuns: tries(60) },
    );
  });

  it('read a name with a Unicode line separator', async () => {
    const changes = [planned('E1', { label: 'Jane\u2028Doe\u2029 \u0085\r' })];
    expect((await readPlan((await write(changes)).file, PLAN_KEY)).changes[0]?.label).toBe(
      'Jane\u2028Doe\u2029 \u0085\r',
    );
  });

  it('read a plan without its last line feed', async () => {
    const { file } = await write([planned('E1')]);
    writeFileSync(file, readFileSync(file, 'utf8').trimEnd());
    expect((await readPlan(file, PLAN_KEY)).changes).toHaveLength(1);
  });

  it('handle a plan of 3,000 changes over many blocks', async () => {
    const changes = Array.from({ length: 3_000 }, (_, i) => planned(`E${i}`));
    expect((await readPlan((await write(changes)).file, PLAN_KEY)).changes.length).toBe(3_000);
  });

  it('find a plan damaged that is truncated anywhere', async () => {
    const { file } = await write([planned('E1'), planned('E2')]);
    const text = readFileSync(file, 'utf8');
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 2), async (length) => {
        writeFileSync(file, text.slice(0, length));
        expect(await codeOf(readPlan(file, PLAN_KEY))).toBe('SYNC_PLAN_DAMAGED');
      }),
      { numRuns: tries(100) },
    );
  });

  it('find a plan damaged if any bit is flipped', async () => {
    const { file } = await write([planned('E1'), planned('E2')]);
    const bytes = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        writeFileSync(file, flipped);
        expect(
          await codeOf(readPlan(file, PLAN_KEY)),
          `byte ${at}: ${bytes.subarray(at - 20, at + 20).toString()}`,
        ).toBe('SYNC_PLAN_DAMAGED');
      }),
      { numRuns: tries(400) },
    );
  });

  it('find a plan damaged if lines are swapped, doubled or removed', async () => {
    const { file } = await write([planned('E1'), planned('E2'), planned('E3')]);
    const lines = readFileSync(file, 'utf8').split('\n');
    const [a = '', b = '', c = ''] = lines.slice(2, 5);
    for (const middle of [[b, a, c], [a, a, b, c], [b, c], [a]]) {
      writeFileSync(file, [...lines.slice(0, 2), ...middle, ...lines.slice(5)].join('\n'));
      expect(await codeOf(readPlan(file, PLAN_KEY))).toBe('SYNC_PLAN_DAMAGED');
    }
  });

  it('explain an unusable plan and what to do', async () => {
    const { file } = await write([planned('E1')]);
    const text = readFileSync(file, 'utf8');
    const fails = async (content: string, key = PLAN_KEY): Promise<readonly (string | undefined)[]> => {
      writeFileSync(file, content);
      const error: unknown = await readPlan(file, key).catch((found: unknown) => found);
      return error instanceof SyncError ? [error.message, error.place, error.remedy] : [];
    };
    const again = 'Create a new one with `talent-sync plan`';
    expect(await fails(text.replace('id-users-E1', 'id-users-E2'))).toEqual([
      ...['The plan was truncated or edited: its fingerprint does not match.', file, `${again}.`],
    ]);
    expect(await fails('')).toEqual([expect.stringContaining('its fingerprint does not match'), file, `${again}.`]);
    expect((await fails('{\n'))[0]).toMatch(/^The plan was truncated or edited: .+\.$/);
    expect(await fails(text, '0e0e'.repeat(16))).toEqual([
      expect.stringContaining('The seal of the plan does not match'),
      file,
      `${again}; approvals stay valid.`,
    ]);
    expect((await fails(text.replace(/,"seal":"[^"]*"/, '')))[0]).toContain('An earlier version created this plan');
  });

  it('let other work have its turn, and stop there when asked to', async () => {
    const many = Array.from({ length: 500 }, (_, at) => planned(`E${at}`));
    const stopped = AbortSignal.abort(new Error('stopped'));
    const save = (changes: readonly PlannedChange[]) =>
      writePlan(makeFolder(), { ...PARTS, changes }, PLAN_KEY, stopped);
    await expect(save(many)).rejects.toThrow('stopped');
    expect((await save(many.slice(1))).file).toContain(META.plan);
  });

  it('report where a plan cannot be written, and what to check', async () => {
    const file = join(makeFolder(), 'no folder');
    writeFileSync(file, '');
    const error: unknown = await write([], file).catch((found: unknown) => found);
    expect(error).toMatchObject({
      ...{ code: 'SYNC_STATE_UNUSABLE', place: join(file, `${META.plan}.json`) },
      message: expect.stringMatching(/^The plan cannot be written: ./),
      remedy: 'Check that the state folder is writable and the disk is not full.',
    });
  });

  it('leave no file under the name of a plan that could not be written completely', async () => {
    const folder = makeFolder();
    function* broken(): Iterable<PlannedChange> {
      yield planned('E1');
      throw new Error('disk full');
    }
    const parts = { meta: META, changes: broken(), back: [], holds: [], summary: SUMMARY };
    await expect(writePlan(folder, parts, PLAN_KEY, undefined)).rejects.toThrow('disk full');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a saved plan with all its parts', () => {
  const list = async <T>(rows: Batches<T>): Promise<readonly T[]> => {
    const all: T[] = [];
    for await (const batch of rows) all.push(...batch);
    return all;
  };
  const summary: PlanSummary = {
    ...SUMMARY,
    toSources: { hr: { records: 1, cells: 1 } as never },
    deliveries: [{ name: 'seats' } as never],
    nearMisses: [{ source: 'hr', column: 'phone', records: 2, examples: ['E1'] }],
    adoption: [{ entity: 'users' } as never],
    bulkLoad: { batch: 'b' } as never,
  };

  it('is read back unchanged, and its lists can be read twice', async () => {
    const changes = [planned('E1'), planned('E2')];
    const { file, fingerprint } = await writePlan(
      makeFolder(),
      { ...PARTS, changes, back: [BACK], summary },
      PLAN_KEY,
      undefined,
    );
    const plan = await openPlanDocument(file, PLAN_KEY);
    const { held: _held, heldCounts: _counts, waiting: _waiting, toSources, ...told } = summary;
    expect(plan).toMatchObject({ ...told, file, fingerprint, meta: META, sourceCounts: toSources });
    for (let times = 0; times < 2; times += 1) {
      expect(await list(plan.changes())).toEqual(changes);
      expect(await list(plan.toSources())).toEqual([BACK]);
      expect(await list(plan.holds())).toEqual(PARTS.holds);
    }
    const saved = await readPlan(file, PLAN_KEY);
    expect(saved.changes.map(({ key }) => key)).toEqual(['E1', 'E2']);
    const { id, source, record, entity, key, label, withheld } = BACK;
    expect(saved.toSources).toEqual([{ id, source, record, entity, key, label, withheld, columns: [] }]);
  });

  it('leaves out empty parts', async () => {
    const { file } = await writePlan(makeFolder(), { ...PARTS, holds: [] }, PLAN_KEY, undefined);
    const plan = await openPlanDocument(file, PLAN_KEY);
    expect(plan).toMatchObject({ adoption: null, bulkLoad: null, deliveries: [], nearMisses: [], sourceCounts: {} });
    for (const rows of [plan.changes(), plan.toSources(), plan.holds()]) expect(await list<unknown>(rows)).toEqual([]);
    expect(readFileSync(file, 'utf8')).not.toMatch(/adoption|near_misses|deliveries/);
  });
});

describe('findPlanFile and prunePlans', () => {
  it('find a plan by id with or without extension, by path, and as the newest', async () => {
    const folder = makeFolder();
    for (const name of ['p1', 'p3', 'p2']) writeFileSync(join(folder, `${name}.json`), '');
    writeFileSync(join(folder, 'p9.json.partial'), '');
    expect(findPlanFile(folder, 'p2', 'all')).toBe(join(folder, 'p2.json'));
    expect(findPlanFile(folder, 'p2.json', 'all')).toBe(join(folder, 'p2.json'));
    expect(findPlanFile(makeFolder(), join(folder, 'p1.json'), 'all')).toBe(join(folder, 'p1.json'));
    expect(findPlanFile(folder, null, 'all')).toBe(join(folder, 'p3.json'));
    writeFileSync(join(folder, 'p4-run.json'), '');
    expect(findPlanFile(folder, null, 'all')).toBe(join(folder, 'p4-run.json'));
    expect(findPlanFile(folder, null, 'planned')).toBe(join(folder, 'p3.json'));
    expect(await codeOf(Promise.resolve().then(() => findPlanFile(folder, 'p4', 'all')))).toBe('SYNC_PLAN_MISSING');
    expect(await codeOf(Promise.resolve().then(() => findPlanFile(makeFolder(), null, 'all')))).toBe(
      'SYNC_PLAN_MISSING',
    );
    expect(await codeOf(Promise.resolve().then(() => findPlanFile(join(folder, 'none'), null, 'all')))).toBe(
      'SYNC_PLAN_MISSING',
    );
  });

  it('keep the newest 200', () => {
    const folder = makeFolder();
    const names = Array.from({ length: 203 }, (_, i) => `p${String(i).padStart(3, '0')}.json`);
    for (const name of names) writeFileSync(join(folder, name), '');
    prunePlans(folder);
    expect(readdirSync(folder).toSorted()).toEqual(names.slice(3));
    prunePlans(folder);
    expect(readdirSync(folder).length).toBe(200);
  });
});
