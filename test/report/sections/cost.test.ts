import { expect, it } from 'vitest';
import { listCost } from '../../../src/report/sections/cost.js';
import type { Report } from '../../../src/report/sections/report.js';
import { renderSection } from '../../../src/report/writers/page/blocks.js';

it('leaves out a number for reads that a run does not record by endpoint, and draws no bar for zero', () => {
  const cost = { writes: 5, reads: 8, by_endpoint: { 'GET /users': 8, 'POST /users': 2, 'PUT /users': 3 }, seconds: 1 };
  const plan = { cost } as unknown as Report['plan'];
  const section = listCost(
    { kind: 'run', plan, spent: { writes: 3, reads: 8, seconds: 2 } },
    new Map([['PUT /users', 3]]),
  );
  const { html = '' } = section === null ? {} : renderSection(section);
  const cells = [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    row
      .replace(/<\/t[hd]>/g, ' ')
      .replace(/<[^>]*>/g, '')
      .trim(),
  );
  expect(cells).toEqual(['Endpoint Forecast Sent for changes', 'GET /users 8 ·', 'POST /users 2 0', 'PUT /users 3 3']);
  expect(html.match(/<rect [^>]*class="tone-accent"/g)).toHaveLength(1);
});
