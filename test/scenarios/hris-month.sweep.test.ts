import { expect, test } from 'vitest';
import { STAFFS } from '../connectors/hris/staffs.js';
import type { Yaml } from './company.js';
import { openStory } from './kit.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test.each(STAFFS)('%s: deactivates exactly those who left in a month of events', async (_, open) => {
  const story = await openStory();
  const time = {
    get now() {
      return story.clock.now();
    },
    set now(_ms: number) {},
  };
  const staff = await open(12, { time });
  story.configure({
    sources: { people: { type: 'hris', base_url: staff.server.url, ...(staff.source as { [key: string]: Yaml }) } },
    users: {
      existence: 'people',
      leaver: { when: staff.leaver },
      fields: {
        email: 'record.?email.orValue("").lowerAscii()',
        name: 'record.?first_name.orValue("") + " " + record.?last_name.orValue("")',
        office: { country: '"no"', name: 'record.?office.orValue("Oslo")' },
        title: { en: 'record.?title' },
      },
    },
  });
  const syncAfter = async (ms: number) => {
    story.clock.advance(ms);
    const { json } = await story.sync();
    return json.counts ?? {};
  };
  const [promoted = '', resting = '', left = '', hidden = '', removed = ''] = staff.ids;
  expect(await syncAfter(HOUR)).toEqual({ users: { create: 12 } });
  expect(await syncAfter(HOUR)).toEqual({});

  staff.promote(promoted, 'Partner');
  staff.rest(resting);
  staff.leave(left);
  staff.hire('novice');
  expect(await syncAfter(HOUR)).toEqual({ users: { create: 1, update: 1, deactivate: 1 } });

  staff.hide?.(hidden);
  staff.server.failNext({ body: {}, ...staff.throttle });
  for (let day = 0; day < 4; day++) expect(await syncAfter(DAY + HOUR)).toEqual({});

  const show = staff.hideColumn?.('title');
  staff.promote(promoted, 'Chair');
  if (show !== undefined) {
    expect(await syncAfter(DAY + HOUR)).toEqual({});
    expect((await story.sync()).json.guards).toMatchObject([{ cause: 'column emptied' }]);
    show();
  }
  expect(await syncAfter(DAY + HOUR)).toEqual({ users: { update: 1 } });

  staff.remove(removed);
  expect(await syncAfter(DAY + HOUR)).toEqual({ users: { deactivate: 1 } });
  const gone = story.users().filter(({ deactivated }) => deactivated);
  expect(gone.map(({ external_unique_id: id }) => id).sort()).toEqual([left, removed].sort());

  const before = staff.server.requests.length;
  expect(await syncAfter(HOUR)).toEqual({});
  const asked = staff.server.requests.slice(before).map(({ method, path }) => `${method} ${path}`);
  expect(asked.filter((request) => !staff.login.test(request)).length).toBeLessThanOrEqual(5);
});
