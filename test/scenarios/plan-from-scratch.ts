import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Story } from './kit.js';

/** Plans over a copy of the state without its staging, its list of changed objects, and its list of equal ones. */
export async function planFromScratch(story: Story): Promise<unknown> {
  return onCopy(story, async (state) => {
    if (existsSync(join(state, 'mirror.db'))) {
      const mirror = new Database(join(state, 'mirror.db'));
      for (const table of ['staged_rows', 'staged_contents', 'staged_places', 'pending', 'moved_objects', 'counted'])
        mirror.exec(`DELETE FROM ${table}`);
      mirror.exec("DELETE FROM marks WHERE name LIKE 'staged%' OR name LIKE 'pending%'");
      mirror.close();
    }
    if (existsSync(join(state, 'state.db'))) {
      const links = new Database(join(state, 'state.db'));
      links.exec('UPDATE links SET context_hash = NULL');
      links.close();
    }
    return describePlan(await story.plan());
  });
}

/** Discards afterwards everything that `work` does in the state. */
export async function onCopy<T>(story: Story, work: (state: string) => Promise<T>): Promise<T> {
  const [state, kept] = [join(story.folder, 'var'), join(story.folder, 'kept')];
  cpSync(state, kept, { recursive: true });
  try {
    return await work(state);
  } finally {
    rmSync(state, { recursive: true });
    renameSync(kept, state);
  }
}

/** The contents of a plan, without its name and times. */
export function describePlan({ code, json: { file, ...printed } }: Awaited<ReturnType<Story['plan']>>): unknown {
  const saved = file === undefined ? null : (JSON.parse(readFileSync(file, 'utf8')) as object);
  const text = JSON.stringify({ printed, saved }, (name, value: unknown) => (VARYING.has(name) ? undefined : value));
  return { code, ...(JSON.parse(text) as object) };
}

const VARYING: ReadonlySet<string> = new Set(['plan', 'created', 'expires', 'meta', 'sha256', 'seal']);
