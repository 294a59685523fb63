import { describe, expect, it } from 'vitest';
import { reportAdoption } from '../../../src/planning/saved/adoption.js';
import { changeOf, desiredOf, observedOf, openTestStores } from '../../samples.js';

describe('first contact with an account that has people', () => {
  it('reports the matching keys, the differences, and the people on one side only', () => {
    const stores = openTestStores();
    const { work, mirror } = stores;
    const known = Array.from({ length: 7 }, (_, at) => `E${at}`);
    mirror.save(
      [...known, 'X'].map((key) => observedOf(`u-${key}`, { title: { en: 'old' } })),
      1,
    );
    for (const key of known) {
      work.stage([{ desired: desiredOf(key), hash: 'h' }]);
      work.adopt('users', key, `u-${key}`, key === 'E0' ? 'external_unique_id' : 'email');
    }
    for (const key of known) work.claim('users', `u-${key}`, key);
    for (const key of known.slice(1))
      work.plan(
        changeOf('users', key, {
          ...{
            action: key === 'E6' ? 'reactivate' : 'update',
            target: `u-${key}`,
            label: key,
            reason: { kind: 'first_contact', text: 'x' },
          },
          ...{
            fields: key === 'E6' ? ['title', 'telephone'] : ['title'],
            before: { title: 'old' },
            after: { title: key },
          },
        }),
      );
    work.plan(changeOf('users', 'N1', { label: 'New' }));
    work.hold({ entity: 'users', key: 'D1', place: 'p', code: 'SYNC_MATCH_AMBIGUOUS', reason: 'x', remedy: 'y' });
    expect(reportAdoption(stores)).toEqual([
      {
        ...{ entity: 'users', matched: { email: 6, external_unique_id: 1 }, equal: 1, doubtful: 1 },
        differing: {
          title: { count: 6, samples: known.slice(1, 6).map((label) => ({ label, before: 'old', after: label })) },
          deactivated: { count: 1, samples: [{ label: 'E6', before: true, after: false }] },
          telephone: { count: 1, samples: [{ label: 'E6', before: null, after: null }] },
        },
        only_in_source: { count: 1, samples: ['New'] },
        only_in_service: { count: 1, samples: ['label of u-X'] },
      },
    ]);
  });

  it('reports nothing if nobody was adopted', () => {
    expect(reportAdoption(openTestStores())).toBeNull();
  });
});
