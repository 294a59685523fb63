import { describe, expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { ACCOUNT, findProject, openService } from './open-service.js';

async function openFields(options: Parameters<typeof openService>[0] = {}) {
  const service = await openService(options);
  const { path } = await findProject(service, 'P1');
  const put = (custom_fields: object[], key = 'admin') =>
    service.send(
      'PUT',
      `${path}?use_legacy_codes=false&include_custom_fields=true`,
      { company_project: { custom_fields } },
      { key },
    );
  const read = async (name: string) => {
    const { body } = await service.send('GET', `${path}?use_legacy_codes=false&include_custom_fields=true`);
    return body.custom_fields.find((field: { name: string }) => field.name === name);
  };
  return { service, path, put, read };
}

describe('Custom fields on projects', () => {
  test('returns values of every type', async () => {
    const { put, read } = await openFields();
    const reply = await put([
      { name: 'headcount', value: 42 },
      { name: 'value', amount: 1000, currency: 'nok' },
      { name: 'stage', value: 's2' },
      { name: 'volume', amount: 7, unit: 'm2' },
      { name: 'period', from: '2020-01', to: '2021-12', sensitivity: 'anonymized', anonymized: { en: 'two years' } },
    ]);
    expect(reply.status).toBe(200);
    expect(await read('headcount')).toMatchObject({ type: 'numeric', value: '42.0', sensitivity: null });
    expect(await read('value')).toMatchObject({ type: 'currency_amount', amount: 1000, currency: 'nok' });
    expect((await read('stage')).value).toEqual({
      id: expect.any(String),
      external_unique_id: 's2',
      name: { en: 'Two' },
    });
    expect(await read('volume')).toMatchObject({ amount: '7.0', unit: 'm2' });
    expect(await read('period')).toMatchObject({
      from: '2020-01',
      to: '2021-12',
      sensitivity: 'anonymized',
      anonymized: { en: 'two years' },
    });
  });

  sweep('changes only listed fields on update, and accepts them on create', async () => {
    const { service, path, put, read } = await openFields();
    await put([{ name: 'headcount', value: 1 }]);
    await put([{ name: 'stage', value: 's1' }]);
    expect((await read('headcount')).value).toBe('1.0');
    const company_project = { project_name: { en: 'N' }, custom_fields: [{ name: 'headcount', value: 5 }] };
    const parent = path.replace(/\/projects\/.*/, '/projects?include_custom_fields=true');
    const made = await service.send('POST', parent, { company_project });
    expect(made.body.custom_fields[0]).toMatchObject({ name: 'headcount', value: '5.0' });
  });

  sweep('rule 1: answers 404 to the complete request for an unknown name', async () => {
    const { put, read } = await openFields();
    expect(
      (
        await put([
          { name: 'headcount', value: 1 },
          { name: 'nope', value: 1 },
        ])
      ).status,
    ).toBe(404);
    expect((await read('headcount')).value).toBeNull();
  });

  sweep('rule 2: single_select accepts only the external id of an option; null clears', async () => {
    const { put, read } = await openFields();
    await put([{ name: 'stage', value: 's1' }]);
    const { id } = (await read('stage')).value;
    for (const wrong of [
      { value: 'One' },
      { value: id },
      { value_id: id },
      { value: 's1', value_id: id },
      { value_id: null },
    ]) {
      expect([wrong, (await put([{ name: 'stage', ...wrong }])).status]).toEqual([wrong, 422]);
    }
    const cleared = await put([{ name: 'stage', value: null }]);
    expect([cleared.status, (await read('stage')).value]).toEqual([200, null]);
  });

  test.each([
    ['rule 3: a negative amount', { name: 'value', amount: -1, currency: 'nok' }],
    ['rule 3: an amount that is not an integer', { name: 'value', amount: 1.5, currency: 'nok' }],
    ['rule 3: an upper case currency', { name: 'value', amount: 1, currency: 'NOK' }],
    ['rule 3: an invalid currency', { name: 'value', amount: 1, currency: 'zzz' }],
    ['rule 4: an unknown unit', { name: 'volume', amount: 1, unit: 'parsec' }],
    ['rule 5: an invalid month', { name: 'period', from: '2020-13' }],
    ['rule 5: a month in another format', { name: 'period', from: '01/2020', to: '2020-02' }],
    ['value_id on any type', { name: 'headcount', value_id: 'x' }],
    ['an invalid sensitivity', { name: 'headcount', value: 1, sensitivity: 'secret' }],
    ['an invalid number', { name: 'headcount', value: 'many' }],
  ])('Errors 422: %s', async (_name, field) => {
    const { put } = await openFields();
    expect((await put([field])).status).toBe(422);
  });

  test.each([
    [42, '42.0'],
    ['42', '42.0'],
    [0.5, '0.5'],
    ['42.50', '42.5'],
    ['-3.00', '-3.0'],
  ])('Custom field value: returns %j as the decimal string %s', async (value, decimal) => {
    const { put, read } = await openFields();
    expect((await put([{ name: 'headcount', value }])).status).toBe(200);
    expect((await read('headcount')).value).toBe(decimal);
  });

  sweep('rule 4: accepts a value without a unit', async () => {
    const { put, read } = await openFields();
    expect((await put([{ name: 'volume', amount: 3 }])).status).toBe(200);
    expect(await read('volume')).toMatchObject({ amount: '3.0', unit: null });
  });

  sweep('rule 6: requires write permission on the project, and the feature', async () => {
    const { put } = await openFields();
    expect((await put([{ name: 'headcount', value: 1 }], 'plain')).status).toBe(403);
    const account = { ...ACCOUNT.account, features: { custom_fields: false } };
    const off = await openFields({ fixture: { ...ACCOUNT, account } });
    expect((await off.put([{ name: 'headcount', value: 1 }])).status).toBe(403);
  });
});
