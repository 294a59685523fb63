import { describe, expect, it } from 'vitest';
import { SCIM_COLUMNS } from '../../../src/connectors/scim-protocol/columns.js';
import { createPushConnector } from '../../../src/connectors/scim-push/scim-push-connector.js';
import type { Columns } from '../../../src/model/column.js';
import { openDesk } from '../../daemon/web/scim/desk.js';
import { buildContext, column, readAll } from '../fixtures.js';

async function openSource({ key = 'id', more = {} }: { key?: string; more?: Columns } = {}) {
  const desk = await openDesk({ key });
  const columns = { ...more, ...SCIM_COLUMNS };
  const config = {
    type: 'scim-push',
    tokens: [],
    baseUrl: null,
    trustedProxies: [],
    columns,
    key,
    prefer: null,
    mayBeEmpty: false,
    writeBack: null,
  } as const;
  return { ...desk, connector: createPushConnector('idp', config, { ...buildContext(), pushed: desk.store }) };
}

describe('reading a pushed source', () => {
  it('delivers people with the columns of SCIM and the names of their groups, and is never complete', async () => {
    const { connector, addUser, addGroup } = await openSource();
    const jane = await addUser('jane', {
      emails: [{ type: 'work', value: 'jane@example.com' }],
      active: 'False',
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'IT', manager: 'm1' },
    });
    await addUser('berit');
    await addGroup('Consultants', [jane.id]);
    const { records, rejected, evidence } = await readAll(connector);
    expect(records[0]).toMatchObject({
      key: jane.id,
      place: { source: 'idp', at: `/scim/v2/idp/Users/${jane.id}` },
      cells: {
        userName: 'jane',
        email: 'jane@example.com',
        active: false,
        department: 'IT',
        manager: 'm1',
        groups: ['Consultants'],
      },
    });
    expect(records[0]?.cells.modified).toBeInstanceOf(Date);
    expect([records.length, rejected.length]).toEqual([2, 0]);
    expect(evidence).toMatchObject({
      kind: 'live',
      rows: 2,
      complete: false,
      incompleteBecause: 'a push source is never complete',
    });
  });

  it('delivers declared columns from unknown extensions and from unmapped attributes', async () => {
    const hr = 'urn:acme:params:hr:1.0:User';
    const { connector, addUser } = await openSource({
      more: {
        badge: column('string', { optional: true, from: `/${hr}/badge` }),
        city: column('string', { optional: true, from: '/addresses/0/locality' }),
        nickName: column('string', { optional: true }),
        skills: column('list', { optional: true, from: `/${hr}/skills` }),
      },
    });
    await addUser('jane', {
      nickName: 'J',
      addresses: [{ type: 'work', locality: 'Oslo' }],
      [hr]: { badge: '0007', skills: ['go', 'sql'] },
    });
    await addUser('bo');
    const { records } = await readAll(connector);
    expect(records[0]?.cells).toMatchObject({ badge: '0007', city: 'Oslo', nickName: 'J', skills: ['go', 'sql'] });
    expect(Object.keys(records[1]?.cells ?? {})).not.toContain('badge');
  });

  it('reports deleted people by key, until they are pushed again', async () => {
    const { connector, call, addUser } = await openSource({ key: 'externalId' });
    const { id } = await addUser('jane', { externalId: 'e1' });
    await addUser('berit', { externalId: 'e2' });
    await call('DELETE', `/Users/${id}`);
    const { batches, records, evidence } = await readAll(connector);
    expect(records.map(({ key }) => key)).toEqual(['e2']);
    expect(batches.flatMap(({ gone }) => gone ?? [])).toEqual([
      { key: 'e1', place: { source: 'idp', at: `/scim/v2/idp/Users/${id}` } },
    ]);
    expect(evidence.rows).toBe(2);
    await addUser('jane', { externalId: 'e1' });
    expect((await readAll(connector)).batches.flatMap(({ gone }) => gone ?? [])).toEqual([]);
  });

  it('rejects people without a key', async () => {
    const { connector, addUser } = await openSource({ key: 'externalId' });
    await addUser('jane');
    expect((await readAll(connector)).rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_KEY' }]);
  });

  it('has the same digest for the same content, and another after a push', async () => {
    const { connector, addUser, patch } = await openSource();
    const { id } = await addUser('jane');
    const digest = async () => (await readAll(connector)).evidence.digest;
    const first = await digest();
    expect(await digest()).toBe(first);
    await patch(`/Users/${id}`, { op: 'add', path: 'title', value: 'Boss' });
    expect(await digest()).not.toBe(first);
  });

  it('delivers each person once, in batches', async () => {
    const { connector, store } = await openSource();
    store.transaction(() => {
      for (let n = 0; n < 2_300; n++) {
        const row = {
          id: `id-${n}`,
          nameKey: `u${n}`,
          externalId: null,
          display: `u${n}`,
          attributes: { userName: `u${n}` },
        };
        store.insert('idp', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
      }
    });
    const { batches, records } = await readAll(connector);
    expect(new Set(records.map(({ key }) => key)).size).toBe(2_300);
    expect(Math.max(...batches.map((batch) => batch.records.length))).toBeLessThanOrEqual(1_000);
  });

  it('shows in a check the address, the counts and the time of the last push', async () => {
    const { connector, addUser, addGroup } = await openSource();
    expect(await connector.probe()).toEqual({
      at: '/scim/v2/idp',
      detail: '0 users, 0 groups, nothing was pushed yet',
    });
    const { meta } = await addUser('jane');
    expect((await connector.probe()).detail).toBe(`1 user, 0 groups, last push ${meta.created}`);
    await addGroup('Team');
    expect((await connector.probe()).detail).toContain('1 user, 1 group');
  });
});
