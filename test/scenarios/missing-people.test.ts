import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 24 * HOUR;
const people = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => person(`E${from + index}`));

/** A company of 30 people in the first file, one day ago. */
async function openCompany(patch: Parameters<Story['configure']>[0] = {}): Promise<{ story: Story; seen: string }> {
  const story = await openStory();
  story.configure({ timezone: 'Europe/Oslo', users: { leaver: { after_missing_reads: 3 } } });
  story.configure(patch);
  story.deliver(people(1, 30));
  const at = new Date(story.clock.now());
  expect((await story.sync()).code).toBe(0);
  story.clock.advance(DAY);
  const seen = at.toLocaleDateString('en-GB', { timeZone: 'Europe/Oslo', day: 'numeric', month: 'long' });
  return { story, seen };
}

interface Waiting {
  readonly kind: string;
  readonly id: string;
  readonly code: string | null;
  readonly cause: string;
  readonly acknowledged?: object;
}

const waitingIn = async (story: Story) =>
  ((await story.status()).json.waiting as unknown as readonly Waiting[]).filter(
    ({ code }) => code === 'people_missing',
  );

test('names the read that had shown the people, however often the short file came', async () => {
  const { story, seen } = await openCompany();
  const said = `27 of the 30 people seen on ${seen} have been missing since \`employees-02.csv\``;
  for (let day = 1; day <= 3; day++) {
    story.deliver(people(1, 3));
    const planned = await story.plan();
    const ran = await story.sync();
    for (const { json } of [planned, ran]) {
      expect(json).toMatchObject({ missing_people: [{ source: 'hr', missing: 27, seen: 30, text: said }] });
    }
    expect(await waitingIn(story)).toMatchObject([{ kind: 'source', cause: said }]);
    expect(ran.json.guards).toMatchObject(
      day < 3 ? [] : [{ guard: 'users.deactivate', found: 27, cause: 'source shrank', detail: said }],
    );
    story.clock.advance(DAY);
  }
  expect((await story.type('plan')).stdout.replaceAll(/\s+/g, ' ')).toContain(`hr: ${said}. See whether its export`);
  // Everyone is back: nothing is left to report.
  story.deliver(people(1, 30));
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { guards: [] } });
  expect(ran.json).not.toHaveProperty('missing_people');
  expect(await waitingIn(story)).toEqual([]);
});

sweep('counts people who go missing in steps since the first step, without deactivated ones', async () => {
  const { story, seen } = await openCompany({ guards: { users: { deactivate: 'off' } } });
  story.deliver(people(1, 20));
  await story.sync();
  story.clock.advance(DAY);
  // Eight more are missing, and a joiner is new.
  story.deliver([...people(1, 12), person('E31')]);
  expect((await story.sync()).json).toMatchObject({
    missing_people: [
      {
        text: `18 of the 30 people seen on ${seen} have been missing since \`employees-02.csv\`, 8 of them since \`employees-03.csv\``,
      },
    ],
  });
  story.clock.advance(DAY);
  story.deliver([...people(1, 12), person('E31')]);
  // The third proof for the first ten: the run deactivates them, and eight of the twenty in the second file are left
  // to report.
  expect((await story.sync()).json).toMatchObject({ counts: { users: { deactivate: 10 } } });
  expect((await story.plan()).json).toMatchObject({ missing_people: [{ missing: 8, seen: 20 }] });
});

sweep('does not report a few missing people, and takes the limit from `shrink`', async () => {
  const { story } = await openCompany();
  story.deliver(people(1, 24));
  expect((await story.sync()).json).not.toHaveProperty('missing_people');
  story.configure({ sources: { hr: { shrink: { percent: 10 } } } });
  expect((await story.sync()).json).toMatchObject({ missing_people: [{ missing: 6, seen: 30 }] });
});

sweep('reports missing people until acknowledged, and again when others go missing', async () => {
  const { story } = await openCompany();
  story.deliver(people(1, 20));
  await story.sync();
  const [item] = await waitingIn(story);
  const { stdout } = await story.type('holds', 'list');
  expect(stdout).toContain(`talent-sync holds ack ${item?.id.slice(0, 12)} --reason`);
  expect((await story.type('holds', 'ack', item?.id ?? '', '--reason', 'an office was sold')).code).toBe(0);
  const ran = await story.sync();
  expect(ran.json).not.toHaveProperty('missing_people');
  expect(await waitingIn(story)).toMatchObject([{ acknowledged: { reason: 'an office was sold' } }]);
  story.clock.advance(DAY);
  story.deliver(people(1, 15));
  expect((await story.sync()).json).toMatchObject({ missing_people: [{ missing: 15, seen: 30 }] });
});
