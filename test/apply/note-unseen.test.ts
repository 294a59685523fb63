import { describe, expect, it, vi } from 'vitest';
import { noteUnseen } from '../../src/apply/note-unseen.js';
import type { Values } from '../../src/model/json.js';
import { changeOf, linkTo, observedOf, openTestStores } from '../samples.js';

/** Returns the memory of the pair after a change with this end. */
function remembered(
  after: Values,
  { result = 'lost', shown = {}, written = {} }: { result?: string; shown?: Values; written?: Values } = {},
) {
  const stores = openTestStores();
  linkTo(stores, 'users', 'E1', observedOf('u1', shown));
  stores.links.remember('users', 'E1', written);
  const change = { ...changeOf('users', 'E1', { action: 'update', target: 'u1', after }) };
  noteUnseen(stores, { change, result } as never);
  return stores.links.find('users', 'E1')?.written;
}

describe('a change with unknown calls', () => {
  const offices = [{ country: 'no', name: 'Oslo' }];

  it('forgets values that only a read of the object shows, so that they are read again', () => {
    const written = { role_allowed_offices: offices, tags: { unit: 'a' } };
    for (const result of ['lost', 'in part'])
      expect(remembered({ role_allowed_offices: offices }, { result, written })).toEqual({ tags: { unit: 'a' } });
  });

  it('changes nothing if the end is certain', () => {
    const written = { role_allowed_offices: offices };
    for (const result of ['done', 'refused', 'not taken'])
      expect(remembered({ role_allowed_offices: offices }, { result, written })).toEqual(written);
  });

  it('expects the old and the new tags of a category that no read shows', () => {
    const after = { tags: { unit: 'north' } };
    const found = remembered(after, { written: { tags: { unit: 'south', grade: 'a' } } });
    expect(found).toEqual({ tags: { unit: { any_of: ['south', 'north'] }, grade: 'a' } });
  });

  it('does not remember values that every read shows, and keeps the base', () => {
    const written = { tags: { unit: 'south' } };
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', { tags: { unit: 'south' } }));
    const hashes = { desiredHash: 'd', observedHash: 'o', contextHash: 'c' };
    stores.links.agree('users', 'E1', { base: { name: 'Jane' }, written, ...hashes });
    const change = {
      ...changeOf('users', 'E1', { action: 'update', target: 'u1', after: { tags: { unit: 'north' } } }),
    };
    const forgotten = vi.spyOn(stores.links, 'disagree');
    noteUnseen(stores, { change, result: 'lost' });
    expect(forgotten).not.toHaveBeenCalled();
    expect(stores.links.find('users', 'E1')).toMatchObject({ base: { name: 'Jane' }, written });
    expect(remembered({ telephone: '1', title: { en: 'a' } }, { written })).toEqual(written);
    expect(remembered({ tags: { unit: 'north' } }, { written, shown: { tags: { unit: 'south' } } })).toEqual(written);
  });
});
