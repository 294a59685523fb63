import { expect, test } from 'vitest';
import { STAFFS } from '../connectors/hris/staffs.js';
import { runMeasured } from '../hostile/measured.js';
import type { Yaml } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';

const MOST_MIB = 250;
const PEOPLE = 100_000;

test.each(STAFFS)('%s: 100,000 people are read in little memory', async (_, open) => {
  const story = await openStory();
  const time = {
    get now() {
      return Date.now();
    },
    set now(_ms: number) {},
  };
  const staff = await open(PEOPLE, { time });
  story.configure({
    sources: {
      people: { type: 'hris', timeout: '5m', base_url: staff.server.url, ...(staff.source as { [key: string]: Yaml }) },
    },
    users: {
      existence: 'people',
      scope: 'record.id == "1"',
      leaver: { when: staff.leaver },
      fields: {
        email: 'record.?email.orValue("")',
        name: 'record.?first_name.orValue("")',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
      },
    },
  });
  const { code, stdout, peakMiB } = await runMeasured(story, ['sync']);
  expect([code, JSON.parse(stdout).counts]).toEqual([0, { users: { create: 1 } }]);
  expect(peakMiB).toBeLessThan(MOST_MIB);
});
