import { isJsonObject, type JsonObject, listOf } from '../../model/json.js';
import type { PushedGroup, PushedReader, PushedUser } from '../../model/pushed.js';
import type { Sqlite } from '../sqlite.js';
import { createPushMembers, type PushMembers } from './push-members.js';

export type PushType = 'User' | 'Group';
/** What resources are looked up by at once; a member finds the groups it is in, an address at least those who have it. */
export type PushColumn = 'id' | 'name' | 'externalId' | 'member' | 'email';

export interface PushRow {
  /** Order of arrival. */
  readonly seq: number;
  readonly id: string;
  readonly nameKey: string;
  readonly externalId: string | null;
  readonly display: string;
  readonly created: string;
  readonly modified: string;
  readonly version: number;
  readonly attributes: JsonObject;
  /** Characters of it as it lies in the file. */
  readonly size: number;
}

/** What of a row is known without reading what it holds. */
export type PushHead = Pick<PushRow, 'seq' | 'id' | 'externalId'>;

/** What identity providers have pushed into one state, source by source. Each call is short. */
export interface PushStore extends PushedReader, PushMembers {
  /** All of it on disk, or nothing. Never spans an await. */
  transaction<T>(work: () => T): T;
  find(source: string, type: PushType, column: PushColumn, value: string): readonly PushRow[];
  findHeads(source: string, type: PushType, column: PushColumn, value: string): readonly PushHead[];
  /** The place in the order of arrival of the row that so many come before; null where there are no more. */
  seqAt(source: string, type: PushType, offset: number): number | null;
  /** Rows after one of them, in order of arrival: fewer than the limit where they are large, none where none is left. */
  after(source: string, type: PushType, seq: number, limit: number): readonly PushRow[];
  /** Those of the rows that are still there, in the order given. */
  bySeq(source: string, type: PushType, seqs: readonly number[]): readonly PushRow[];
  total(source: string, type: PushType): number;
  insert(source: string, type: PushType, row: Omit<PushRow, 'seq' | 'size' | 'version' | 'modified'>): void;
  /** The same resource with other attributes; its version goes up. */
  update(source: string, type: PushType, row: Omit<PushRow, 'seq' | 'size' | 'version' | 'created'>): void;
  /** With its memberships, in either direction. */
  remove(source: string, type: PushType, id: string): boolean;
  /** A person who is deleted, or back, under the key that records have. */
  noteGone(source: string, gone: { keyColumn: string; key: string; id: string; at: string }): void;
  noteBack(source: string, keyColumn: string, key: string): void;
  /** The id of the one who was deleted under a key. */
  findGone(source: string, keyColumn: string, key: string): string | null;
  asUsers(source: string, rows: readonly PushRow[]): readonly PushedUser[];
  /** @param of whose membership is read: everybody's, or that of these */
  asGroups(source: string, rows: readonly PushRow[], of: 'all' | readonly string[]): readonly PushedGroup[];
}

interface PushColumns extends Omit<PushRow, 'attributes' | 'size'> {
  readonly body: string;
}

/** Rows are read until they have so many characters, so that large ones come few at a time. */
const STEP_CHARACTERS = 512 * 1024;
const SELECT = `SELECT r.seq, r.id, r.name_key AS nameKey, r.external_id AS externalId, r.display, r.created, r.modified,
  r.version, r.body FROM pushed_resources r`;
const WHERE: Readonly<Record<PushColumn, string>> = {
  id: 'r.id = $value',
  name: 'r.name_key = $value',
  externalId: 'r.external_id = $value',
  // Named, because the planner would rather go through every group.
  member: `r.id IN (SELECT group_id FROM pushed_members INDEXED BY pushed_member
    WHERE source = $source AND member_id = $value)`,
  email: `r.id IN (SELECT id FROM pushed_emails WHERE source = $source AND email IN ($value, ''))`,
};

/** userName, displayName and addresses are compared without case (RFC 7643, 4.1 and 4.2). */
export function foldPushed(name: string): string {
  return name.toLowerCase();
}

export function createPushStore(sqlite: Sqlite): PushStore {
  const members = createPushMembers(sqlite);
  const finders = Object.fromEntries(
    Object.entries(WHERE).map(([column, where]) => [
      column,
      sqlite.prepare<[{ source: string; type: string; value: string }], PushColumns>(
        `${SELECT} WHERE r.source = $source AND r.type = $type AND ${where} ORDER BY +r.seq`,
      ),
    ]),
  );
  const headFinders = Object.fromEntries(
    Object.entries(WHERE).map(([column, where]) => [
      column,
      sqlite.prepare<[{ source: string; type: string; value: string }], PushHead>(
        `SELECT r.seq, r.id, r.external_id AS externalId FROM pushed_resources r
         WHERE r.source = $source AND r.type = $type AND ${where} ORDER BY +r.seq`,
      ),
    ]),
  );
  const seqAt = sqlite
    .prepare<[string, string, number], number>(
      // What is skipped is skipped in the index alone.
      'SELECT seq FROM pushed_resources WHERE source = ? AND type = ? ORDER BY seq LIMIT 1 OFFSET ?',
    )
    .pluck();
  const after = sqlite.prepare<[string, string, number, number], PushColumns>(
    `${SELECT} WHERE r.source = ? AND r.type = ? AND r.seq > ? ORDER BY r.seq LIMIT ?`,
  );
  const bySeq = sqlite.prepare<[string, string, string], PushColumns>(
    `${SELECT} WHERE r.seq IN (SELECT value FROM json_each(?)) AND r.source = ? AND r.type = ?`,
  );
  const total = sqlite
    .prepare<[string, string], number>('SELECT count(*) FROM pushed_resources WHERE source = ? AND type = ?')
    .pluck();
  const insert = sqlite.prepare(
    `INSERT INTO pushed_resources (source, type, id, name_key, external_id, display, created, modified, version, body)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)`,
  );
  const update = sqlite.prepare(
    `UPDATE pushed_resources SET name_key = ?, external_id = ?, display = ?, modified = ?, body = ?, version = version + 1
     WHERE source = ? AND type = ? AND id = ?`,
  );
  const forgetEmails = sqlite.prepare('DELETE FROM pushed_emails WHERE source = ? AND id = ?');
  const addEmail = sqlite.prepare('INSERT OR IGNORE INTO pushed_emails (source, email, id) VALUES (?, ?, ?)');
  const remove = sqlite.prepare('DELETE FROM pushed_resources WHERE source = ? AND type = ? AND id = ?');
  const noteGone = sqlite.prepare(
    'INSERT OR REPLACE INTO pushed_gone (source, key_column, key, id, at) VALUES (?, ?, ?, ?, ?)',
  );
  const noteBack = sqlite.prepare('DELETE FROM pushed_gone WHERE source = ? AND key_column = ? AND key = ?');
  const gone = sqlite.prepare<[string, string], { id: string; key: string }>(
    'SELECT id, key FROM pushed_gone WHERE source = ? AND key_column = ? ORDER BY key',
  );
  const findGone = sqlite
    .prepare<[string, string, string], string>(
      'SELECT id FROM pushed_gone WHERE source = ? AND key_column = ? AND key = ?',
    )
    .pluck();
  const lastPush = sqlite
    .prepare<[string, string], string | null>(
      `SELECT max(at) FROM (SELECT max(modified) AS at FROM pushed_resources WHERE source = ?
         UNION ALL SELECT max(at) FROM pushed_gone WHERE source = ?)`,
    )
    .pluck();

  function keepEmails(source: string, type: PushType, id: string, { emails }: JsonObject): void {
    if (type !== 'User') return;
    forgetEmails.run(source, id);
    for (const item of listOf(emails))
      if (isJsonObject(item) && typeof item.value === 'string') addEmail.run(source, foldPushed(item.value), id);
  }

  function asUsers(source: string, rows: readonly PushRow[]): readonly PushedUser[] {
    const groups = members.groupsOf(
      source,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, groups: groups.get(row.id) ?? [] }));
  }

  return {
    ...members,
    transaction: (work) => sqlite.transaction(work).immediate(),
    find: (source, type, column, value) => toRows(finders[column]?.all({ source, type, value }) ?? []),
    findHeads: (source, type, column, value) => headFinders[column]?.all({ source, type, value }) ?? [],
    seqAt: (source, type, offset) => seqAt.get(source, type, offset) ?? null,
    after: (source, type, seq, limit) => readStep(after.iterate(source, type, seq, limit)),
    bySeq(source, type, seqs) {
      const found = new Map(bySeq.all(JSON.stringify(seqs), source, type).map((row) => [row.seq, row]));
      return toRows(seqs.flatMap((seq) => found.get(seq) ?? []));
    },
    total: (source, type) => total.get(source, type) ?? 0,
    insert(source, type, { id, nameKey, externalId, display, created, attributes }) {
      insert.run(source, type, id, nameKey, externalId, display, created, created, JSON.stringify(attributes));
      keepEmails(source, type, id, attributes);
    },
    update(source, type, { id, nameKey, externalId, display, modified, attributes }) {
      update.run(nameKey, externalId, display, modified, JSON.stringify(attributes), source, type, id);
      keepEmails(source, type, id, attributes);
    },
    remove(source, type, id) {
      members.forgetMember(source, id);
      keepEmails(source, type, id, {});
      if (type === 'Group') members.replaceMembers(source, id, []);
      return remove.run(source, type, id).changes > 0;
    },
    noteGone: (source, { keyColumn, key, id, at }) => void noteGone.run(source, keyColumn, key, id, at),
    noteBack: (source, keyColumn, key) => void noteBack.run(source, keyColumn, key),
    findGone: (source, keyColumn, key) => findGone.get(source, keyColumn, key) ?? null,
    asUsers,
    asGroups(source, rows, of) {
      const ids = rows.map(({ id }) => id);
      const listed = of.length === 0 ? new Map<string, never>() : members.membersOf(source, ids, of);
      return rows.map((row) => ({ ...row, members: listed.get(row.id) ?? [] }));
    },
    readUsers(source, from, limit) {
      const rows = readStep(after.iterate(source, 'User', from, limit));
      return { users: asUsers(source, rows), next: rows.at(-1)?.seq ?? null };
    },
    readGone: (source, keyColumn) => gone.all(source, keyColumn),
    count: (source) => ({
      users: total.get(source, 'User') ?? 0,
      groups: total.get(source, 'Group') ?? 0,
      lastPush: lastPush.get(source, source) ?? null,
    }),
  };
}

function toRows(rows: readonly PushColumns[]): readonly PushRow[] {
  return rows.map(({ body, ...row }) => ({ ...row, attributes: JSON.parse(body) as JsonObject, size: body.length }));
}

/** At least one, where there is any. */
function readStep(rows: Iterable<PushColumns>): readonly PushRow[] {
  const step: PushColumns[] = [];
  let characters = 0;
  for (const row of rows) {
    step.push(row);
    characters += row.body.length;
    if (characters >= STEP_CHARACTERS) break;
  }
  return toRows(step);
}
