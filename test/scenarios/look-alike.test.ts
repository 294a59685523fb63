import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

const acme = { id: 'C1', name: 'Acme' };
const beta = { id: 'C2', name: 'Beta' };
const move = { id: 'D1', customer: 'C1', name: 'Move', stage: 'draft' };
const dig = { id: 'D2', customer: 'C1', name: 'Dig', stage: 'draft' };

async function openAgency(patch = {}): Promise<Story> {
  const story = await openStory();
  story.configure(CRM);
  story.configure({ customers: { match: ['external_unique_id'] }, ...patch });
  story.deliver([person('E1')]);
  story.deliverCompanies([acme, beta]);
  story.deliverDeals([move, dig]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

test('a customer and a project under new keys are held instead of being created a second time', async () => {
  const story = await openAgency();
  story.deliverCompanies([{ ...acme, id: 'C9', name: 'ACME' }, beta]);
  story.deliverDeals([{ ...move, id: 'D9' }, dig]);
  for (let times = 0; times < 3; times++) {
    const ran = await story.sync({ full: times === 1 });
    expect(ran.code).toBe(3);
    expect(summarise(ran.json.held)).toEqual(['C9 SYNC_LOOK_ALIKE', 'D9 SYNC_LOOK_ALIKE']);
    expect(ran.json.guards.map(({ guard, held }) => [guard, held])).toEqual([
      ['customers.look_alike', 1],
      ['projects.look_alike', 1],
    ]);
  }
  expect(story.takeWrites()).toEqual([]);
  // They are the same: one answer each, and the next run writes the new key too.
  const { stdout } = await story.type('holds', 'list', '--json');
  const { holds } = JSON.parse(stdout) as { holds: readonly { id: string }[] };
  for (const { id } of holds) expect((await story.type('holds', 'resolve', id, '--relink')).code).toBe(0);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], guards: [] } });
  expect(story.takeWrites().map((write) => write.split(' ')[0])).toEqual(['PUT', 'PUT']);
  expect(story.customers()).toHaveLength(2);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});

sweep('creates the second project once a person says that the two differ', async () => {
  const story = await openAgency();
  story.deliverDeals([{ ...move, id: 'D9' }, dig]);
  await story.sync();
  expect((await story.type('holds', 'resolve', 'project:D9', '--new', '--reason', 'moved twice')).code).toBe(0);
  expect((await story.sync()).json).toMatchObject({ counts: { projects: { create: 1 } }, done: 1, held: [] });
});

sweep('creates a project with an equal name next to the old one, or of another customer', async () => {
  const story = await openAgency();
  story.deliverDeals([move, dig, { ...move, id: 'D8' }, { ...dig, id: 'D7', customer: 'C2' }]);
  expect((await story.sync()).json).toMatchObject({ counts: { projects: { create: 2 } }, done: 2, held: [] });
  // A moving time window: old ones disappear, and others with other names come.
  story.deliverDeals([dig, { ...move, id: 'D10', name: 'Build' }]);
  expect((await story.sync()).json).toMatchObject({ counts: { projects: { create: 1 } }, done: 1, held: [] });
});
