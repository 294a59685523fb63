import { describe, expect, test } from 'vitest';
import { ACCOUNT, findCustomer, findProject, findTags, openService } from './open-service.js';

const CUSTOMERS = '/api/v2/company/cv/customers';
const ISO = '?use_legacy_codes=false';

describe('Customers', () => {
  test('POST, find, PUT: the fields of the spec; changes only sent fields', async () => {
    const service = await openService();
    const { industry_id } = await findCustomer(service);
    const company_customer = {
      external_unique_id: 'C2',
      customer_name: { en: 'Rail', sv: 'Järnväg' },
      customer_description: { en: 'Trains' },
      customer_url: 'https://rail.example',
      industry_id,
    };
    const made = await service.send('POST', CUSTOMERS + ISO, { company_customer });
    expect([made.status, made.body]).toMatchObject([
      200,
      { id: expect.any(String), custom_tags: [], ...company_customer },
    ]);
    expect((await service.send('GET', `${CUSTOMERS}/find${ISO}&external_unique_id=C2`)).body).toEqual(made.body);
    const put = (more: object) => service.send('PUT', `${CUSTOMERS}/${made.body.id}${ISO}`, { company_customer: more });
    const changed = await put({ customer_name: { en: 'Rail 2' } });
    expect(changed.body).toMatchObject({ ...company_customer, customer_name: { en: 'Rail 2' } });
    // Conventions 4: replaced completely.
    expect(changed.body.customer_name).toEqual({ en: 'Rail 2' });
    expect((await service.send('GET', `${CUSTOMERS}/${made.body.id}${ISO}`)).body).toEqual(changed.body);
  });

  test.each(['wrapped', 'bare'] as const)('GET: customer_name, size, offset; %s', async (customer_lists) => {
    const { send } = await openService({ fixture: { ...ACCOUNT, account: { ...ACCOUNT.account, customer_lists } } });
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      await send('POST', CUSTOMERS, { company_customer: { customer_name: { int: name } } });
    }
    const list = async (query: string) => {
      const { body } = await send('GET', `${CUSTOMERS}?${query}`);
      const customers = customer_lists === 'bare' ? body : body.customers;
      return customers.map(({ customer_name }: { customer_name: { int: string } }) => customer_name.int);
    };
    expect(await list('')).toEqual(['Alpha', 'Beta', 'Fjord Power', 'Gamma']);
    expect(await list('customer_name=bet')).toEqual(['Beta']);
    expect(await list('customer_name=fjordkraft')).toEqual(['Fjord Power']);
    expect([await list('size=2'), await list('size=2&offset=2'), await list('size=2&offset=4')]).toEqual([
      ['Alpha', 'Beta'],
      ['Fjord Power', 'Gamma'],
      [],
    ]);
  });

  test('errors: wrapper 400, name 422, duplicate external id 422, unknown industry 422, unknown 404', async () => {
    const service = await openService();
    const post = async (body: object) => (await service.send('POST', CUSTOMERS, body)).status;
    expect(await post({ customer_name: { int: 'X' } })).toBe(400);
    expect(await post({ company_customer: { external_unique_id: 'C9' } })).toBe(422);
    expect(await post({ company_customer: { customer_name: { int: 'X' }, external_unique_id: 'C1' } })).toBe(422);
    expect(await post({ company_customer: { customer_name: { int: 'X' }, industry_id: 'nope' } })).toBe(422);
    expect((await service.send('GET', `${CUSTOMERS}/find?external_unique_id=nope`)).status).toBe(404);
    expect((await service.send('PUT', `${CUSTOMERS}/nope`, { company_customer: {} })).status).toBe(404);
    expect((await service.send('DELETE', `${CUSTOMERS}/nope`)).status).toBe(404);
  });

  test('DELETE: only after all its projects are deleted', async () => {
    const service = await openService();
    const { path } = await findCustomer(service);
    expect((await service.send('DELETE', path)).status).toBe(400);
    for (const external of ['P1', 'P2']) {
      const project = await findProject(service, external);
      expect((await service.send('DELETE', project.path)).status).toBe(204);
    }
    expect((await service.send('DELETE', path)).status).toBe(204);
    expect((await service.send('GET', path)).status).toBe(404);
  });

  test('Custom tags: POST answers the updated customer, DELETE 204; flags hide tags but do not prevent them', async () => {
    const service = await openService();
    const { path } = await findCustomer(service);
    const { unit, hidden, north, secret } = await findTags(service);
    const attach = (category: string, tag: string) =>
      service.send('POST', `${path}/custom_tags`, { custom_tag_category_id: category, custom_tag_id: tag });
    expect((await attach(unit, north)).body.custom_tags).toMatchObject([{ id: north }]);
    expect((await attach(hidden, secret)).body.custom_tags).toMatchObject([{ id: north }]);
    expect((await service.send('DELETE', `${path}/custom_tags/${north}`)).status).toBe(204);
    expect((await service.send('DELETE', `${path}/custom_tags/${secret}`)).status).toBe(204);
    expect((await service.send('GET', path)).body.custom_tags).toEqual([]);
  });

  test.each(['norway', 'plain', 'anna', 'reader'])(
    'Authentication: %s reads customers, but cannot write them',
    async (key) => {
      const service = await openService();
      const { path } = await findCustomer(service);
      const company_customer = { customer_name: { int: 'X' } };
      expect((await service.send('GET', CUSTOMERS, undefined, { key })).status).toBe(200);
      expect((await service.send('POST', CUSTOMERS, { company_customer }, { key })).status).toBe(403);
      expect((await service.send('PUT', path, { company_customer }, { key })).status).toBe(403);
      expect((await service.send('DELETE', path, undefined, { key })).status).toBe(403);
    },
  );
});
