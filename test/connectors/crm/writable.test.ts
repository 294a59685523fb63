import { describe, expect, it } from 'vitest';
import { systemOf } from '../../../src/connectors/crm/systems.js';
import { VENDORS } from '../../../src/connectors/crm/vendors/vendors.js';
import type { ListedStreamConfig, ListedStreamShape } from '../../../src/connectors/listed/listed-stream.js';
import { listShipped } from '../../../src/connectors/listed/preset.js';
import { whyNotWritable as whyNot } from '../../../src/connectors/listed/writable.js';
import type { Column } from '../../../src/model/column.js';
import { column, listedConfig } from '../fixtures.js';

const whyNotWritable = (stream: ListedStreamShape, column: string) => whyNot(systemOf(stream), stream, column);

const writable = (feed: ListedStreamConfig): readonly string[] =>
  Object.keys(feed.columns).filter((name) => whyNotWritable(feed, name) === null);

/** A stream as a preset provides it. */
function shipped(
  preset: keyof typeof VENDORS,
  stream: 'companies' | 'deals',
  more: Readonly<Record<string, Column>> = {},
): ListedStreamConfig {
  const shipping = VENDORS[preset].preset;
  return listedConfig('https://crm.example.com', {
    dialect: preset,
    path: shipping.streams[stream]?.object ?? '',
    columns: { ...listShipped(shipping, stream), ...more },
  });
}

describe('writable columns of the presets', () => {
  it.each([
    ['hubspot', 'companies', 'name domain website industry phone city country description employees owner_id'],
    ['hubspot', 'deals', 'name stage pipeline amount currency close_date description owner_id'],
    ['salesforce', 'companies', 'name website industry phone city country description employees'],
    ['salesforce', 'deals', 'name customer_id stage amount close_date description'],
    ['dynamics', 'companies', 'name website phone city country description employees'],
    ['dynamics', 'deals', 'name amount close_date description'],
  ] as const)('are the expected ones for %s %s', (preset, stream, columns) => {
    expect(writable(shipped(preset, stream))).toEqual(columns.split(' '));
  });
});

it.each([
  ['hubspot', '/archived', 'is not a property'],
  ['hubspot', '/properties/hs_object_id', 'HubSpot sets'],
  ['salesforce', '/Owner/Email', 'belongs to another record'],
  ['salesforce', '/SystemModstamp', 'Salesforce sets'],
  ['dynamics', '/statecode@OData.Community.Display.V1.FormattedValue', 'the label of a number'],
  ['dynamics', '/_ownerid_value', 'the id of another record'],
  ['dynamics', '/statecode', 'by special actions only'],
  ['dynamics', '/parentaccountid/name', 'belongs to another record'],
] as const)('explains for %s why %s cannot be written', (preset, from, why) => {
  expect(whyNotWritable(shipped(preset, 'deals', { own: column('string', { from }) }), 'own')).toContain(why);
});

it('excludes the key, lists, and columns without a place in the body', () => {
  const columns = { id: column('string'), name: column('string'), first: column('string', { from: '/owners/0/mail' }) };
  const feed = (body: unknown) =>
    listedConfig('https://crm.example.com', {
      columns,
      writeBack: { lapseMs: 1, request: { method: 'PATCH', path: '/{key}', body } },
    });
  expect(writable(feed(null))).toEqual(['name']);
  expect(writable(feed({ set: '{cells}' }))).toEqual(['name', 'first']);
  expect(writable(feed([{ op: 'replace', path: '/name', value: '{cells.name}' }]))).toEqual(['name']);
  expect(whyNotWritable(feed(null), 'id')).toContain('key');
  expect(whyNotWritable(feed(null), 'nonsense')).toContain('no such column');
});
