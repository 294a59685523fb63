import { expect, it } from 'vitest';
import { createWriters } from '../../src/connectors/create-writers.js';
import { closeAfterTest } from '../closing.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { buildContext } from './fixtures.js';

it('there is a writer for each stream that may be written to, and for no other', () => {
  const text = SAMPLE.replace('idp: { type: scim,', 'idp: { type: scim, write_back: true,').replace(
    '\nusers:',
    `
  other: { type: scim, base_url: https://other.example.com/v2 }
  crm: { type: crm, preset: salesforce, base_url: https://a.example.com, streams: { deals: { write_back: true } } }
  erp: { type: crm, base_url: https://b.example.com, streams: { a: { path: /a, next: none, key: id, columns: { id: string }, write_back: true } } }
users:`,
  );
  const writers = createWriters(loadSample(text), buildContext());
  for (const writer of writers.values()) closeAfterTest(writer);
  expect([...writers].map(([name, writer]) => [name, writer.name])).toEqual([
    ['idp', 'idp'],
    ['crm.deals', 'crm.deals'],
    ['erp.a', 'erp.a'],
  ]);
});
