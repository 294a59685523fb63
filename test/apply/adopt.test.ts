import { expect, it } from 'vitest';
import { adoptAndAgree } from '../../src/apply/adopt.js';
import type { Entity } from '../../src/model/entity.js';
import { linkTo, observedOf, openTestStores } from '../samples.js';

const AT = '2026-11-20T08:00:00.000Z';
const HASHES = { desiredHash: 'd1', observedHash: 'o1' };

it('stores each certain match and agreement of the plan separately', async () => {
  const stores = openTestStores();
  const { work, links, pins, mirror } = stores;
  const staffing = observedOf('s1', {}, { entity: 'staffing' });
  linkTo(stores, 'staffing', 'p1/jane', staffing);
  linkTo(stores, 'users', 'E3', observedOf('u3', {}));
  linkTo(stores, 'users', 'E4', observedOf('u4', {}));
  mirror.save([observedOf('u1'), observedOf('u2')], 1);
  const agree = (key: string, entity: Entity = 'users') =>
    work.agree({ entity, key, base: { name: key }, written: {}, ...HASHES });
  work.adopt('users', 'E1', 'u1', 'email');
  work.adopt('users', 'E2', 'u2', 'email');
  agree('E2');
  agree('E3');
  // The project has another name by now, and so has the key of the link.
  work.adopt('staffing', 'p2/jane', 's1', 'user + project');
  agree('p2/jane', 'staffing');
  work.adopt('users', 'E4', 'u4', 'email');
  const ofUndo = { entity: 'users', key: 'E1', value: 'h', mapping: 'm', undone: 'r0', run: 'r0', at: AT } as const;
  pins.pin([
    { ...ofUndo, path: 'name' },
    { ...ofUndo, path: 'telephone' },
  ]);
  work.unpin('users', 'E1', 'name');
  let pauses = 0;
  await adoptAndAgree(stores, {
    ...{ run: 'r2', at: AT, contextOf: (entity) => `context of ${entity}` },
    pause: async () => {
      pauses += 1;
    },
  });
  const linked = (key: string, entity: Entity = 'users') => {
    const found = links.find(entity, key);
    return found === null ? null : [found.serviceId, found.origin, found.base];
  };
  expect(['E1', 'E2', 'E3', 'E4'].map((key) => linked(key))).toEqual([
    ['u1', 'adopted', null],
    ['u2', 'adopted', { name: 'E2' }],
    ['u3', 'created', { name: 'E3' }],
    ['u4', 'created', null],
  ]);
  expect(linked('p1/jane', 'staffing')).toBeNull();
  expect(linked('p2/jane', 'staffing')).toEqual(['s1', 'adopted', { name: 'p2/jane' }]);
  expect(pins.all().map(({ path }) => path)).toEqual(['telephone']);
  expect(pauses).toBeGreaterThan(0);
});
