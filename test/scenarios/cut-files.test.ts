import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HEADER, line, person } from './company.js';
import { CREATE_USER, openStory, type Story } from './kit.js';

const ROWS = Array.from({ length: 10 }, (_, i) => line(person(`E${i + 1}`, { rank: '1000' })));
const WHOLE = `${[HEADER, ...ROWS].join('\n')}\n`;
const LEAVE_AT_ONCE = { users: { leaver: { after_missing_reads: 1 } }, guards: { users: { deactivate: 'off' } } };

/** Each parses cleanly. The second ends within the last field of its last row, which is held; nobody then counts as absent. */
const CUTS: readonly (readonly [string, string, code: number, left: number])[] = [
  ['at the end of a row', `${[HEADER, ...ROWS.slice(0, 7)].join('\n')}\n`, 3, 3],
  ['within the last field of a row', [HEADER, ...ROWS.slice(0, 7)].join('\n').slice(0, -1), 4, 0],
];

async function openCompany(
  rules: NonNullable<Parameters<Story['configure']>[0]['x']>,
  deliver: (story: Story) => void,
) {
  const story = await openStory();
  story.configure({ ...LEAVE_AT_ONCE, sources: { hr: rules } });
  deliver(story);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().filter((call) => call === CREATE_USER)).toHaveLength(10);
  return story;
}

function leavers(story: Story): number {
  return story.users().filter(({ deactivated }) => deactivated).length;
}

sweep.each(CUTS)('rejects a file cut %s by its manifest, and deactivates nobody', async (_, cut) => {
  const deliver = (story: Story, text: string): void => {
    const sha256 = createHash('sha256').update(WHOLE).digest('hex');
    const file = story.deliverText(text);
    writeFileSync(join(story.folder, 'drop', 'hr', `${file}.json`), JSON.stringify({ rows: 10, sha256 }));
  };
  const manifest = { pattern: '{file}.json', rows: '/rows', sha256: '/sha256' };
  // The pattern matches the manifest too.
  const story = await openCompany({ manifest, pattern: 'employees-*' }, (opened) => deliver(opened, WHOLE));
  deliver(story, cut);
  const ran = await story.sync();
  expect([ran.code, ran.error?.code]).toEqual([1, 'SYNC_SOURCE_CUT']);
  deliver(story, WHOLE);
  expect((await story.sync()).code).toBe(0);
  expect([story.takeWrites(), leavers(story)]).toEqual([[], 0]);
});

sweep.each(CUTS)('rejects a file cut %s by its trailer, and deactivates nobody', async (_, cut) => {
  const story = await openCompany({ trailer: { first_cell: 'TRAILER' } }, (opened) =>
    opened.deliverText(`${WHOLE}TRAILER;10\n`),
  );
  for (const text of [cut, `${WHOLE}TRAILER;11\n`, `${WHOLE}TRAILER;10\n${ROWS[0]}\n`]) {
    story.deliverText(text);
    expect((await story.sync()).error?.code).toBe('SYNC_SOURCE_CUT');
  }
  expect([story.takeWrites(), leavers(story)]).toEqual([[], 0]);
});

test.each(oneIn(1, CUTS))(
  'a file cut %s, with neither: it waits for an approval of this very content',
  async (_, cut, code, left) => {
    const story = await openCompany({ shrink: { percent: 20 } }, (opened) => opened.deliverText(WHOLE));
    story.deliverText(cut);
    const ran = await story.sync();
    expect([ran.code, ran.error?.code]).toEqual([code, 'SYNC_SOURCE_SHRUNK']);
    expect([story.takeWrites(), leavers(story)]).toEqual([[], 0]);
    // The message names the hold; approving another name releases nothing.
    const hold = /sources\.hr\.shrink:[0-9a-f]{12}/.exec(ran.error?.message ?? '')?.[0] ?? '';
    expect((await story.plan()).code).toBe(code);
    expect((await story.approve({ guard: 'sources.hr.shrink:000000000000' })).error?.code).toBe(
      'SYNC_APPROVAL_NOTHING',
    );
    expect((await story.approve({ guard: hold, reason: 'three have left' })).json.approved).toBe(1);
    expect((await story.sync()).error).toBeUndefined();
    expect(leavers(story)).toBe(left);
  },
);

test('reports a file with only a header as empty, not as a cut that could be approved', async () => {
  const story = await openCompany({ shrink: { percent: 20 } }, (opened) => opened.deliverText(WHOLE));
  story.deliverText(`${HEADER}\n`);
  expect(await story.sync()).toMatchObject({ code: 1, error: { code: 'SYNC_SOURCE_EMPTY' } });
  expect([story.takeWrites(), leavers(story)]).toEqual([[], 0]);
});

sweep('stops only the source whose manifest is missing or unusable', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { manifest: { pattern: '{stem}.manifest', rows: '/rows' } } } });
  const file = story.deliverText(WHOLE);
  expect((await story.sync()).error?.code).toBe('SYNC_SOURCE_UNSETTLED');
  const manifest = join(story.folder, 'drop', 'hr', file.replace('.csv', '.manifest'));
  for (const text of ['{', '{"rows":"many"}', '[]']) {
    mkdirSync(join(manifest, '..'), { recursive: true });
    writeFileSync(manifest, text);
    expect((await story.sync()).error?.code).toBe('SYNC_SOURCE_FORMAT');
  }
  expect(story.takeWrites()).toEqual([]);
});

const people = (count: number, more: readonly string[] = []) =>
  `${[HEADER, ...ROWS.slice(0, count), ...more].join('\n')}\n`;

/** Ten people, four of whom are gone: the cut is approved, and their deactivation waits for an approval. */
async function openCut(): Promise<Story> {
  const story = await openCompany({ shrink: { percent: 20 } }, (opened) => opened.deliverText(WHOLE));
  story.configure({ guards: { users: { deactivate: { max: 1 } } } });
  story.deliverText(people(6));
  const hold = /sources\.hr\.shrink:[0-9a-f]+/.exec((await story.sync()).error?.message ?? '')?.[0] ?? '';
  expect((await story.approve({ guard: hold, reason: 'an office was sold' })).json.approved).toBe(1);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.deactivate', found: 4 }]);
  story.clock.advance(86_400_000);
  return story;
}

sweep('accepts a later delivery after an approved cut if it lacks nobody else, or as few as may leave', async () => {
  const story = await openCut();
  for (const count of [6, 5]) {
    story.deliverText(people(count, [line(person(`N${count}`))]));
    const { json, error } = await story.sync();
    expect(error).toBeUndefined();
    expect(json.guards.map(({ guard }) => guard)).toEqual(['users.deactivate']);
    story.clock.advance(86_400_000);
  }
  // The expired approval does not bring the question back either.
  story.clock.advance(30 * 86_400_000);
  expect((await story.sync()).json.guards.map(({ guard }) => guard)).toEqual(['users.deactivate']);
});

sweep('holds a delivery that lacks more than an approved cut, and measures against returned people', async () => {
  const story = await openCut();
  story.deliverText(people(4, [line(person('N1')), line(person('N2'))]));
  const held = await story.sync();
  expect(held.json.guards).toMatchObject([
    {
      guard: expect.stringMatching(/^sources\.hr\.shrink:/),
      cause: 'source shrank',
      found: 2,
      limit: 1,
      detail: expect.stringMatching(/^it lacks 2 people from the delivery of \d+ \w+, which was approved/),
    },
  ]);
  story.deliverText(WHOLE);
  expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [] } });
  story.deliverText(people(5, [line(person('N9'))]));
  expect((await story.sync()).error?.code).toBe('SYNC_SOURCE_SHRUNK');
});

describe('a file that ends without a line end, unlike the earlier ones', () => {
  const cut = (title: string): string => WHOLE.replace(/\n$/, '').replace(/[^;]*$/, title);

  test('is not complete, and its last row is held, so that nobody gets half a value or counts as absent', async () => {
    const story = await openCompany({}, (opened) => opened.deliverText(WHOLE));
    const [header, ...rows] = WHOLE.trimEnd().split('\n');
    for (const [kept, row] of [
      [9, '1'],
      [8, '10'],
      [7, '100'],
    ] as const) {
      const shorter = [header, ...rows.slice(0, kept), (rows[kept] ?? '').replace(/\d+$/, row)];
      story.deliverText(shorter.join('\n'));
      for (const full of [false, true]) {
        const ran = await story.sync({ full });
        expect([ran.code, ran.json.held]).toEqual([4, [expect.objectContaining({ code: 'SYNC_ROW_FORMAT' })]]);
        expect(ran.json.held[0]?.reason).toContain('no line end, unlike in earlier deliveries');
      }
      expect((await story.type('status')).stdout.replace(/\s+/g, ' ')).toContain('the file seems to be truncated');
    }
    expect([story.takeWrites(), leavers(story)]).toEqual([[], 0]);
    story.deliverText(WHOLE.replace('1000\n', '1001\n'));
    expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  });

  test('counts as complete once five deliveries in a row have none, or if none ever had one', async () => {
    const story = await openCompany({}, (opened) => opened.deliverText(WHOLE));
    for (let times = 0; times < 6; times += 1) {
      story.deliverText(cut(`${times}`));
      expect((await story.sync()).json.held.length).toBe(times < 5 ? 1 : 0);
    }
    const other = await openCompany({}, (opened) => opened.deliverText(WHOLE.trimEnd()));
    other.deliverText(cut('2000'));
    expect(await other.sync()).toMatchObject({ code: 0, json: { held: [] } });
  });
});
