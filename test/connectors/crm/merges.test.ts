import { expect, it } from 'vitest';
import { systemOf } from '../../../src/connectors/crm/systems.js';

import type { JsonObject } from '../../../src/model/json.js';
import { openDynamics, openSalesforce } from './companies-of-vendors.js';

function readMerge({ dialect }: { readonly dialect: string }, row: JsonObject) {
  return systemOf({ dialect }).read.merges?.read(row) ?? null;
}

it('reads from a HubSpot survivor which records it absorbed, without itself', () => {
  const row = (ids: string | null) => ({ id: '9', properties: { hs_merged_object_ids: ids } });
  expect(readMerge({ dialect: 'hubspot' }, row('1;2; 9'))).toEqual({ from: ['1', '2'] });
  for (const ids of [null, '', '9']) expect(readMerge({ dialect: 'hubspot' }, row(ids))).toBeNull();
  expect(readMerge({ dialect: 'plain' }, row('1'))).toBeNull();
});

it('reads from a deleted Salesforce or Dynamics record which record survived', () => {
  expect(readMerge({ dialect: 'salesforce' }, { Id: 'b', MasterRecordId: 'a' })).toEqual({ into: 'a' });
  expect(readMerge({ dialect: 'salesforce' }, { Id: 'a', MasterRecordId: null })).toBeNull();
  expect(readMerge({ dialect: 'dynamics' }, { merged: true, _masterid_value: 'a' })).toEqual({ into: 'a' });
  expect(readMerge({ dialect: 'dynamics' }, { merged: false, _masterid_value: null })).toBeNull();
});

it('no longer delivers a merged account as a company', async () => {
  const sales = await openSalesforce(3);
  const [a = '', b = ''] = sales.ids;
  sales.salesforce.data.merge('Account', a, b);
  expect((await sales.feed.read()).records).toHaveLength(2);
  const dynamics = await openDynamics(3);
  const [one = '', two = ''] = dynamics.ids;
  dynamics.dynamics.data.merge('accounts', one, two);
  expect((await dynamics.feed.read()).records).toHaveLength(2);
});
