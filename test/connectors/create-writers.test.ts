import { expect, it } from 'vitest';
import { createWriters } from '../../src/connectors/create-writers.js';
import { whyNotWritable } from '../../src/connectors/drop/writable.js';
import { closeAfterTest } from '../closing.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { backTo, readFolder, tell, writeAll } from './drop/writing.js';
import { buildContext, csvConfig, makeFolder, NO_RULES } from './fixtures.js';

it('creates a writer, under its name, only for file streams with write-back', async () => {
  const text = SAMPLE.replace('    key: id\n', '    key: id\n    write_back: { drop: ./back }\n').replace(
    '\nusers:',
    `
  crm:
    type: crm
    drop: ./crm
    streams:
      deals: { pattern: "*.json", key: id, columns: { id: string }, write_back: { drop: ./back, name: "deals-{run}.csv" } }
      companies: { pattern: "*.csv", key: id, columns: { id: string } }
users:`,
  );
  const writers = await createWriters(loadSample(text), buildContext());
  expect([...writers].map(([name, writer]) => [name, writer.name])).toEqual([
    ['hr', 'hr'],
    ['crm.deals', 'crm.deals'],
  ]);
  expect((await createWriters(loadSample(SAMPLE), buildContext())).size).toBe(0);
});

it('writes the key and each written-back column, even if the first record lacks some of them', async () => {
  const folder = await makeFolder();
  const text = SAMPLE.replace('    key: id\n', `    key: id\n    write_back: { drop: ${folder} }\n`)
    .replace('users:\n', 'users:\n  write_back: { hr: { talent_id: user.id } }\n')
    .replace('telephone: record.?phone', 'telephone: { value: record.?phone, authority: service, write_back: true }');
  const writer = (await createWriters(loadSample(text), buildContext())).get('hr');
  if (writer === undefined) throw new Error('no writer');
  const outcomes = await writeAll(writer, [tell('1', { talent_id: 'u1' }), tell('2', { phone: '+47' })]);
  expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(Object.values(await readFolder(folder))).toEqual(['id;phone;talent_id\r\n1;;u1\r\n2;+47;\r\n']);
});

it('explains why a column cannot be written', () => {
  const rules = { ...NO_RULES, aliases: { name: ['full_name'] } };
  const open = csvConfig('/drop', { rules, writeBack: backTo('/back') });
  const closed = { ...open, writeBack: backTo('/back', { columns: ['id', 'name'] }) };
  expect(whyNotWritable(csvConfig('/drop'), 'name')).toContain('has no `write_back:`');
  expect(whyNotWritable(open, 'id')).toContain('`id` is the key');
  expect(whyNotWritable(open, 'full_name')).toContain('another name of `name`');
  expect(whyNotWritable(open, 'constructor')).toContain('cannot be the name of a column');
  expect(whyNotWritable(closed, 'talent_id')).toContain('not among the `columns`');
  expect([open, closed].map((config) => whyNotWritable(config, 'name'))).toEqual([null, null]);
  expect(whyNotWritable(open, 'talent_id')).toBeNull();
});

it('creates a writer, under its name, only for HTTP streams with write-back', async () => {
  const text = SAMPLE.replace('idp: { type: scim,', 'idp: { type: scim, write_back: true,').replace(
    '\nusers:',
    `
  other: { type: scim, base_url: https://other.example.com/v2 }
  crm: { type: crm, preset: salesforce, base_url: https://a.example.com, streams: { deals: { write_back: true } } }
  erp: { type: crm, base_url: https://b.example.com, streams: { a: { path: /a, next: none, key: id, columns: { id: string }, write_back: true } } }
users:`,
  );
  const writers = await createWriters(loadSample(text), buildContext());
  for (const writer of writers.values()) closeAfterTest(writer);
  expect([...writers].map(([name, writer]) => [name, writer.name])).toEqual([
    ['idp', 'idp'],
    ['crm.deals', 'crm.deals'],
    ['erp.a', 'erp.a'],
  ]);
});
