import { describe, expect, it } from 'vitest';
import { findObjectId, tryKeys } from '../../src/planning/match-objects.js';
import { loadSample } from '../config/sample.js';
import { desiredOf, matchBy, observedOf, openTestStores } from '../samples.js';
import { withCrm } from './world.js';

describe('the object of a record', () => {
  const stores = () => {
    const opened = openTestStores();
    opened.mirror.save(
      [
        observedOf('u1', { email: 'jane@x.test', external_unique_id: 'E1' }, { label: 'Jane' }),
        observedOf('k1', { external_unique_id: 'C1' }, { entity: 'customers' }),
        observedOf('s1', { user_id: 'u1', external_unique_id: 'S1' }, { entity: 'certifications' }),
      ],
      1,
    );
    return opened;
  };

  it('is the linked one, else the one it matches', () => {
    const context = { config: loadSample(withCrm(['customers'])), stores: stores() };
    const find = (linkedId: string | null, email: string) =>
      findObjectId({ desired: desiredOf('E1', { email }), linkedId }, context);
    expect([find('u7', 'jane@x.test'), find(null, 'Jane@X.test'), find(null, 'eve@x.test')]).toEqual([
      'u7',
      'u1',
      null,
    ]);
    const unmapped = { desired: desiredOf('P1', { external_unique_id: 'C1' }, { entity: 'projects' }), linkedId: null };
    expect(findObjectId(unmapped, context)).toBeNull();
  });

  it('is looked up by each entry of `match`, with the result per entry', () => {
    const opened = stores();
    const match = matchBy(['external_unique_id'], ['email'], ['upn']);
    const values = { external_unique_id: 'E1', email: 'eve@x.test' };
    expect(tryKeys('users', match, values, opened).map(({ fields, found }) => [fields.join(), found])).toEqual([
      ['external_unique_id', [{ id: 'u1', label: 'Jane' }]],
      ['email', []],
      ['upn', null],
    ]);
    expect(tryKeys('users', match, null, opened).map(({ found, set_apart: apart }) => [found, apart])).toEqual([
      [null, []],
      [null, []],
      [null, []],
    ]);
    const certificate = { user: 'jane@x.test', external_unique_id: 'S1' };
    const [onCv] = tryKeys('certifications', matchBy(['external_unique_id']), certificate, opened);
    expect(onCv?.found).toEqual([{ id: 's1', label: 'label of s1' }]);
  });
});
