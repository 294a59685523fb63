import { copyFileSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IS_THOROUGH } from '../depth.js';
import { HEADER, HOUR, line, person, type Row, type Yaml } from './company.js';
import { openStory, type Story } from './kit.js';

/**
 * A run looks at what has moved and maps what is new. Whatever happened before, it plans what a run plans that looks at
 * everything and maps every row, over the same mirror and the same deliveries.
 */

const IDS = ['E1', 'E2', 'E3', 'E4', 'E5'] as const;
const COLUMNS = ['title', 'phone', 'office', 'unit', 'status', 'last'] as const;
const WORDS: Readonly<Record<(typeof COLUMNS)[number], readonly string[]>> = {
  title: ['Engineer', 'Lead', ''],
  phone: ['1', '2', ''],
  office: ['Oslo', 'Bergen', 'Nowhere'],
  unit: ['north', 'south', 'east', ''],
  status: ['', 'left', 'external'],
  last: ['One', 'Two'],
};

/** Pieces of the configuration that are switched on and off. */
const PATCHES: readonly { readonly [key: string]: Yaml }[] = [
  { users: { fields: { title: { en: 'record.?title' } } } },
  { users: { fields: { title: { en: 'record.?title.orValue("none") + " " + string(today).substring(0, 10)' } } } },
  { users: { fields: { telephone: 'record.?phone' } } },
  { users: { scope: 'record.?status.orValue("") != "external"' } },
  { users: { scope: 'true' } },
  { drift: 'report' },
  { drift: 'correct' },
  { policy: 'upsert-only' },
  { policy: 'sync' },
];

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('cell' as const),
      id: fc.constantFrom(...IDS),
      column: fc.constantFrom(...COLUMNS),
      pick: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('add' as const, 'remove' as const), id: fc.constantFrom(...IDS) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      how: fc.constantFrom('as it is', 'as it is', 'turned round', 'a row twice', 'a bad row', 'cut', 'nothing'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('edit' as const, 'deactivate' as const, 'link' as const, 'erase' as const),
      id: fc.constantFrom(...IDS),
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('sync' as const), full: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'approve' as const,
        'undo' as const,
        'save' as const,
        'old mirror' as const,
        'old state' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 30, 24 * 8) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('configure' as const), patch: fc.nat(PATCHES.length - 1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A company whose history is played, and what HR has in its tables. */
class History {
  private readonly rows = new Map<string, Row>(IDS.slice(0, 3).map((id) => [id, person(id)]));
  private lastRun: string | undefined;

  constructor(private readonly story: Story) {}

  async play(one: Step): Promise<void> {
    const { story, rows } = this;
    switch (one.do) {
      case 'cell': {
        const row = rows.get(one.id);
        const words = WORDS[one.column];
        if (row !== undefined) rows.set(one.id, { ...row, [one.column]: words[one.pick % words.length] ?? '' });
        return;
      }
      case 'add':
        rows.set(one.id, person(one.id));
        return;
      case 'remove':
        rows.delete(one.id);
        return;
      case 'deliver':
        this.deliver(one.how);
        return;
      case 'edit':
      case 'deactivate':
        await this.editService(one.id, one.do === 'edit' ? { title: { en: 'Edited' } } : { deactivated: true });
        return;
      case 'link': {
        const [first] = story.users();
        if (first === undefined) return;
        const found = await story.others('GET', `/api/v1/users/find?email=${first.email}`);
        await story.type('link', 'users', one.id, (found as { readonly id: string }).id);
        return;
      }
      case 'erase':
        await story.type('audit', 'erase', one.id, '--reason', 'asked for', '--yes');
        return;
      case 'sync':
        this.lastRun = (await story.sync({ full: one.full })).json.run;
        return;
      case 'approve': {
        const { json } = await story.plan();
        for (const { guard } of json.guards ?? []) await story.approve({ guard, reason: 'seen' });
        return;
      }
      case 'undo':
        if (this.lastRun !== undefined) await story.undo(this.lastRun, { reason: 'wrong' });
        return;
      case 'save':
        for (const name of ['mirror.db', 'state.db']) copyIfThere(this.at(name), this.at(`../old-${name}`));
        return;
      case 'old mirror':
        // As after a power cut: mirror.db does not wait for the disk.
        this.bringBack('mirror.db');
        return;
      case 'old state':
        this.bringBack('state.db');
        return;
      case 'wait':
        story.clock.advance(one.hours * HOUR);
        return;
      case 'configure':
        story.configure(PATCHES[one.patch] ?? {});
    }
  }

  private deliver(how: string): void {
    const lines = [...this.rows.values()].map((row) => line(row));
    const [first = ''] = lines;
    const texts: Readonly<Record<string, readonly string[]>> = {
      'as it is': lines,
      'turned round': lines.toReversed(),
      'a row twice': [...lines, first.replace('Person', 'Other')],
      'a bad row': [...lines, 'E9;too;short'],
      cut: lines.slice(0, 1),
      nothing: [],
    };
    this.story.deliverText(`${[HEADER, ...(texts[how] ?? [])].join('\n')}\n`);
  }

  private async editService(id: string, fields: object): Promise<void> {
    if (this.story.users().some((user) => user.external_unique_id === id)) await this.story.editUser(id, fields);
  }

  private at(name: string): string {
    return join(this.story.folder, 'var', name);
  }

  private bringBack(name: string): void {
    if (!existsSync(this.at(`../old-${name}`))) return;
    for (const ending of ['-wal', '-shm']) rmSync(this.at(`${name}${ending}`), { force: true });
    copyFileSync(this.at(`../old-${name}`), this.at(name));
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}

/** Plans over a copy of the state in which nothing of what was staged, or is known to have moved, is left. */
async function planFromScratch(story: Story): Promise<unknown> {
  const [state, kept] = [join(story.folder, 'var'), join(story.folder, 'kept')];
  cpSync(state, kept, { recursive: true });
  try {
    if (existsSync(join(state, 'mirror.db'))) {
      const mirror = new Database(join(state, 'mirror.db'));
      for (const table of ['staged_rows', 'staged_contents', 'staged_places', 'pending', 'moved_objects', 'counted'])
        mirror.exec(`DELETE FROM ${table}`);
      mirror.exec("DELETE FROM marks WHERE name LIKE 'staged%' OR name LIKE 'pending%'");
      mirror.close();
    }
    return describe(await story.plan());
  } finally {
    rmSync(state, { recursive: true });
    renameSync(kept, state);
  }
}

/** All that a plan says, but for its name and times. */
function describe({ code, json }: Awaited<ReturnType<Story['plan']>>): unknown {
  const text = JSON.stringify(json, (name, value: unknown) => (VARYING.has(name) ? undefined : value));
  return { code, ...(JSON.parse(text) as object) };
}

const VARYING: ReadonlySet<string> = new Set(['plan', 'created', 'expires', 'meta', 'file']);

test('whatever happened, a run plans what it would plan from scratch', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 18 }), async (steps) => {
      const story = await openStory();
      story.configure({ sources: { hr: { settle: '0s' } }, guards: { users: { deactivate: { max: 1 } } } });
      const history = new History(story);
      await history.play({ do: 'deliver', how: 'as it is' });
      await history.play({ do: 'sync', full: false });
      for (const one of steps) {
        await history.play(one);
        const scratch = await planFromScratch(story);
        expect(describe(await story.plan())).toEqual(scratch);
      }
      const held = (await story.plan({ full: true })).json.held ?? [];
      expect(held.filter(({ code }) => code === 'SYNC_ENGINE_DRIFT')).toEqual([]);
    }),
    { numRuns: IS_THOROUGH ? 500 : 8 },
  );
});
