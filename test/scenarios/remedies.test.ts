import { expect, test } from 'vitest';
import { nameGuardKind } from '../../src/model/held-source.js';
import { HEADER, HOUR, line, person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

/** What a remedy tells people to do: a command as it is printed, or something with the source or the configuration. */
type Step = (story: Story) => unknown;

interface Situation {
  /** What begins it, once the first delivery is in use. */
  readonly begin: Step;
  /** Id of what waits: a code, or the name of a guard. */
  readonly waits: string;
  /** What is printed, as far as it is not the same every time. */
  readonly remedy: RegExp;
  /** A command within the remedy is typed as it is printed, for all that waits; anything else is done. */
  readonly follow: Step | RegExp;
}

const jane = person('E1', { first: 'Jane', last: 'Doe', email: 'jane@example.com' });
const staff: readonly Row[] = [jane, ...Array.from({ length: 9 }, (_, at) => person(`E${at + 2}`))];
const edit = (id: string, more: Row): readonly Row[] => staff.map((row) => (row.id === id ? { ...row, ...more } : row));
const deliver =
  (rows: readonly Row[]): Step =>
  (story) => {
    story.clock.advance(12 * HOUR);
    return story.deliver(rows);
  };

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'two rows of one person that both stay': {
    begin: deliver([...staff, { ...jane, id: 'N1' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /the same: `talent-sync link users N1 \w+`; if not, correct the/,
    follow: /talent-sync (link users N1 \w+)/,
  },
  'two rows of two people with one address': {
    begin: deliver([...staff, { ...person('N1'), email: 'jane@example.com' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /if not, correct the source/,
    follow: deliver([...staff, person('N1')]),
  },
  'a leaver whom a joiner is like': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', last: 'Roe' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /talent-sync link users N1 \w+/,
    follow: /talent-sync (link users N1 \w+)/,
  },
  'the same, and they are two': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', email: 'jane.doe@example.com' }]),
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /talent-sync approve --who user:\S+ --reason "…"/,
    follow: /talent-sync (approve --who user:\S+) --reason "…"/,
  },
  'a row that cannot be read': {
    begin: (story) => story.deliverText(`${[HEADER, ...staff.slice(1).map(line), 'E1;Jane'].join('\n')}\n`),
    waits: 'SYNC_ROW_FIELDS',
    remedy: /./,
    follow: deliver(staff),
  },
  'a country that is not known': {
    begin: deliver(edit('E2', { country: 'xx' })),
    waits: 'SYNC_REFERENCE_UNKNOWN',
    remedy: /Correct the country in the source/,
    follow: deliver(staff),
  },
  'more leavers than may be': {
    begin: deliver(staff.slice(0, 5)),
    waits: 'users.deactivate',
    remedy: /talent-sync approve --guard users\.deactivate --reason "…"/,
    follow: /talent-sync (approve --guard users\.deactivate) --reason "…"/,
  },
  'fewer people than were seen': {
    begin: deliver(staff.slice(0, 7)),
    waits: 'people_missing',
    remedy: /deliver it again; if these people are really gone, `talent-sync holds ack \w+ --reason "…"`/,
    follow: /talent-sync (holds ack \w+) --reason "…"/,
  },
  'the same, and the file was cut': {
    begin: deliver(staff.slice(0, 7)),
    waits: 'people_missing',
    remedy: /deliver it again/,
    follow: deliver(staff),
  },
  'an old file': {
    begin: async (story) => {
      story.deliver(edit('E3', { status: 'left' }));
      await story.sync();
      story.clock.advance(96 * HOUR);
      story.deliver(staff);
    },
    waits: 'sources.hr.older_content',
    remedy: /If it corrects the delivery of .*, `talent-sync approve --guard .*` uses it\. If an old file came/,
    follow: /talent-sync (approve --guard sources\.hr\.older_content:\w+) --reason "…"/,
  },
  'the same, and the right file is delivered': {
    begin: async (story) => {
      story.deliver(edit('E3', { status: 'left' }));
      await story.sync();
      story.clock.advance(96 * HOUR);
      story.deliver(staff);
    },
    waits: 'sources.hr.older_content',
    remedy: /until the right one is delivered/,
    follow: deliver(edit('E3', { status: 'left', title: 'Lead' })),
  },
  'a file that was cut, under `shrink`': {
    begin: (story) => {
      story.configure({ sources: { hr: { shrink: { percent: 20 } } } });
      story.deliver(staff.slice(0, 7));
    },
    waits: 'sources.hr.shrink',
    remedy: /talent-sync approve --guard sources\.hr\.shrink:\w+ --reason "…"/,
    follow: /talent-sync (approve --guard sources\.hr\.shrink:\w+) --reason "…"/,
  },
  'a value that somebody else has': {
    begin: deliver(edit('E2', { email: 'e3@example.com' })),
    waits: 'SYNC_VALUE_TAKEN',
    remedy: /Correct the value in the source/,
    follow: deliver(staff),
  },
};

interface Waiting {
  readonly id: string;
  readonly of: string;
  readonly code: string | null;
  readonly resolve: string;
  readonly acknowledged?: object;
}

async function listWaiting(story: Story, named: string): Promise<readonly Waiting[]> {
  const waiting = (await story.status()).json.waiting as unknown as readonly Waiting[];
  return waiting.filter(
    ({ of, code, acknowledged }) => acknowledged === undefined && (code === named || nameGuardKind(of) === named),
  );
}

async function type(story: Story, command = ''): Promise<void> {
  const words = command.split(' ');
  const reason = words[0] === 'link' ? [] : ['--reason', 'asked HR'];
  expect(await story.type(...words, ...reason)).toMatchObject({ code: 0 });
}

test.each(Object.entries(SITUATIONS))('%s: the remedy leads out', async (_, { begin, waits, remedy, follow }) => {
  const story = await openStory();
  story.configure({ users: { leaver: { after_missing_reads: waits === 'users.deactivate' ? 1 : 3 } } });
  story.deliver(staff);
  expect((await story.sync()).code).toBe(0);
  await begin(story);
  await story.sync();
  const found = await listWaiting(story, waits);
  expect(found[0]?.resolve).toMatch(remedy);
  if (typeof follow === 'function') await follow(story);
  else for (const { resolve } of found) await type(story, follow.exec(resolve)?.[1]);
  // Gone, and not in the next run either.
  for (let times = 0; times < 2; times++) {
    await story.sync();
    expect(await listWaiting(story, waits)).toEqual([]);
  }
});
