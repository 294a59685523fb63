import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closeOpened } from '../../closing.js';
import { oneIn, tries } from '../../depth.js';
import { write, writeAll } from '../writing.js';
import { type Company, openDynamics, openHubspot, openSalesforce } from './companies-of-vendors.js';
import type { Fault } from './imitations/vendor-server.js';

/**
 * Each vendor rejects the name `bad` in its own way: the entire call, one of its results, or the call of one record.
 */
const OPEN: readonly (readonly [string, (count: number) => Promise<Company>])[] = [
  [
    'HubSpot',
    (count) =>
      openHubspot(count, 'companies', undefined, {
        validate: (_, value) => (value === 'bad' ? 'INVALID_OPTION' : null),
      }),
  ],
  [
    'Salesforce',
    (count) =>
      openSalesforce(count, {
        validate: (_, { Name }) =>
          Name === 'bad' ? { statusCode: 'STRING_TOO_LONG', message: 'no', fields: ['Name'] } : null,
      }),
  ],
  [
    'Dynamics',
    (count) => openDynamics(count, undefined, { validate: (_, { name }) => (name === 'bad' ? 'no' : null) }),
  ],
];

const isWrite = (text: string): boolean => /^PATCH|batch\/update/.test(text);
const countWrites = ({ server }: Company): number =>
  server.requests.filter(({ method, path }) => isWrite(`${method} ${path}`)).length;

const FAULTS: readonly Fault[] = ['reset', 'reset after', 'truncated', 'html', 429, 503, 401];
const kind = fc.constantFrom('good', 'good', 'good', 'bad', 'gone');
const fault = fc.option(fc.constantFrom(...FAULTS), { freq: 2 });

it.each(oneIn(1, OPEN))('%s: reports for each record its true outcome, despite any fault', async (_, open) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(kind, { minLength: 1, maxLength: 12 }),
      fc.array(fault, { maxLength: 12 }),
      async (kinds, faults) => {
        const company = await open(kinds.length);
        for (const [place, one] of kinds.entries()) if (one === 'gone') company.remove(company.ids[place] ?? '');
        const before = new Map(company.ids.map((id) => [id, company.nameOf(id)]));
        for (const [place, one] of faults.entries()) {
          const isMeant = (text: string): boolean => isWrite(text) && countWrites(company) === place + 1;
          if (one !== null) company.server.failNext(one, Object.assign(/./, { test: isMeant }));
        }
        const writes = company.ids.map((id, place) =>
          write(id, { name: kinds[place] === 'bad' ? 'bad' : `new ${place}` }),
        );
        const { outcomes, error } = await writeAll(company.feed.writer, writes);
        for (const [place, id] of company.ids.entries()) {
          const status = outcomes.get(id)?.status ?? 'not tried';
          if (status === 'done') expect([kinds[place], company.nameOf(id)]).toEqual(['good', `new ${place}`]);
          if (status === 'refused') expect(kinds[place]).not.toBe('good');
          if (status === 'refused' || status === 'not tried') expect(company.nameOf(id)).toBe(before.get(id));
          if (status === 'not tried') expect(error).not.toBeNull();
        }
        await closeOpened();
      },
    ),
    { numRuns: tries(25) },
  );
});
