import { expect, test } from 'vitest';
import { CREATE_PROJECT, DAM, FJORD, openRich, UPDATE_PROJECT } from './reference-projects.js';

const {
  owners: _owners,
  problems: _problems,
  answers: _answers,
  text: _text,
  text_no: _textNo,
  sector: _sector,
  ...PLAIN
} = DAM;
const deals = (count: number, more: object, customer = 'C1') =>
  Array.from({ length: count }, (_, at) => ({
    ...PLAIN,
    id: `${customer}-${at}`,
    name: `Dam ${at}`,
    customer,
    ...more,
  }));

test('leaves out a field that the service rejects for many, and creates the others without it', async () => {
  const story = await openRich();
  story.configure({ service: { rate_limit: { concurrency: 1 } } });
  story.deliverCompanies([FJORD, { id: 'C2', name: 'Bridge' }]);
  // The field does not have this option.
  story.deliverDeals([...deals(8, { model: 'barter' }), ...deals(6, { model: 'barter' }, 'C2')]);
  const ran = await story.sync();
  expect([ran.code, ran.json.failed.length]).toEqual([4, 14]);
  expect(new Set(ran.json.failed.map(({ code }) => code))).toEqual(new Set(['SYNC_FIELD_REFUSED']));
  // The run tries five of the first customer and one of the other; it creates the rest by one call each.
  const tried = ran.json.failed.filter(({ message }) => message.startsWith('The service rejected a part'));
  expect(tried.map(({ key }) => key)).toEqual(['C1-0', 'C1-1', 'C1-2', 'C1-3', 'C1-4', 'C2-0']);
  expect(ran.json.failed.filter(({ remedy }) => !/the next run begins with another record/i.test(remedy))).toEqual([]);
  expect(story.takeWrites().filter((write) => write === CREATE_PROJECT).length).toBe(14 + 6);
  const projects = story.customers().flatMap((customer) => customer.projects);
  expect(projects).toHaveLength(14);
  // The next run begins with others. Once the value is corrected, all of them have it.
  await story.sync();
  expect(story.takeWrites().filter((write) => write === UPDATE_PROJECT).length).toBeLessThanOrEqual(6);
  story.deliverDeals([...deals(8, { model: 'fixed' }), ...deals(6, { model: 'fixed' }, 'C2')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 14, failed: [] } });
});
