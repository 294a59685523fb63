import { describe, expect, it } from 'vitest';
import { buildBatch, forecastCalls } from '../../../src/apply/calls.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Change } from '../../../src/model/plan.js';
import { changeOf, observedOf } from '../../samples.js';
import { failing, look, only, stepsOf, type World } from '../step-world.js';

const oslo = observedOf('o1', { country_id: 'c1', country: 'no', name: 'Oslo' }, { entity: 'offices' });
const north = observedOf('t1', { category_id: 'g:unit' }, { entity: 'tags' });
const south = observedOf('t2', { category_id: 'g:unit' }, { entity: 'tags' });
const made = (entity: Entity, after: object): Change =>
  changeOf(entity, 'K', { after: { ...after }, fields: Object.keys(after) });
const moved = (entity: Entity, target: string, after: object): Change => ({
  ...made(entity, after),
  ...{ action: 'update', target },
});
const gone = (entity: Entity, target: string): Change => changeOf(entity, 'K', { action: 'delete', target });
/** Countries with their offices, and categories with their tags, as the service lists them. */
const PLACES = [{ id: 'c:no', code: 'no', offices: [{ id: 'o1', name: 'Oslo' }] }];
const CATEGORIES = [
  { id: 'g:unit', external_unique_id: 'unit', custom_tags: [{ id: 't1', external_unique_id: 'north' }] },
  { id: 'g:grade', external_unique_id: 'grade', custom_tags: [{ id: 't3', external_unique_id: 'north' }] },
];
const READS = { 'countries.list': PLACES, 'tags.listCategories': CATEGORIES };

interface Row {
  readonly change: Change;
  /** The answer to the call. */
  readonly answer?: unknown;
  /** Name, endpoint and whether it may be repeated. */
  readonly step: readonly [string, string, 'idempotent' | 'probe'];
  readonly sent: string;
  /** The values of the answered object. */
  readonly shown: object | null;
}

const TABLE: Readonly<Record<string, Row>> = {
  'a created country': {
    ...{ change: made('countries', { code: 'se' }), answer: { id: 'c9', code: 'se', offices: [] } },
    ...{ step: ['create', 'createCountry', 'probe'], sent: 'countries.create [{"code":"se"}]', shown: { code: 'se' } },
  },
  'a changed country': {
    change: moved('countries', 'c:no', { native_language_code: 'no' }),
    ...{ answer: { id: 'c:no', code: 'no', offices: [] }, step: ['update', 'updateCountry', 'idempotent'] },
    ...{ sent: 'countries.update ["c:no",{"native_language_code":"no"}]', shown: { code: 'no' } },
  },
  'a created office': {
    ...{ change: made('offices', { country: 'NO', name: 'Hamar' }), answer: { id: 'o9', name: 'Hamar' } },
    step: ['create', 'createOffice', 'probe'],
    ...{ sent: 'countries.createOffice ["c:no",{"name":"Hamar"}]', shown: { country_id: 'c:no', name: 'Hamar' } },
  },
  'a changed office': {
    ...{ change: moved('offices', 'o1', { name: 'Oslo S' }), answer: { id: 'o1', name: 'Oslo S' } },
    step: ['update', 'updateOffice', 'idempotent'],
    sent: 'countries.updateOffice ["c1","o1",{"name":"Oslo S"}]',
    shown: { country_id: 'c1', country: 'no', name: 'Oslo S' },
  },
  'a deleted office': {
    ...{ change: gone('offices', 'o1'), step: ['delete', 'deleteOffice', 'probe'] },
    ...{ sent: 'countries.deleteOffice ["c1","o1"]', shown: null },
  },
  'a created category': {
    change: made('tag_categories', { external_unique_id: 'role' }),
    ...{ answer: { id: 'g9', external_unique_id: 'role' }, step: ['create', 'createTagCategory', 'probe'] },
    sent: 'tags.createCategory [{"values":{},"external_unique_id":"role"}]',
    shown: { external_unique_id: 'role' },
  },
  'a category that is only referred to, with filtering': {
    change: {
      ...made('tag_categories', { external_unique_id: 'role' }),
      reason: { kind: 'referenced', text: 'named' },
    },
    ...{ answer: { id: 'g9', external_unique_id: 'role' }, step: ['create', 'createTagCategory', 'probe'] },
    sent: 'tags.createCategory [{"values":{},"allow_filtering":true,"external_unique_id":"role"}]',
    shown: { external_unique_id: 'role' },
  },
  'a changed category': {
    change: moved('tag_categories', 'g:unit', { values: { en: 'Unit' } }),
    ...{ answer: { id: 'g:unit', values: { en: 'Unit' } }, step: ['update', 'updateTagCategory', 'idempotent'] },
    ...{ sent: 'tags.updateCategory ["g:unit",{"values":{"en":"Unit"}}]', shown: { values: { en: 'Unit' } } },
  },
  'a created tag': {
    change: made('tags', { category: 'unit', external_unique_id: 'east' }),
    ...{ answer: { id: 't9', external_unique_id: 'east' }, step: ['create', 'createTag', 'probe'] },
    sent: 'tags.create ["g:unit",{"values":{},"external_unique_id":"east"}]',
    shown: { external_unique_id: 'east', category_id: 'g:unit' },
  },
  'a changed tag': {
    change: moved('tags', 't1', { values: { en: 'North' } }),
    ...{ answer: { id: 't1', values: { en: 'North' } }, step: ['update', 'updateTag', 'idempotent'] },
    ...{ sent: 'tags.update ["g:unit","t1",{"values":{"en":"North"}}]', shown: { category_id: 'g:unit' } },
  },
  'a deleted tag': {
    ...{ change: gone('tags', 't1'), step: ['delete', 'deleteTags', 'probe'] },
    ...{ sent: 'tags.deleteMany ["g:unit",["t1"]]', shown: null },
  },
};

/** Gives the same answer to every call. */
const answering = (answer: unknown, mirror: World['mirror'] = [oslo, north, south]): World => ({
  mirror,
  reads: READS,
  writes: new Proxy({}, { get: () => answer }),
});

describe('kinds that the service lists together', () => {
  it.each(Object.entries(TABLE))('send and show %s', async (_, { change, answer, step: expected, sent, shown }) => {
    const { step, calls } = only(change, answering(answer));
    expect([step.name, step.endpoint, step.repeat]).toEqual(expected);
    expect(step.deletes === true).toBe(change.action === 'delete');
    expect(forecastCalls(change, true)).toHaveLength(1);
    const { observed } = await step.send(null);
    expect(calls).toEqual([sent]);
    if (shown === null) expect(observed).toBeNull();
    else expect(observed).toMatchObject({ entity: change.entity, values: shown });
  });

  it.each([
    [moved('offices', 'o1', { name: 'Oslo S' }), { name: 'Oslo' }],
    [moved('tags', 't1', { values: {} }), { external_unique_id: 'north' }],
  ])('are read from the list after an empty answer to a change', async (change, values) => {
    const { step } = only(change, answering(undefined));
    expect(await step.send(null)).toMatchObject({ answered: false, observed: { id: change.target, values } });
    const away = only(
      { ...change, target: 'x' },
      answering(undefined, [
        { ...oslo, id: 'x' },
        { ...north, id: 'x' },
      ]),
    );
    await expect(away.step.send(null)).rejects.toThrow(/^The (office|tag) is no longer in the service\.$/);
  });

  it('are rejected if unknown, and count as deleted if already gone', async () => {
    for (const change of [moved('offices', 'o7', {}), moved('tags', 't7', {}), gone('tags', 't7')]) {
      await expect(only(change, answering({ id: 'x' })).step.send(null)).rejects.toThrow(
        'is no longer in the service.',
      );
    }
    const twice = only(gone('offices', 'o1'), { mirror: [oslo], writes: { 'countries.deleteOffice': failing(404) } });
    expect((await twice.step.send(null)).observed).toBeNull();
    const used = only(gone('offices', 'o1'), { mirror: [oslo], writes: { 'countries.deleteOffice': failing(400) } });
    await expect(used.step.send(null)).rejects.toThrow('it said 400');
    expect(() => stepsOf(made('offices', { country: 'xx', name: 'Oslo' }), {})).toThrow('Country "xx" is no longer in');
    expect(() => stepsOf(gone('countries', 'c1'), {})).toThrow('countries cannot be deleted on their own');
  });

  const looks: readonly (readonly [string, Change, string | null])[] = [
    ['a country that was created', made('countries', { code: 'NO' }), 'c:no'],
    ['a country that was not created', made('countries', { code: 'se' }), 'nothing'],
    ['an office that was created', made('offices', { country: 'no', name: 'oslo ' }), 'o1'],
    ['an office that was not created', made('offices', { country: 'no', name: 'Bergen' }), 'nothing'],
    ['an office that was changed', moved('offices', 'o1', { name: 'Oslo' }), 'o1'],
    ['an office that was not changed', moved('offices', 'o1', { name: 'Bergen' }), 'nothing'],
    ['an office that was deleted', gone('offices', 'o7'), null],
    ['an office that was not deleted', gone('offices', 'o1'), 'nothing'],
    ['a category that was created', made('tag_categories', { external_unique_id: 'grade' }), 'g:grade'],
    ['a category that was not created', made('tag_categories', { external_unique_id: 'role' }), 'nothing'],
    ['a tag that was created', made('tags', { category: 'unit', external_unique_id: 'north' }), 't1'],
    ['a tag that was not created', made('tags', { category: 'unit', external_unique_id: 'south' }), 'nothing'],
  ];
  it.each(looks)('are looked up in the list after a lost answer: %s', async (_, change, id) => {
    const { judged } = await look(change, { reads: READS });
    expect(judged === 'nothing' || judged === null ? judged : judged.id).toBe(id);
  });

  it('delete tags of one category by one call, and look for each', async () => {
    const changes = [gone('tags', 't1'), gone('tags', 't2')];
    const { context, calls } = stepsOf(gone('tags', 't1'), { mirror: [north, south], reads: READS });
    const batch = buildBatch(changes, context);
    expect([batch.endpoint, batch.seenBy]).toEqual(['deleteTags', 'listTagCategories']);
    expect((await batch.send()).observed).toEqual([null, null]);
    expect(await batch.probe()).toEqual(['nothing', null]);
    expect(calls).toEqual(['tags.deleteMany ["g:unit",["t1","t2"]]', 'tags.listCategories []']);
    expect(() => buildBatch([gone('users', 'u1')], context)).toThrow('no common call for users');
  });
});
