import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Observed } from '../../../src/model/observed.js';
import { deriveUndo, findWorks, isFullReadCheaper } from '../../../src/planning/undo/derive-undo.js';
import type { RunWork } from '../../../src/reconcile/undo/run-work.js';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry } from '../../../src/store/audit/audit-log.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { change, loadSample, SAMPLE } from '../../config/sample.js';
import { catchError, linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, NOW } from '../world.js';

/** The changes of a run, and of runs before and after it. */
function open(
  ...entries: readonly (Partial<AuditEntry> & { readonly entity: Entity; readonly key: string })[]
): Stores {
  const stores = openTestStores();
  for (const [at, { entity, key, ...more }] of entries.entries())
    appendEntry(stores.audit, {
      ...{
        kind: 'change',
        change: `c${at}`,
        entity,
        key,
        action: 'update',
        target: `u-${key}`,
        label: key,
        place: 'p',
      },
      ...{ before: {}, after: {}, cause: { kind: 'changed', text: 'x' }, calls: [], result: 'done', error: null },
      ...{ run: 'r1', at: NOW, approval: null },
      ...more,
    });
  return stores;
}

async function undo(stores: Stores, mirror: readonly Observed[], text: string = SAMPLE) {
  for (const object of mirror) linkTo(stores, object.entity, object.id.replace('u-', ''), object);
  const { context, calls } = contextOf({ stores, config: loadSample(text) });
  const derivation = await deriveUndo(context, { run: 'r1', reason: 'wrong file' }, findWorks(stores, 'r1', null));
  const plan = [...stores.work.inOrder('all')].map(({ action, entity, key, after }) => ({
    what: `${action} ${entity}:${key}`,
    after,
  }));
  const holds = [...stores.work.holds()].map(({ key, code, reason }) => [key, code, reason] as const);
  return { derivation, calls, plan, holds };
}

describe('the work of a run', () => {
  it('is read from the audit log, object by object', () => {
    const stores = open(
      { entity: 'users', key: 'E1' },
      { entity: 'users', key: 'E2' },
      { entity: 'users', key: 'E3', run: 'r0' },
    );
    expect(findWorks(stores, 'r1', null).map(({ key }) => key)).toEqual(['E1', 'E2']);
    expect(findWorks(stores, 'r1', 'user:E2').map(({ key }) => key)).toEqual(['E2']);
  });

  it('is an error for an unknown run, or if the run did nothing to the selected object', () => {
    const stores = open({ entity: 'users', key: 'E1' });
    expect(catchError(() => findWorks(stores, 'r9', null))).toMatchObject({
      ...{ code: 'SYNC_NOT_FOUND', place: 'undo', remedy: '`talent-sync runs` lists the runs that are kept.' },
      message: 'There is no run r9, neither in the history nor in the audit log.',
    });
    expect(catchError(() => findWorks(stores, 'r1', 'user:E9'))).toMatchObject({
      ...{ code: 'SYNC_NOT_FOUND', message: 'The run r1 did not change user:E9.', place: '--only' },
      remedy: '`talent-sync audit list --run r1` shows what it did.',
    });
    stores.history.startRun({ id: 'r9', command: 'sync', startedAt: NOW, configDigest: 'c' });
    expect(findWorks(stores, 'r9', null)).toEqual([]);
  });

  it('is compared with the complete account if it is on more people than there are pages', () => {
    const works = (people: number) =>
      ['offices', ...Array.from({ length: people }, () => 'users')].map((entity) => ({
        entity,
      })) as unknown as readonly RunWork[];
    expect([
      isFullReadCheaper(works(1), 0),
      isFullReadCheaper(works(2), 499),
      isFullReadCheaper(works(2), 500),
    ]).toEqual([...[false, true, false]]);
  });
});

describe('the plan of an undo', () => {
  it('restores the old values if the service still holds those of the run', async () => {
    const stores = open(
      { entity: 'users', key: 'E1', before: { telephone: '1' }, after: { telephone: '2' } },
      { entity: 'users', key: 'E2', before: { telephone: '1' }, after: { telephone: '2' } },
    );
    const { plan, holds, derivation } = await undo(stores, [
      observedOf('u-E1', { telephone: '2' }),
      observedOf('u-E2', { telephone: '3' }),
    ]);
    expect(plan).toEqual([{ what: 'update users:E1', after: { telephone: '1' } }]);
    expect(holds.map(([key]) => key)).toEqual(['E2']);
    expect(derivation).toMatchObject({ isUndo: true, staged: [], stopped: [], unread: [] });
    expect(derivation.evidenceOf('users')).toEqual({
      configurationChanged: false,
      rowsBefore: null,
      rowsNow: 0,
      undoes: 'r1',
    });
    const { leavers } = derivation;
    const asked = [leavers.explicit, leavers.absent, leavers.outOfScope].map((judge) => judge('users', 'E1'));
    for (const verdict of [...asked, leavers.gone('users', 'E1', 'hr')])
      expect(verdict).toEqual({ due: false, text: 'the sources are not read' });
    expect([leavers.toAsk(), leavers.proof(), derivation.settingsOf('users')]).toEqual([[], null, null]);
  });

  it('leaves alone what the service does not show', async () => {
    const stores = open({ entity: 'users', key: 'E1', before: { telephone: '1' }, after: { telephone: '2' } });
    linkTo(stores, 'users', 'E1', observedOf('u-E1', { telephone: '2' }));
    const { context } = contextOf({ stores });
    await context.refused.attempt('users', async () => {
      throw new SyncError('SYNC_SERVICE_FORBIDDEN', { message: 'no', remedy: 'Ask.' });
    });
    const derivation = await deriveUndo(context, { run: 'r1', reason: '' }, findWorks(stores, 'r1', null));
    expect(stores.work.count('all')).toBe(0);
    expect(derivation.unread.map(({ area }) => area)).toEqual(['users']);
  });

  const office = observedOf('u-O1', { country: 'no', name: 'Lund' }, { entity: 'offices' });
  const madeOffice = {
    entity: 'offices',
    key: 'O1',
    action: 'create',
    after: { country: 'no', name: 'Lund' },
  } as const;
  it('deletes an office that the run created and nobody is in', async () => {
    expect((await undo(open(madeOffice), [office])).plan.map(({ what }) => what)).toEqual(['delete offices:O1']);
    const inIt = observedOf('u-E1', { office_id: 'u-O1' });
    const { plan, holds } = await undo(open(madeOffice), [office, inIt]);
    expect(plan).toEqual([]);
    expect(holds[0]?.[2]).toContain('label of u-E1');
  });

  const category = observedOf(
    'u-G1',
    { external_unique_id: 'unit', can_be_used_for_cvs: true },
    { entity: 'tag_categories' },
  );
  const tag = observedOf('u-T1', { category_id: 'u-G1', external_unique_id: 'north' }, { entity: 'tags' });
  const made = {
    entity: 'tags',
    key: 'T1',
    action: 'create',
    after: { category: 'unit', external_unique_id: 'north' },
  } as const;
  const gave = (key: string, name: string, more: Partial<AuditEntry> = {}) =>
    ({ run: 'r2', after: { tags: { unit: name } }, ...more, entity: 'users', key }) as const;
  const TAGS = `${SAMPLE}    tags: { unit: record.dept }\n`;

  it.each<readonly [what: string, others: readonly ReturnType<typeof gave>[], isDeleted: boolean]>([
    ['nobody else has given it', [], true],
    ['another run has given it', [gave('E1', 'north')], false],
    ['another run has given another one', [gave('E1', 'south')], true],
    ['the person has been given another one since', [gave('E1', 'north'), gave('E1', 'south', { run: 'r3' })], true],
    ['the service rejected the other change', [gave('E1', 'north', { result: 'refused' })], true],
    ['the other change was lost', [gave('E1', 'north', { result: 'lost' })], true],
    [
      'another field was written since',
      [gave('E1', 'north'), gave('E1', 'x', { run: 'r3', after: { title: { unit: 'x' } } })],
      false,
    ],
    [
      'another category was written since',
      [gave('E1', 'north'), gave('E1', 'x', { after: { tags: { kind: 'x' } } })],
      false,
    ],
    ['it is one of several on a CV', [gave('E1', 'x', { after: { cv_tags: { unit: ['south', 'north'] } } })], false],
  ])('deletes a tag that the run created, or keeps it: %s', async (_what, others, isDeleted) => {
    const { plan, holds } = await undo(open(made, ...others), [category, tag], TAGS);
    expect(plan.map(({ what }) => what)).toEqual(isDeleted ? ['delete tags:T1'] : []);
    expect(holds.some(([, , reason]) => reason.includes('other runs have given it to users:E1'))).toBe(!isDeleted);
  });

  it('keeps a category that the run created if somebody else put a tag into it', async () => {
    const madeCategory = { entity: 'tag_categories', key: 'G1', action: 'create', after: category.values } as const;
    expect((await undo(open(madeCategory), [category], TAGS)).plan.map(({ what }) => what)).toEqual([
      'delete tag_categories:G1',
    ]);
    const { plan, holds } = await undo(open(madeCategory), [category, tag], TAGS);
    expect(plan).toEqual([]);
    expect(holds[0]?.[2]).toContain('label of u-T1');
  });

  it('ignores the rules of fields', async () => {
    const text = change('telephone: record.?phone', 'telephone: { value: record.?phone, apply: create }', SAMPLE);
    const stores = open({ entity: 'users', key: 'E1', before: { telephone: '1' }, after: { telephone: '2' } });
    expect((await undo(stores, [observedOf('u-E1', { telephone: '2' })], text)).plan).toHaveLength(1);
  });
});
