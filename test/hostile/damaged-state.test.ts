import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep, tries } from '../depth.js';
import { person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const PEOPLE = Array.from({ length: 40 }, (_, at) => person(`E${at + 10}`, { title: `Engineer ${at}` }));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver(PEOPLE);
  await story.sync();
  await story.sync();
  story.takeWrites();
  return story;
}

const stateOf = ({ folder }: Story): string => join(folder, 'var');

/** Changes bytes at places that the seed decides. */
function flip(file: string, count: number, seed: number): void {
  const bytes = readFileSync(file);
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let flipped = 0; flipped < count; ) {
    const at = Math.floor(next() * bytes.length);
    // Where nothing is stored, nothing is damaged.
    if (bytes[at] === 0) continue;
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(next() * 255));
    flipped += 1;
  }
  writeFileSync(file, bytes);
}

const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
  ['noise', (file) => writeFileSync(file, Buffer.alloc(20_000, 'noise'))],
  ['truncated to half', (file) => writeFileSync(file, readFileSync(file).subarray(0, statSync(file).size / 2))],
  [
    'a damaged header',
    (file) => writeFileSync(file, Buffer.concat([Buffer.alloc(100, 1), readFileSync(file).subarray(100)])),
  ],
  ['a page of zeros', (file) => writeFileSync(file, readFileSync(file).fill(0, 4096 * 4, 4096 * 5))],
  ['20 flipped bytes', (file) => flip(file, 20, 7)],
];

describe('mirror.db', () => {
  test.each(oneIn(1, DAMAGES, 1))(
    'discards it with a warning after %s, reads it again, and writes nothing unnecessary',
    async (_, damage) => {
      const story = await openCompany();
      damage(join(stateOf(story), 'mirror.db'));
      const ran = await story.sync();
      expect(ran).toMatchObject({ code: 0, json: { done: 0, held: [], guards: [] } });
      expect(ran.stderr.match(/mirror\.db is damaged/g)).toHaveLength(1);
      expect(story.takeWrites()).toEqual([]);
      const again = await story.sync();
      expect(again).toMatchObject({ code: 0, stderr: '' });
      story.deliver([person('E10', { title: 'Lead' }), ...PEOPLE.slice(1)]);
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
      expect(story.takeWrites()).toHaveLength(1);
    },
  );

  sweep('finds a row with another content than the written one', async () => {
    const story = await openCompany();
    const mirror = new Database(join(stateOf(story), 'mirror.db'));
    mirror.exec("UPDATE objects SET body = replace(body, 'Engineer 7', 'Engineer 8') WHERE entity = 'users'");
    mirror.close();
    const ran = await story.sync();
    expect(ran.stderr).toContain('is damaged');
    expect(ran).toMatchObject({ code: 0, json: { done: 0 } });
    expect(story.takeWrites()).toEqual([]);
  });

  sweep('makes no wrong write and fails no run for any of many files with 20 flipped bytes', async () => {
    const story = await openCompany();
    const file = join(stateOf(story), 'mirror.db');
    const whole = readFileSync(file);
    for (let seed = 1; seed <= tries(25); seed++) {
      writeFileSync(file, whole);
      flip(file, 20, seed);
      expect(await story.sync(), `seed ${seed}`).toMatchObject({ code: 0, json: { done: 0 } });
      expect(story.takeWrites(), `seed ${seed}`).toEqual([]);
    }
  });
});

describe('state.db', () => {
  test.each(oneIn(1, DAMAGES.slice(0, 4), 1))(
    'writes nothing after %s, and a backup is the way back',
    async (_, damage) => {
      const story = await openCompany();
      const backup = (await story.backup(join(story.folder, 'kept.db'))).json.file;
      story.deliver([person('E10', { title: 'Lead' }), ...PEOPLE.slice(1)]);
      damage(join(stateOf(story), 'state.db'));
      for (const ran of [await story.sync(), await story.plan(), await story.apply()]) {
        expect(ran).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_DAMAGED' } });
        expect(ran.error?.remedy).toContain('state restore');
      }
      expect(story.takeWrites()).toEqual([]);
      const restored = await story.restore(backup);
      expect(restored.code).toBe(0);
      expect(existsSync(restored.json.kept ?? '')).toBe(true);
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
      expect(story.takeWrites()).toHaveLength(1);
    },
  );

  sweep('finds damage in any of many files with 20 flipped bytes, unless it does no harm', async () => {
    const story = await openCompany();
    const folder = stateOf(story);
    const whole = join(story.folder, 'whole');
    cpSync(folder, whole, { recursive: true });
    const files = tries(40);
    let found = 0;
    for (let seed = 1; seed <= files; seed++) {
      rmSync(folder, { recursive: true });
      cpSync(whole, folder, { recursive: true });
      flip(join(folder, 'state.db'), 20, seed);
      const ran = await story.sync();
      expect(story.takeWrites(), `seed ${seed}`).toEqual([]);
      if (ran.code === 0) continue;
      found += 1;
      expect(ran, `seed ${seed}`).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_DAMAGED' } });
    }
    expect(found).toBeGreaterThan(0.75 * files);
  });

  sweep('stops all writes after an edit of the audit', async () => {
    const story = await openCompany();
    const state = new Database(join(stateOf(story), 'state.db'));
    state.exec("UPDATE audit SET entry = replace(entry, 'E10', 'E11') WHERE entry LIKE '%\"E10\"%'");
    state.close();
    expect(await story.sync()).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_DAMAGED' } });
    expect((await story.sync()).error?.message).toMatch(/audit entry \d+: /);
  });

  sweep('checks a large state once a day, and after a run without an end', async () => {
    const story = await openCompany();
    const file = join(stateOf(story), 'state.db');
    const fill = new Database(file);
    const earlier = new Date(story.clock.now() - 3_600_000).toISOString();
    fill.exec(`WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 700)
      INSERT INTO runs (id, command, started_at, ended_at, config_digest, exit_code, result)
      SELECT 'r0-' || v, 'plan', '${earlier}', '${earlier}', 'x', 0, json_quote(hex(randomblob(4000))) FROM n`);
    fill.close();
    expect(statSync(file).size).toBeGreaterThan(4 * 1024 * 1024);
    const edit = (sql: string): void => {
      const state = new Database(file);
      state.exec(sql);
      state.close();
    };
    expect((await story.sync()).code).toBe(0);
    edit("UPDATE runs SET result = 'no json' WHERE id = 'r0-1'");
    expect((await story.plan()).code).toBe(0);
    story.clock.advance(25 * 3_600_000);
    expect(await story.plan()).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_DAMAGED' } });
    edit("UPDATE runs SET result = NULL WHERE id = 'r0-1'");
    expect((await story.plan()).code).toBe(0);
    // Senseless pages on the same day: found once a run had no end.
    const whole = readFileSync(file);
    const page = whole.lastIndexOf('r0-350') & ~4095;
    const spoil = (): void => writeFileSync(file, readFileSync(file).fill(255, page, page + 200));
    edit('UPDATE runs SET ended_at = NULL WHERE id = (SELECT id FROM runs ORDER BY started_at DESC LIMIT 1)');
    spoil();
    expect(await story.plan()).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_DAMAGED' } });
  });

  sweep('begins the day of a new state with its first run', async () => {
    const story = await openStory();
    story.deliver(PEOPLE);
    const at = story.clock.now();
    await story.sync();
    const state = new Database(join(stateOf(story), 'state.db'), { readonly: true });
    const checked = state.prepare("SELECT value FROM facts WHERE name = 'state.checked_at'").pluck().get();
    state.close();
    expect(Date.parse(String(checked))).toBeGreaterThanOrEqual(at);
  });

  sweep('works despite damaged logs', async () => {
    const story = await openCompany();
    for (const ending of ['-shm', '-wal']) {
      writeFileSync(join(stateOf(story), `state.db${ending}`), Buffer.alloc(40_000, 'noise'));
      writeFileSync(join(stateOf(story), `mirror.db${ending}`), Buffer.alloc(40_000, 'noise'));
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
    }
    expect(story.takeWrites()).toEqual([]);
  });

  sweep('keeps every file in the folder private to its owner', async () => {
    const story = await openCompany();
    await story.backup();
    copyFileSync(story.configFile, join(story.folder, 'other.yaml'));
    const open = readdirSync(stateOf(story), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && (statSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0)
      .map(({ name }) => name);
    expect(open).toEqual([]);
  });
});
