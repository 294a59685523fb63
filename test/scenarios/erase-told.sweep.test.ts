import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOUR, person } from './company.js';
import { openBoth } from './crm-both.js';
import { openFeed } from './crm-vendors.js';

/** Files of the folder that name her. */
function findTraces(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .filter(({ parentPath, name }) => /quimby/i.test(readFileSync(join(parentPath, name), 'latin1')))
    .map(({ name }) => name);
}

test('erases a person whose name was written back to the CRM with a project from all stored data', async () => {
  const both = await openBoth(openFeed);
  const { story, crm } = both;
  const JANE = { first: 'Jane', last: 'Quimby', email: 'jane.quimby@example.com' };
  story.deliver([person('E1'), person('E7', JANE)]);
  story.configure({ proposals: { write_back: { 'crm.deals': { remark: 'proposal.owner' } } } });
  const dam = crm.addDeal({ name: 'Dam', stage: crm.words.bid, owner_email: JANE.email });
  both.staff(['E1', 'E7'].map((who) => ({ person: who, project: dam })));
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  expect(crm.deal(dam)).toMatchObject({ people: `e1@example.com;${JANE.email}`, remark: JANE.email });

  crm.edit(dam, { owner_email: 'e1@example.com' });
  both.staff([{ person: 'E1', project: dam }]);
  story.deliver([person('E1')]);
  story.clock.advance(HOUR);
  expect((await story.sync({ full: true })).json.counts).toMatchObject({ users: { deactivate: 1 } });
  expect(findTraces(join(story.folder, 'var'))).toContain('state.db');
  const erased = await story.type('audit', 'erase', 'E7', '--reason', 'request 7', '--yes', '--json');
  expect(JSON.parse(erased.stdout)).toMatchObject({ erased: true, left: [] });

  expect(findTraces(join(story.folder, 'var'))).toEqual([]);
  expect((await story.verify()).json.ok).toBe(true);
});
