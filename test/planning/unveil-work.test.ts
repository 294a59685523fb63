import { describe, expect, it } from 'vitest';
import type { Json, Values } from '../../src/model/json.js';
import { loseHidden, unveilWorks } from '../../src/planning/undo/unveil-work.js';
import { foldRun, type RunEntry } from '../../src/reconcile/undo/run-work.js';
import { pseudonymOf } from '../../src/store/audit/pseudonyms.js';
import type { Stores } from '../../src/store/open-stores.js';
import { observedOf, openTestStores } from '../samples.js';

const KEY = 'k'.repeat(64);
const veil = (text: string): string => pseudonymOf(KEY, text);

function workOf(before: Values, after: Values, more: Partial<RunEntry> = {}) {
  const entry: RunEntry = {
    ...{ change: 'c1', entity: 'users', action: 'update', key: 'E1', target: 'u1', label: veil('Jane') },
    ...{ cause: { kind: 'changed' }, before, after, result: 'done', pseudonymised: true, ...more },
  };
  const [work] = foldRun([entry]);
  if (work === undefined) throw new Error('nothing was done');
  return work;
}

/** @param now the values of the object; null if it does not exist */
function unveil(work: ReturnType<typeof workOf>, now: Values | null, key: string | null = KEY) {
  const stores = openTestStores();
  const { entity } = work;
  if (now !== null) stores.mirror.save([observedOf('u1', now, { entity, label: 'Jane now' })], 1);
  const joe = { email: 'joe@x.test', external_unique_id: 'E7', upn: 'joe@upn.test' };
  stores.mirror.save([observedOf('u7', joe)], 1);
  const audit = { ...stores.audit, pseudonymKey: () => key };
  const [found] = unveilWorks([work], { ...stores, audit } as Stores);
  if (found === undefined) throw new Error('it is gone');
  return found;
}

describe('the work of a run, read from pseudonyms', () => {
  interface Row {
    readonly was: Values;
    readonly wrote: Values;
    readonly now: Values | null;
    readonly before: Values;
    readonly after: Values;
    readonly lost: readonly string[];
  }
  const rows: Readonly<Record<string, Row>> = {
    'the written value exists, and the old value was empty': {
      ...{ was: { telephone: null }, wrote: { telephone: veil('1') }, now: { telephone: '1' } },
      ...{ before: { telephone: null }, after: { telephone: '1' }, lost: [] },
    },
    'the written value exists, and the old value is lost': {
      ...{ was: { telephone: veil('0') }, wrote: { telephone: veil('1') }, now: { telephone: '1' } },
      ...{ before: {}, after: {}, lost: ['telephone'] },
    },
    'the old value is back': {
      ...{ was: { telephone: veil('0') }, wrote: { telephone: veil('1') }, now: { telephone: '0' } },
      ...{ before: { telephone: '0' }, after: { telephone: veil('1') }, lost: [] },
    },
    'a value changed only in its capitals': {
      ...{ was: { name: veil('jane') }, wrote: { name: veil('jane') }, now: { name: 'Jane' } },
      ...{ before: {}, after: {}, lost: ['name'] },
    },
    'a value without a pseudonym stays': {
      ...{ was: { born_year: 1980 }, wrote: { born_year: 1990 }, now: { born_year: 1990 } },
      ...{ before: { born_year: 1980 }, after: { born_year: 1990 }, lost: [] },
    },
    'each language is treated separately': {
      was: { title: { en: 'a', no: veil('b') } },
      wrote: { title: { en: veil('c'), no: veil('d') } },
      now: { title: { en: 'c', no: 'd' } },
      ...{ before: { title: { en: 'a' } }, after: { title: { en: 'c' } }, lost: ['title.no'] },
    },
    'fields missing from the audit log are not added': {
      ...{ was: {}, wrote: { telephone: veil('1') }, now: { telephone: '1' } },
      ...{ before: {}, after: { telephone: '1' }, lost: [] },
    },
    'the object is gone': {
      ...{ was: { telephone: null }, wrote: { telephone: veil('1') }, now: null },
      ...{ before: { telephone: null }, after: { telephone: veil('1') }, lost: [] },
    },
  };
  it.each(Object.entries(rows))('is restored as far as possible: %s', (_, { was, wrote, now, before, after, lost }) => {
    const found = unveil(workOf(was, wrote), now);
    expect({ before: found.before, after: found.after, lost: found.lost }).toEqual({ before, after, lost });
    expect(found.label).toBe(now === null ? veil('Jane') : 'Jane now');
  });

  it('finds people of the account by any of their names, and may lose an item of a list', () => {
    const owners = (was: readonly Json[], wrote: readonly Json[]) => {
      const work = workOf({ owners: was as Json }, { owners: wrote as Json }, { entity: 'projects' });
      const { before, after, lost } = unveil(work, {});
      return { was: before.owners, wrote: after.owners, lost };
    };
    for (const name of ['joe@x.test', 'E7', 'joe@upn.test', 'u7'])
      expect(owners([veil(name)], []), name).toEqual({ was: [name], wrote: [], lost: [] });
    expect(owners([veil('gone@x.test'), veil('E7')], [veil('E7')])).toEqual({
      was: ['E7'],
      wrote: ['E7'],
      lost: ['owners'],
    });
  });

  it('does not look up people for a field that names nobody', () => {
    const found = unveil(workOf({ telephone: veil('E7') }, { telephone: veil('1') }), { telephone: '1' });
    expect(found).toMatchObject({ before: {}, lost: ['telephone'] });
  });

  it('stays unchanged without pseudonyms or without their key', () => {
    const plain = { ...workOf({ telephone: '0' }, { telephone: '1' }), pseudonymised: false };
    expect(unveil(plain, { telephone: '1' })).toEqual(plain);
    const veiled = workOf({ telephone: veil('0') }, { telephone: veil('1') });
    expect(unveil(veiled, { telephone: '1' }, null)).toEqual(veiled);
  });
});

describe('a secret in the work of a run', () => {
  it('cannot be put back, so its field is lost while the others stay', () => {
    const work = workOf(
      { name: '[secret]', telephone: '0', title: { en: 'a' } },
      { name: 'x', telephone: '1', title: { en: '[secret]' } },
    );
    expect(loseHidden(work)).toMatchObject({
      before: { telephone: '0' },
      after: { telephone: '1' },
      lost: ['name', 'title'],
    });
    const plain = workOf({ telephone: '0' }, { telephone: '1' });
    expect(loseHidden(plain)).toBe(plain);
  });
});
