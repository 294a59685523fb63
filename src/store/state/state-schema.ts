import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';

/* state.db contains data that cannot be read again from anywhere. It is durable (`synchronous=FULL`) and backed up. */

/**
 * Links between source keys and service ids, with the values that both sides last agreed on (the base of the three-way
 * comparison).
 */
export const links = sqliteTable(
  'links',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    serviceId: text('service_id').notNull(),
    origin: text('origin').$type<'created' | 'adopted'>().notNull(),
    run: text('run').notNull(),
    at: text('at').notNull(),
    /** Packed managed values at the last agreement. */
    agreed: text('agreed'),
    /** Packed values last written to fields that the service never shows; null if there are none. */
    written: text('written'),
    /** By field, as JSON: the last value sent, and the value that the service then showed. */
    untaken: text('untaken'),
    /** The person's identity before the latest series of identity changes, as JSON with its time; null if unchanged. */
    was: text('was'),
    desiredHash: text('desired_hash'),
    observedHash: text('observed_hash'),
    /** Digest of the configuration and reference data with which the pair was found equal. */
    contextHash: text('context_hash'),
    /** Hashes of the record, columns and object for which nothing remained to be written back. */
    settled: text('settled'),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey] }), uniqueIndex('links_service_id').on(t.entity, t.serviceId)],
);

/** Records with a written link, in order, for updating the mirror's `pending` table. Triggers write them. */
export const linkMoves = sqliteTable('link_moves', {
  seq: integer('seq').primaryKey(),
  entity: text('entity').$type<Entity>().notNull(),
  key: text('key').notNull(),
  /** Random, because in another history the same number is another move. */
  token: integer('token').notNull(),
});

/** People who were missing or marked as having left, and since when. */
export const absences = sqliteTable(
  'absences',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    kind: text('kind').$type<'absent' | 'left' | 'edited' | 'out'>().notNull(),
    observations: integer('observations').notNull(),
    firstAt: text('first_at').notNull(),
    lastAt: text('last_at').notNull(),
    /** The last counted delivery, because no delivery counts twice. */
    lastDelivery: text('last_delivery').notNull(),
    /** Digest of source, filter, scope and join. If it changes, counting starts again. */
    context: text('context').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey] })],
);

/** One row per read of a source, newest last. */
export const reads = sqliteTable(
  'reads',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    run: text('run').notNull(),
    delivery: text('delivery').notNull(),
    at: text('at').notNull(),
    readAt: text('read_at').notNull(),
    rows: integer('rows').notNull(),
    rejected: integer('rejected').notNull(),
    complete: integer('complete', { mode: 'boolean' }).notNull(),
    because: text('because'),
    digest: text('digest').notNull(),
  },
  (t) => [index('reads_source').on(t.source, t.seq)],
);

export const approvals = sqliteTable(
  'approvals',
  {
    changeId: text('change_id').primaryKey(),
    id: text('id').notNull(),
    guard: text('guard').notNull(),
    who: text('who').notNull(),
    reason: text('reason').notNull(),
    at: text('at').notNull(),
    expiresAt: text('expires_at').notNull(),
    /** True for the first of two required approvals, which does not release anything yet. */
    isHalf: integer('is_half', { mode: 'boolean' }).notNull().default(false),
    /**
     * How the approver was identified: by an account on this machine, by a login or personal token, or by nothing that
     * proves a person's identity. Null in approvals from before version 0.3.
     */
    via: text('via').$type<'machine' | 'person' | 'nobody'>(),
    /** The plan that the approver saw; null in approvals from before version 0.3. */
    plan: text('plan'),
  },
  (t) => [index('approvals_id').on(t.id)],
);

/** Changes made without an approval. Guards count them until they are older than the longest window. */
export const carriedOut = sqliteTable(
  'carried_out',
  {
    /** An entity, or `sources.hr` for a write-back. */
    scope: text('scope').notNull(),
    /** The action that a guard counts: `deactivate`, `update`, `fields.title`, `overwrite`. */
    what: text('what').notNull(),
    key: text('key').notNull(),
    /** Hash of the value before the first such change in the window. A change back to that value cancels the row. */
    before: text('before').notNull(),
    run: text('run').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.what, t.key] }), index('carried_out_at').on(t.at)],
);

/** Number of linked and active objects each time that it changed. The percentages of guards are based on it. */
export const headCounts = sqliteTable(
  'head_counts',
  {
    /** The same values as in `carried_out`. */
    scope: text('scope').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.at] })],
);

/** Changes that a guard has held and nobody has decided on yet. They stay held even if the total falls below the limit. */
export const heldChanges = sqliteTable(
  'held_changes',
  {
    guard: text('guard').notNull(),
    /** The same values as in `carried_out`. */
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    /** The field of an update or the column of a write-back; empty for other changes. */
    field: text('field').notNull(),
    /** The run that first held the change, or the plan that an approval applied to. */
    run: text('run').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    /** The approval or decline that covers the change. If that is revoked or expires, the change is pending again. */
    approval: text('approval'),
  },
  (t) => [primaryKey({ columns: [t.guard, t.scope, t.key, t.field] }), index('held_changes_of').on(t.scope, t.key)],
);

/** Changes that a person has declined. They are not proposed again until the source value changes or the date comes. */
export const declines = sqliteTable(
  'declines',
  {
    /** The decision, `d20261128T…`. One decision may cover many changes. */
    id: text('id').notNull(),
    /** An entity, `sources.hr` for a write-back, or a guard's name for a delivery. */
    scope: text('scope').notNull(),
    /** A source key, or the record's key in the source for a write-back; empty for a delivery. */
    key: text('key').notNull(),
    /** A leaf of a field, `existence`, or a column of a write-back; empty for a delivery. */
    path: text('path').notNull(),
    /** Hash of the declined value; for `existence`, the hash of `here` or `gone`. */
    value: text('value').notNull(),
    /** Digest of the configuration that determines the value. */
    mapping: text('mapping').notNull(),
    changeId: text('change_id').notNull(),
    /** The action shown in lists: `users.deactivate`. */
    action: text('action').notNull(),
    /**
     * The guards that held the declined change, joined by ` + `. Empty if there were none, or if only a part is
     * declined.
     */
    guards: text('guards').notNull().default(''),
    plan: text('plan').notNull(),
    who: text('who').notNull(),
    reason: text('reason').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    /** ISO 8601; null if the decline lasts until the source value changes. */
    until: text('until'),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key, t.path] }), index('declines_id').on(t.id)],
);

export const runs = sqliteTable('runs', {
  id: text('id').primaryKey(),
  command: text('command').notNull(),
  startedAt: text('started_at').notNull(),
  endedAt: text('ended_at'),
  plan: text('plan'),
  configDigest: text('config_digest').notNull(),
  exitCode: integer('exit_code'),
  /** The run's machine-readable output as JSON. */
  result: text('result'),
});

/** An intent before each call and its outcome after it, so that `kill -9` does no harm. */
export const journal = sqliteTable(
  'journal',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    run: text('run').notNull(),
    changeId: text('change_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    step: text('step').notNull(),
    /** The complete change as JSON, so that a later process can finish it. */
    change: text('change').notNull(),
    at: text('at').notNull(),
    status: text('status').$type<'intent' | 'done' | 'refused' | 'lost'>().notNull(),
    outcomeAt: text('outcome_at'),
    requestId: text('request_id'),
    httpStatus: integer('http_status'),
    /** The read that proved the outcome of a call without an answer. */
    provedBy: text('proved_by'),
    /** The object in the service's answer as JSON, until the mirror has absorbed it. */
    observed: text('observed'),
    error: text('error'),
  },
  (t) => [index('journal_status').on(t.status), index('journal_change').on(t.changeId)],
);

/** Hash-chained. The chain contains H(salt ‖ entry), so the chain still verifies after both are erased. */
export const audit = sqliteTable('audit', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  salt: text('salt'),
  entry: text('entry'),
  commitment: text('commitment').notNull(),
  hash: text('hash').notNull(),
});

/** Values that an operator has undone. They are not written again until the source value or the mapping changes. */
export const pins = sqliteTable(
  'pins',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    /** A leaf of a field, or `existence`. */
    path: text('path').notNull(),
    /** Hash of the undone value. */
    value: text('value').notNull(),
    /** Digest of the configuration that determines the value. */
    mapping: text('mapping').notNull(),
    /** The run that was undone. */
    undone: text('undone').notNull(),
    /** The run that undid the values. */
    run: text('run').notNull(),
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey, t.path] })],
);

/** People whom talent-sync has deactivated as leavers, until they return. If their accounts are deleted, the rows stay. */
export const departures = sqliteTable(
  'departures',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    serviceId: text('service_id').notNull(),
    /** The run that deactivated or deleted the account. */
    run: text('run').notNull(),
    /** When the account was deactivated. */
    at: text('at').notNull(),
    /** The service's own `deactivated_at`. If it differs, someone else has changed the account since. */
    stamp: text('stamp'),
    /** When talent-sync deleted the account. */
    deletedAt: text('deleted_at'),
    /** Digests, as JSON, of words that records may still use to name a deleted person. */
    words: text('words'),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey] })],
);

/** Changes that the service rejected, with the time of the next attempt. */
export const refusals = sqliteTable(
  'refusals',
  {
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    changeId: text('change_id').notNull(),
    times: integer('times').notNull(),
    firstAt: text('first_at').notNull(),
    lastAt: text('last_at').notNull(),
    nextAt: text('next_at').notNull(),
    message: text('message').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.key] })],
);

/** Holds that an operator has acknowledged and left in place. They are still listed, but do not make a run exit with 4. */
export const acknowledgements = sqliteTable('acknowledgements', {
  /** Id of the hold, which changes if something else is held. */
  hold: text('hold').primaryKey(),
  entity: text('entity').notNull(),
  key: text('key').notNull(),
  who: text('who').notNull(),
  reason: text('reason').notNull(),
  at: text('at').notNull(),
  until: text('until'),
});

/** People and groups (`type`) that identity providers have pushed, with keys to look them up by. */
export const pushedResources = sqliteTable(
  'pushed_resources',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    type: text('type').$type<'User' | 'Group'>().notNull(),
    id: text('id').notNull(),
    /** userName or displayName in lower case. */
    nameKey: text('name_key').notNull(),
    externalId: text('external_id'),
    /** The display name of the person or group. */
    display: text('display').notNull(),
    created: text('created').notNull(),
    modified: text('modified').notNull(),
    version: integer('version').notNull(),
    /** Attributes as JSON, by their names in the schema; never a password. */
    body: text('body').notNull(),
  },
  (t) => [
    uniqueIndex('pushed_id').on(t.source, t.type, t.id),
    index('pushed_order').on(t.source, t.type, t.seq),
    index('pushed_name').on(t.source, t.type, t.nameKey),
    index('pushed_external').on(t.source, t.type, t.externalId),
  ],
);

export const pushedMembers = sqliteTable(
  'pushed_members',
  {
    source: text('source').notNull(),
    groupId: text('group_id').notNull(),
    memberId: text('member_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.groupId, t.memberId] }), index('pushed_member').on(t.source, t.memberId)],
);

/** E-mail addresses of pushed people, as an index for filters. */
export const pushedEmails = sqliteTable(
  'pushed_emails',
  {
    source: text('source').notNull(),
    /** The address in lower case. Empty for older rows with letters beyond ASCII, because SQL cannot fold these. */
    email: text('email').notNull(),
    id: text('id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.email, t.id] }), index('pushed_email_of').on(t.source, t.id)],
);

/** People whom an identity provider has deleted. Only their former keys are kept. */
export const pushedGone = sqliteTable(
  'pushed_gone',
  {
    source: text('source').notNull(),
    keyColumn: text('key_column').notNull(),
    key: text('key').notNull(),
    id: text('id').notNull(),
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.keyColumn, t.key] })],
);

/**
 * The columns with values when a run last used a record. A column that is now empty may be hidden from the API key
 * (`emptied.ts`).
 */
export const filledColumns = sqliteTable(
  'filled_columns',
  {
    stream: text('stream').notNull(),
    key: text('key').notNull(),
    /** A sign for each column, in the order of the column list in `facts`. */
    filled: text('filled').notNull(),
  },
  (t) => [primaryKey({ columns: [t.stream, t.key] })],
);

export const facts = sqliteTable('facts', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});

/** Deliveries of the service's reports and documents, with their progress. */
export const reportDeliveries = sqliteTable('report_deliveries', {
  report: text('report').primaryKey(),
  /** The schedule, and the slot up to which everything is done, as JSON. */
  anchor: text('anchor'),
  /** Work that was begun but not delivered yet, as JSON. */
  work: text('work'),
  /** The last delivery, as JSON. */
  last: text('last'),
  /** Why the newest attempt failed, as JSON. */
  failure: text('failure'),
});

/** Records to deliver as documents, with the delivered file. */
export const deliveredDocuments = sqliteTable(
  'delivered_documents',
  {
    delivery: text('delivery').notNull(),
    entity: text('entity').$type<'users' | 'projects'>().notNull(),
    /** The id of the user or project in the service. */
    key: text('key').notNull(),
    /** The file, and the record's stamp at the time of delivery, as JSON. */
    laid: text('laid'),
    missing: integer('missing').notNull(),
    /** Why the newest attempt failed, as JSON. */
    failure: text('failure'),
  },
  (t) => [primaryKey({ columns: [t.delivery, t.key] })],
);
