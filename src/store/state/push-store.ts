import { isJsonObject, type JsonObject, listOf } from '../../model/json.js';
import type { PushedCounts, PushedGone, PushedGroup, PushedPage, PushedUser } from '../../model/pushed.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, mapValues, type RowOf, takePage } from '../statements.js';
import { createPushMembers, type PushMembers } from './push-members.js';
import { createPushOrder, type PushOrder, type PushType } from './push-order.js';
import { pushedGone, type pushedResources } from './state-schema.js';
/**
 * Indexed columns for look-ups. A member's id finds its groups. An address finds all people who have it, and maybe
 * others.
 */
export type PushColumn = 'id' | 'name' | 'externalId' | 'member' | 'email';

type PushColumns = Omit<RowOf<typeof pushedResources>, 'source' | 'type'>;

/** A row; rows are in order of arrival, by `seq`. */
export interface PushRow extends Omit<PushColumns, 'body'> {
  readonly attributes: JsonObject;
  /** Number of characters of the stored JSON. */
  readonly size: number;
}

/** The parts of a row that can be read without its body. */
export type PushHead = Pick<PushRow, 'seq' | 'id' | 'externalId'>;

/** Stores the data that identity providers have pushed into one state, by source. Each call is short. */
export type PushStore = ReturnType<typeof createPushStore>;

/** Maximum number of characters to read at a time, so that only a few large rows are in memory. */
const STEP_CHARACTERS = 512 * 1024;
const SELECT = `SELECT r.seq, r.id, r.name_key AS nameKey, r.external_id AS externalId, r.display, r.created, r.modified,
  r.version, r.body FROM pushed_resources r`;
const WHERE: Readonly<Record<PushColumn, string>> = {
  id: 'r.id = $value',
  name: 'r.name_key = $value',
  externalId: 'r.external_id = $value',
  // The index is named, because the planner would otherwise scan every group.
  member: `r.id IN (SELECT group_id FROM pushed_members INDEXED BY pushed_member
    WHERE source = $source AND member_id = $value)`,
  email: `r.id IN (SELECT id FROM pushed_emails WHERE source = $source AND email IN ($value, ''))`,
};

/** userName, displayName and addresses are compared regardless of case (RFC 7643, 4.1 and 4.2). */
export function foldPushed(name: string): string {
  return name.toLowerCase();
}

export function createPushStore(sqlite: Sqlite) {
  const members = createPushMembers(sqlite);
  const order = createPushOrder(sqlite);
  const reader = createReader(sqlite);
  const lastPush = createStatements(sqlite).value<string>(
    `SELECT max(at) FROM (SELECT max(modified) AS at FROM pushed_resources WHERE source = $source
       UNION ALL SELECT max(at) FROM pushed_gone WHERE source = $source)`,
  );

  function asUsers(source: string, rows: readonly PushRow[]): readonly PushedUser[] {
    const ids = rows.map(({ id }) => id);
    const groups = members.groupsOf(source, ids);
    return rows.map((row) => ({ ...row, groups: groups.get(row.id) ?? [] }));
  }

  return {
    ...members,
    ...reader,
    ...createWriter(sqlite, members, order),
    seqAt: order.seqAt,
    total: order.total,
    ...createGone(sqlite),
    /** Writes everything to disk, or nothing. It must not span an await. */
    transaction: <T>(work: () => T): T => sqlite.transaction(work).immediate(),
    asUsers,
    /** @param of the members to read: 'all', or only the listed ones */
    asGroups(source: string, rows: readonly PushRow[], of: 'all' | readonly string[]): readonly PushedGroup[] {
      const ids = rows.map(({ id }) => id);
      const listed = of.length === 0 ? new Map<string, never>() : members.membersOf(source, ids, of);
      return rows.map((row) => ({ ...row, members: listed.get(row.id) ?? [] }));
    },
    readUsers(source: string, from: number, limit: number): PushedPage {
      const rows = reader.after(source, 'User', from, limit);
      return { users: asUsers(source, rows), next: rows.at(-1)?.seq ?? null };
    },
    count: (source: string): PushedCounts => ({
      users: order.total(source, 'User'),
      groups: order.total(source, 'Group'),
      lastPush: lastPush({ source }),
    }),
  };
}

const OF_TYPE = 'source = $source AND type = $type';

function createReader(sqlite: Sqlite) {
  const { all, each } = createStatements(sqlite);
  const findersOf = <Row>(select: string) =>
    mapValues(WHERE, (where) =>
      all<Row>(`${select} WHERE r.source = $source AND r.type = $type AND ${where} ORDER BY +r.seq`),
    );
  const finders = findersOf<PushColumns>(SELECT);
  const headFinders = findersOf<PushHead>('SELECT r.seq, r.id, r.external_id AS externalId FROM pushed_resources r');
  const after = each<PushColumns>(`${SELECT} WHERE ${OF_TYPE} AND r.seq > $seq ORDER BY r.seq LIMIT $limit`);
  const bySeq = all<PushColumns>(`${SELECT} WHERE r.seq IN (SELECT value FROM json_each($seqs)) AND ${OF_TYPE}`);
  return {
    find: (source: string, type: PushType, column: PushColumn, value: string) =>
      toRows(finders[column]({ source, type, value })),
    findHeads: (source: string, type: PushType, column: PushColumn, value: string) =>
      headFinders[column]({ source, type, value }),
    /** Rows after the given one, in order of arrival. Large rows give fewer than the limit; at the end there are none. */
    after: (source: string, type: PushType, seq: number, limit: number) =>
      toRows(takePage(after({ source, type, seq, limit }), STEP_CHARACTERS)),
    /** The rows that still exist, in the given order of numbers. */
    bySeq(source: string, type: PushType, seqs: readonly number[]): readonly PushRow[] {
      const found = new Map(bySeq({ seqs: JSON.stringify(seqs), source, type }).map((row) => [row.seq, row]));
      return toRows(seqs.flatMap((seq) => found.get(seq) ?? []));
    },
  };
}

function createWriter(sqlite: Sqlite, members: PushMembers, order: PushOrder) {
  const { run } = createStatements(sqlite);
  const insert = run(
    `INSERT INTO pushed_resources (source, type, id, name_key, external_id, display, created, modified, version, body)
     VALUES ($source, $type, $id, $nameKey, $externalId, $display, $created, $created, 1, $body)`,
  );
  const update = run(
    `UPDATE pushed_resources SET name_key = $nameKey, external_id = $externalId, display = $display,
       modified = $modified, body = $body, version = version + 1 WHERE ${OF_TYPE} AND id = $id`,
  );
  const remove = run(`DELETE FROM pushed_resources WHERE ${OF_TYPE} AND id = $id`);
  const forgetEmails = run('DELETE FROM pushed_emails WHERE source = $source AND id = $id');
  const addEmail = run('INSERT OR IGNORE INTO pushed_emails (source, email, id) VALUES ($source, $email, $id)');

  function keepEmails(source: string, type: PushType, id: string, { emails }: JsonObject): void {
    if (type !== 'User') return;
    forgetEmails({ source, id });
    for (const item of listOf(emails))
      if (isJsonObject(item) && typeof item.value === 'string') addEmail({ source, email: foldPushed(item.value), id });
  }

  function put(statement: typeof insert, source: string, type: PushType, row: Pick<PushRow, 'id' | 'attributes'>) {
    statement({ ...row, source, type, body: JSON.stringify(row.attributes) });
    keepEmails(source, type, row.id, row.attributes);
  }

  return {
    insert(source: string, type: PushType, row: Omit<PushRow, 'seq' | 'size' | 'version' | 'modified'>): void {
      put(insert, source, type, row);
      order.noteInsert(source, type);
    },
    /** Replaces a resource's attributes and raises its version. */
    update: (source: string, type: PushType, row: Omit<PushRow, 'seq' | 'size' | 'version' | 'created'>) =>
      put(update, source, type, row),
    /** Removes a resource and its memberships, in both directions. */
    remove(source: string, type: PushType, id: string): boolean {
      members.forgetMember(source, id);
      keepEmails(source, type, id, {});
      if (type === 'Group') members.replaceMembers(source, id, []);
      order.noteRemoval(source, type);
      return remove({ source, type, id }) > 0;
    },
  };
}

function createGone(sqlite: Sqlite) {
  const { all, run, upsert, value } = createStatements(sqlite);
  const ofKey = 'source = $source AND key_column = $keyColumn AND key = $key';
  const noteGone = upsert(pushedGone);
  const noteBack = run(`DELETE FROM pushed_gone WHERE ${ofKey}`);
  const findGone = value<string>(`SELECT id FROM pushed_gone WHERE ${ofKey}`);
  const gone = all<PushedGone>(
    'SELECT id, key FROM pushed_gone WHERE source = $source AND key_column = $keyColumn ORDER BY key',
  );
  return {
    /** Notes a person's deletion under the key that their records have. `noteBack` undoes this. */
    noteGone: (source: string, one: { keyColumn: string; key: string; id: string; at: string }) =>
      noteGone({ ...one, source }),
    noteBack: (source: string, keyColumn: string, key: string) => void noteBack({ source, keyColumn, key }),
    /** The id of the person who was deleted under a key. */
    findGone: (source: string, keyColumn: string, key: string) => findGone({ source, keyColumn, key }),
    /** @param keyColumn the column that was the key at the time of the deletion */
    readGone: (source: string, keyColumn: string) => gone({ source, keyColumn }),
  };
}

function toRows(rows: readonly PushColumns[]): readonly PushRow[] {
  return rows.map(({ body, ...row }) => ({ ...row, attributes: JSON.parse(body) as JsonObject, size: body.length }));
}
