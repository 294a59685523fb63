import { describe, expect, it } from 'vitest';
import { USER_TAGS_MARK } from '../../src/mirror/directory.js';
import type { Json, Values } from '../../src/model/json.js';
import type { DeriveContext } from '../../src/planning/derive-context.js';
import { readUserTags } from '../../src/planning/reads/read-user-tags.js';
import { directoryOf, linkTo, observedOf, openTestStores } from '../samples.js';

interface World {
  /** Person → the tag of `unit` written last. */
  readonly written: Readonly<Record<string, string>>;
  /** Tag → the people on whose CVs the search finds it. */
  readonly shows: Readonly<Record<string, readonly string[]>>;
  /** The earlier finding about the account. */
  readonly mark?: 'yes' | 'no';
  readonly full?: boolean;
  /** null if no tags are mapped. */
  readonly mapped?: unknown;
  /** The tags seen earlier for everybody. */
  readonly seen?: Values;
}

const DIRECTORY = directoryOf({ categories: ['unit'], tags: ['unit/north', 'unit/south'] });

async function read(world: World) {
  const { written, shows, mark, full = false, mapped = { unit: 'record.unit' }, seen = { unit: 'old' } } = world;
  const stores = openTestStores();
  for (const [id, tag] of Object.entries(written)) {
    linkTo(stores, 'users', `E-${id}`, observedOf(id, { tags: seen }));
    stores.links.remember('users', `E-${id}`, { tags: { unit: tag } });
  }
  stores.mirror.save([observedOf('out', { tags: { unit: 'old' } }, { active: false })], 1);
  if (mark !== undefined) stores.mirror.setMark(USER_TAGS_MARK, mark);
  const before = stores.mirror.mark(USER_TAGS_MARK);
  const asked: string[] = [];
  async function* search({
    must: [{ exact }],
  }: {
    readonly must: readonly [{ readonly exact: { readonly value: string } }];
  }) {
    const tag = exact.value.replace('t:unit/', '');
    asked.push(tag);
    yield { cvs: (shows[tag] ?? []).map((id) => ({ cv: { user_id: id } })) };
    yield { cvs: [{ cv: { user_id: '' } }] };
  }
  const directory = { ...DIRECTORY, tagById: (id: string) => ({ category: 'unit', tag: id.replace('t:unit/', '') }) };
  const context = {
    config: { mappings: mapped === null ? {} : { users: { fields: { tags: mapped } } } },
    ...{ stores, usersFresh: full, refresh: { reader: { cvs: { search } }, signal: undefined } },
  } as unknown as DeriveContext;
  await readUserTags(context, directory as unknown as Parameters<typeof readUserTags>[1]);
  const tagsOf = (id: string): Json | undefined => stores.mirror.get('users', id)?.values.tags;
  return { asked, before, mark: stores.mirror.mark(USER_TAGS_MARK), tagsOf };
}

describe('checking if tags of people show on their CVs', () => {
  const two = { u1: 'north', u2: 'north', u3: 'south' };

  it('searches once, for the tag that most people have', async () => {
    const { asked, mark, tagsOf } = await read({ written: two, shows: { north: ['u1', 'u2'] } });
    expect([asked, mark]).toEqual([['north'], 'yes']);
    expect(tagsOf('u1')).toEqual({ unit: 'old' });
  });

  it('says no unless it finds more than half of the people with the tag', async () => {
    expect((await read({ written: two, shows: { north: ['u1', 'u3'] } })).mark).toBe('no');
    expect((await read({ written: two, shows: {} })).mark).toBe('no');
    expect((await read({ written: { u1: 'north' }, shows: { north: ['u1'] } })).mark).toBe('yes');
  });

  it('waits until a tag was written that the service has', async () => {
    expect(await read({ written: {}, shows: {} })).toMatchObject({ asked: [], mark: null });
    expect(await read({ written: { u1: 'west' }, shows: {} })).toMatchObject({ asked: [], mark: null });
  });

  it('repeats after a no, and only at a full read', async () => {
    expect((await read({ written: two, shows: {}, mark: 'no' })).asked).toEqual([]);
    expect((await read({ written: two, shows: {}, mark: 'yes' })).asked).toEqual([]);
    const again = await read({ written: two, shows: { north: ['u1', 'u2'] }, mark: 'no', full: true });
    expect([again.asked, again.mark]).toEqual([['north', 'south'], 'yes']);
  });

  it('skips a tag that more people have than a page holds', async () => {
    const many = (people: number) => Object.fromEntries(Array.from({ length: people }, (_, at) => [`p${at}`, 'north']));
    expect((await read({ written: { ...many(501), u1: 'south' }, shows: {} })).asked).toEqual(['south']);
    expect((await read({ written: { ...many(500), u1: 'south' }, shows: {} })).asked).toEqual(['north']);
  });

  it('does nothing if no tags of people are mapped', async () => {
    for (const mapped of ['record.tags', ['record.tags']])
      expect((await read({ written: two, shows: {}, full: true, mapped })).asked).toEqual([]);
    expect((await read({ written: two, shows: {}, full: true, mapped: null })).asked).toEqual([]);
  });
});

describe('a full read of tags that show on CVs', () => {
  const written = { u1: 'north', u2: 'south', u3: 'south' };

  it('gives active people the tags on their CVs, and leaves inactive ones unchanged', async () => {
    const shows = { north: ['u1', 'u2'], south: ['u2'] };
    const { tagsOf, mark } = await read({ written, shows, mark: 'yes', full: true });
    expect(mark).toBe('yes');
    expect(['u1', 'u2', 'u3', 'out'].map(tagsOf)).toEqual([
      { unit: 'north' },
      { unit: ['north', 'south'] },
      {},
      { unit: 'old' },
    ]);
  });

  it('keeps known tags of categories that are no longer mapped, since an undo needs them', async () => {
    const { tagsOf } = await read({
      ...{ written, shows: { north: ['u1'], south: ['u2'] }, mark: 'yes', full: true },
      seen: { unit: 'old', region: 'west' },
    });
    expect(['u1', 'u3'].map(tagsOf)).toEqual([{ region: 'west', unit: 'north' }, { region: 'west' }]);
  });

  it('concludes that tags no longer show if it finds none of those written for three or more people', async () => {
    const shows = { north: ['u9'] };
    const { tagsOf, mark } = await read({ written, shows, mark: 'yes', full: true });
    expect([mark, tagsOf('u1')]).toEqual(['no', undefined]);
    const few = await read({ written: { u1: 'north', u2: 'south' }, shows, mark: 'yes', full: true });
    expect([few.mark, few.tagsOf('u1')]).toEqual(['yes', {}]);
  });
});
