import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createDraft, makeFolderSync } from '../../base/new-file.js';
import { sha256 } from '../../model/sha256.js';
import type { DocumentChanges } from './file-line.js';
import type { Postgres } from './postgres.js';
import { noteSeenPlan, readSeenMirror, writeSeenMirror } from './seen-mirror.js';

/*
 * Files of a tenant that the pages of any daemon can show:
 *
 *     plans/ID.json   as in the folder; a plan never changes
 *     seen.json       the parts of the mirror that lists show
 */
const FOLDER = 'plans';
const SEEN = 'seen.json';
/** Number of files to fetch per statement. */
const TOGETHER = 20;

type StoredBy = Pick<Postgres, 'ask' | 'seal'>;

/** The documents of a tenant that this process holds. */
export interface Documents {
  /**
   * Returns the files that were added to or removed from the folder since the last call.
   *
   * @param isLast also reads the mirror for lists. This takes a while, so otherwise it only happens with a new plan
   */
  changes(isLast: boolean): DocumentChanges;
  /**
   * Fetches other holders' plans into the folder, and the plan that decisions refer to. Runs do not need either. Changes
   * that were returned before must be in PostgreSQL by now.
   */
  fetch(): Promise<void>;
  hasFetched(): boolean;
}

/** @param stored `all` if the folder's plans are already in PostgreSQL */
export function watchDocuments(
  postgres: StoredBy,
  tenant: string,
  folder: string,
  stored: 'all' | 'none' = 'all',
): Documents {
  let plans: ReadonlySet<string> = new Set(stored === 'all' ? listPlans(folder) : []);
  let seen = '';
  let isFetched = false;

  const seal = (name: string, content: Buffer) => ({
    name,
    content: postgres.seal.close(content, [tenant, 'document', name]),
  });

  function planChanges(): DocumentChanges {
    const names = new Set(listPlans(folder));
    const gone = [...plans].filter((name) => !names.has(name));
    const come = [...names].filter((name) => !plans.has(name));
    plans = names;
    return { come: come.map((name) => seal(name, readFileSync(join(folder, name)))), gone };
  }

  return {
    changes(isLast) {
      const { come, gone } = planChanges();
      const text = isLast || come.length > 0 ? readSeenMirror(folder) : null;
      const digest = text === null ? seen : sha256(text);
      if (text === null || digest === seen) return { come, gone };
      seen = digest;
      return { come: [...come, seal(SEEN, Buffer.from(text))], gone };
    },
    async fetch() {
      if (isFetched) return;
      isFetched = true;
      // A run may have written a plan that is not in PostgreSQL yet.
      const names = await fetchPlans(postgres, tenant, folder, plans);
      const [newest] = await get(postgres, tenant, [SEEN]);
      if (newest !== undefined) noteSeenPlan(folder, newest.content.toString('utf8'));
      plans = names;
    },
    hasFetched: () => isFetched,
  };
}

/** Fetches the files that readers need into the folder: the plans, and a mirror with the data that lists show. */
export async function fetchDocuments(postgres: StoredBy, tenant: string, folder: string): Promise<void> {
  await fetchPlans(postgres, tenant, folder);
  const [seen] = await get(postgres, tenant, [SEEN]);
  if (seen !== undefined) writeSeenMirror(folder, seen.content.toString('utf8'));
}

/**
 * Makes the plans of a folder equal to those in PostgreSQL, and returns the names of the latter.
 *
 * @param known only these plans of the folder are removed; all of them without it
 */
export async function fetchPlans(
  postgres: StoredBy,
  tenant: string,
  folder: string,
  known?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const rows = await postgres.ask<{ name: string }>(LIST, [tenant, `${FOLDER}/%`]);
  const names = new Set(rows.map(({ name }) => name));
  const here = new Set(listPlans(folder));
  for (const name of known ?? here) if (!names.has(name)) rmSync(join(folder, name), { force: true });
  const missing = [...names].filter((name) => !here.has(name));
  if (missing.length > 0) makeFolderSync(join(folder, FOLDER), 0o700);
  for (let at = 0; at < missing.length; at += TOGETHER) {
    for (const { name, content } of await get(postgres, tenant, missing.slice(at, at + TOGETHER))) {
      const draft = createDraft(join(folder, name));
      draft.write(content);
      draft.finish();
    }
  }
  return names;
}

const LIST = 'SELECT name FROM document WHERE tenant = $1 AND name LIKE $2';
const GET = 'SELECT name, content FROM document WHERE tenant = $1 AND name = ANY ($2::text[])';

interface StoredDocument {
  readonly [column: string]: unknown;
  readonly name: string;
  readonly content: Buffer;
}

async function get(
  { ask, seal }: StoredBy,
  tenant: string,
  names: readonly string[],
): Promise<readonly StoredDocument[]> {
  const rows = await ask<StoredDocument>(GET, [tenant, names]);
  return rows.map(({ name, content }) => ({ name, content: seal.open(content, [tenant, 'document', name]) }));
}

/** Lists names such as `plans/p20261128T….json`. */
function listPlans(folder: string): readonly string[] {
  const path = join(folder, FOLDER);
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((name) => (name.endsWith('.json') ? [`${FOLDER}/${name}`] : []));
}
