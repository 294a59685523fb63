import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HEADER, line, person } from './company.js';
import { openStory, type Story } from './kit.js';

const IDS = ['E01', 'E02', 'E03', 'E04', 'E05', 'E06', 'E07', 'E08', 'E09', 'E10', 'E11', 'E12'];

interface Dates {
  readonly start?: string;
  readonly end?: string;
  readonly status?: string;
}

function deliver(story: Story, datesOf: (id: string) => Dates, note: string): void {
  const rows = IDS.map((id) => {
    const { start = '01.03.2019', end = '', status = 'active' } = datesOf(id);
    return `${line(person(id, { status, rank: note }))};${start};${end}`;
  });
  story.deliverText(`${HEADER};start;end\n${rows.join('\n')}\n`);
}

const DATE = { type: 'date', format: 'dd.MM.yyyy', optional: true };

async function openCompany(leaver = {}): Promise<Story> {
  const story = await openStory();
  story.configure({
    sources: { hr: { columns: { start: DATE, end: DATE } } },
    users: {
      joiner: { start: 'record.?start' },
      leaver: { when: 'record.?status.orValue("") == "left" || (has(record.end) && record.end < today)', ...leaver },
    },
    guards: { users: { deactivate: 'off' } },
  });
  return story;
}

test.each(oneIn(2, ['01.01.1900', '30.12.1899', '31.12.1899', '01.01.1970', '01.01.1753', '01.01.0001']))(
  'a day of leaving that is %s is held',
  async (end) => {
    const story = await openCompany();
    deliver(story, () => ({}), 'a');
    expect((await story.sync()).code).toBe(0);
    deliver(story, (id) => (id <= 'E03' ? { end } : {}), 'b');
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { counts: {} } });
    expect(ran.json.held.map(({ code }) => code)).toEqual(Array(3).fill('SYNC_DATE_PLACEHOLDER'));
    expect(ran.json.held[0]?.remedy).toContain('`users.leaver.placeholder_dates: allowed`');
    story.configure({ users: { leaver: { placeholder_dates: 'allowed' } } });
    expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 3 } });
  },
);

sweep('deactivates a person by status, whatever the end date says', async () => {
  const story = await openCompany();
  deliver(story, () => ({}), 'a');
  await story.sync();
  deliver(story, (id) => (id === 'E01' ? { end: '01.01.1900', status: 'left' } : {}), 'b');
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 1 } } } });
});

sweep(
  'holds an end date of an active person that is long past or before the start, until a person confirms it',
  async () => {
    const story = await openCompany();
    deliver(story, () => ({}), 'a');
    await story.sync();
    const dates: Record<string, Dates> = {
      E01: { start: '01.03.2001', end: '31.12.2009' },
      E02: { start: '01.03.2024', end: '31.12.2023' },
      E03: { end: '31.12.2023' },
    };
    deliver(story, (id) => dates[id] ?? {}, 'b');
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { counts: { users: { deactivate: 1 } } } });
    expect(ran.json.held.map(({ key, code }) => `${key} ${code}`)).toEqual([
      'E01 SYNC_DATE_PLACEHOLDER',
      'E02 SYNC_DATE_PLACEHOLDER',
    ]);
    const [{ remedy = '' } = {}] = ran.json.held;
    const id = /resolve (\S+) --take/.exec(remedy)?.[1] ?? '';
    expect((await story.type('holds', 'resolve', id, '--take', 'source', '--reason', 'left in 2009')).code).toBe(0);
    expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
  },
);

sweep('does not take old leavers of a first load for placeholders', async () => {
  const story = await openCompany();
  deliver(story, (id) => (id <= 'E03' ? { start: '01.03.2001', end: '31.12.2009' } : {}), 'a');
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 9 } } } });
});

sweep('ignores a word for nothing in a date, and continues with the rest of the row', async () => {
  const story = await openCompany();
  deliver(story, () => ({}), 'a');
  await story.sync();
  deliver(story, (id) => (id <= 'E04' ? { end: 'N/A', start: '00.00.0000' } : {}), 'b');
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: {} } });
  expect(ran.json.held.map(({ key, code }) => `${key} ${code}`)).toEqual([
    'hr.start SYNC_CELL_NOTED',
    'hr.end SYNC_CELL_NOTED',
  ]);
});
