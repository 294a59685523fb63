import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { parse } from 'yaml';
import { closeAfterTest } from '../closing.js';
import type { Story } from '../scenarios/kit.js';
import { findTool } from '../tools.js';

interface Settings {
  readonly dbs: readonly { readonly path: string; readonly replicas: readonly Readonly<Record<string, unknown>>[] }[];
}

export interface Litestream {
  /** Runs with the arguments of a container until it is stopped. */
  replicate(args: readonly string[]): ChildProcess;
  /** Restores with the arguments of a container, and returns the restored file. */
  restore(args: readonly string[]): string;
  /** Deletes all copies. */
  emptyBucket(): void;
}

/** Litestream for the state of a story, with the settings of the chart, but with a folder instead of a bucket. */
export function openLitestream(story: Story, text: string, syncInterval?: string): Litestream {
  const tool = findTool('litestream');
  const [bucket, restored] = [join(story.folder, 'bucket'), join(story.folder, 'replica.db')];
  const file = join(story.folder, 'litestream.yml');
  const { dbs } = parse(text) as Settings;
  const moved = dbs.map(({ path, replicas }) => ({
    path: path.replace('/var/lib/talent-sync', join(story.folder, 'var')),
    replicas: replicas.map(({ bucket: _, region, ...replica }) => ({
      ...replica,
      type: 'file',
      path: `${bucket}/${String(replica.path)}`,
      'sync-interval': syncInterval ?? replica['sync-interval'],
    })),
  }));
  writeFileSync(file, JSON.stringify({ dbs: moved }));
  const places = new Map([
    ['/etc/litestream/litestream.yml', file],
    ['/tmp/replica.db', restored],
    ['/var/lib/talent-sync/state.db', moved[0]?.path ?? ''],
  ]);
  const translate = (args: readonly string[]): readonly string[] => args.map((arg) => places.get(arg) ?? arg);
  const env = { ...process.env, TENANT: 'acme' };
  return {
    replicate(args) {
      const child = spawn(tool, translate(args), { env, stdio: 'ignore' });
      closeAfterTest({ close: () => child.kill('SIGKILL') });
      return child;
    },
    restore(args) {
      rmSync(restored, { force: true });
      const { status, stdout } = spawnSync(tool, translate(args), { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`litestream ${args[0]}: ${stdout}`);
      return restored;
    },
    emptyBucket: () => rmSync(bucket, { recursive: true, force: true }),
  };
}

/** Waits until a restored replica equals the current state. */
export async function waitForCopy(story: Story, restore: () => string): Promise<void> {
  const wanted = dumpState(join(story.folder, 'var', 'state.db'));
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      if (dumpState(restore()) === wanted) return;
    } catch {
      // Nothing was copied yet.
    }
    await pause(200);
  }
  throw new Error('The replica does not become equal to the state.');
}

/** All rows of the program's own tables. */
export function dumpState(file: string): string {
  if (!existsSync(file)) throw new Error(`${file} is not there`);
  const sqlite = new Database(file);
  try {
    const tables = sqlite
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_litestream%' ESCAPE '\\' ORDER BY name",
      )
      .pluck()
      .all() as readonly string[];
    return JSON.stringify(tables.map((name) => [name, sqlite.prepare(`SELECT * FROM "${name}"`).raw().all()]));
  } finally {
    sqlite.close();
  }
}

export async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
