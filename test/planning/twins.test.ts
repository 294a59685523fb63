import { describe, expect, it } from 'vitest';
import type { Entity } from '../../src/model/entity.js';
import { holdTwins } from '../../src/planning/twins.js';
import { linkTo, observedOf, openTestStores } from '../samples.js';

const ENTITIES: Readonly<Record<string, Entity>> = { c: 'customers', p: 'projects', u: 'users' };

/** @param objects id, external id and, if it is linked, the record: `p1=P1=P1 p2=P1` */
function listHeld(objects: string) {
  const stores = openTestStores();
  for (const one of objects.split(' ')) {
    const [id = '', external = '', key] = one.split('=');
    const entity = ENTITIES[id.charAt(0)] ?? 'users';
    const object = observedOf(id, { external_unique_id: external }, { entity, label: 'Dam' });
    stores.mirror.save([object], 1);
    if (key !== undefined) linkTo(stores, entity, key, object);
  }
  for (const entity of Object.values(ENTITIES)) holdTwins(entity, stores);
  return [...stores.work.holds()];
}

describe('objects that share an external id', () => {
  it.each([
    ['projects', 'p1=P1=P1 p2=P1', ['projects P1']],
    ['customers', 'c1=C1=C1 c2=C1', ['customers C1']],
    ['three, reported once', 'p1=P1=P1 p2=P1 p3=P1', ['projects P1']],
    ['that differ in case', 'p1=P1=P1 p2=p1', []],
    ['that are not linked', 'p1=P1 p2=P1', []],
    ['of two kinds', 'p1=X1=X1 c1=X1', []],
    ['people, for whom the service rejects it', 'u1=E1=E1 u2=E1', []],
  ])('are held or not: %s', (_, objects, expected) => {
    expect(listHeld(objects).map(({ entity, key }) => `${entity} ${key}`)).toEqual(expected);
  });

  it('keep their name while they are the same', () => {
    const [two, again, three] = ['p1=P1=P1 p2=P1', 'p2=P1 p1=P1=P1', 'p1=P1=P1 p2=P1 p3=P1'].map(
      (objects) => listHeld(objects)[0]?.id,
    );
    expect([two === again, two === three]).toEqual([true, false]);
  });

  it('are reported with the record that another one is linked to', () => {
    expect(listHeld('p1=P1=P1 p2=P1=P9')[0]?.reason).toMatch(/Dam \(p2\), which is linked to record P9\.$/);
  });
});
