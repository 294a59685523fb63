import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';

/* state.db: data that cannot be read again from anywhere. Durable (`synchronous=FULL`), backed up. */

/** Source key ↔ service id, and the values both sides last agreed on (the base of the three-way comparison). */
export const links = sqliteTable(
  'links',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    serviceId: text('service_id').notNull(),
    origin: text('origin').$type<'created' | 'adopted'>().notNull(),
    run: text('run').notNull(),
    at: text('at').notNull(),
    /** Packed: managed values at the last agreement. */
    agreed: text('agreed'),
    /** Packed: last written values of fields that the service never shows; null if there are none. */
    written: text('written'),
    /** JSON: field → the last value sent, and the value that came back. */
    untaken: text('untaken'),
    /** JSON: who the person was before the latest series of identity changes, and since when; null if unchanged. */
    was: text('was'),
    desiredHash: text('desired_hash'),
    observedHash: text('observed_hash'),
    /** Digest of configuration and reference data under which the pair was found equal. */
    contextHash: text('context_hash'),
    /** Hashes of record, columns and object for which nothing was left to write back. */
    settled: text('settled'),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey] }), uniqueIndex('links_service_id').on(t.entity, t.serviceId)],
);

/** Records whose link was written, in order; they update the mirror's `pending` table. Written by triggers. */
export const linkMoves = sqliteTable('link_moves', {
  seq: integer('seq').primaryKey(),
  entity: text('entity').$type<Entity>().notNull(),
  key: text('key').notNull(),
  /** Random: the same number in another history is another move. */
  token: integer('token').notNull(),
});

/** People who were missing, or marked as having left, and since when. */
export const absences = sqliteTable(
  'absences',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    kind: text('kind').$type<'absent' | 'left' | 'edited' | 'out'>().notNull(),
    observations: integer('observations').notNull(),
    firstAt: text('first_at').notNull(),
    lastAt: text('last_at').notNull(),
    /** The last delivery counted; the same one is never counted twice. */
    lastDelivery: text('last_delivery').notNull(),
    /** Digest of source, filter, scope and join: under another digest, counting starts again. */
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
    /** True for the first of two required approvals, which releases nothing yet. */
    isHalf: integer('is_half', { mode: 'boolean' }).notNull().default(false),
    /**
     * How the approver was identified: by an account on this machine, by a login or personal token, or by nothing that
     * proves a person. Null in approvals from before version 0.3.
     */
    via: text('via').$type<'machine' | 'person' | 'nobody'>(),
    /** The plan that the approver saw; null in approvals from before version 0.3. */
    plan: text('plan'),
  },
  (t) => [index('approvals_id').on(t.id)],
);

/** Changes carried out without an approval: guards count them until they leave the longest window. */
export const carriedOut = sqliteTable(
  'carried_out',
  {
    /** Entity, or `sources.hr` for a write-back. */
    scope: text('scope').notNull(),
    /** The action that a guard counts: `deactivate`, `update`, `fields.title`, `overwrite`. */
    what: text('what').notNull(),
    key: text('key').notNull(),
    /** Hash of the value before the first such change in the window: a change back to it cancels the row. */
    before: text('before').notNull(),
    run: text('run').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.what, t.key] }), index('carried_out_at').on(t.at)],
);

/** Number of linked and active objects each time it changed: percentages of guards refer to it. */
export const headCounts = sqliteTable(
  'head_counts',
  {
    /** As in `carried_out`. */
    scope: text('scope').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.at] })],
);

/** Changes that a guard has held and nobody has decided yet: they stay held even if the total falls below the limit. */
export const heldChanges = sqliteTable(
  'held_changes',
  {
    guard: text('guard').notNull(),
    /** As in `carried_out`. */
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    /** Field of an update, column of a write-back; blank for other changes. */
    field: text('field').notNull(),
    /** The run that held it first, or the plan that an approval decided on. */
    run: text('run').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    /** The approval or decline that covers it: when it is revoked or lapses, the change is pending again. */
    approval: text('approval'),
  },
  (t) => [primaryKey({ columns: [t.guard, t.scope, t.key, t.field] }), index('held_changes_of').on(t.scope, t.key)],
);

/** Changes that a person has declined: not proposed again until the source value changes or the date comes. */
export const declines = sqliteTable(
  'declines',
  {
    /** `d20261128T…`: one decision may cover many changes. */
    id: text('id').notNull(),
    /** Entity; `sources.hr` for a write-back; the name of the guard for a delivery. */
    scope: text('scope').notNull(),
    /** Source key; key of the record in the source for a write-back; blank for a delivery. */
    key: text('key').notNull(),
    /** Leaf of a field, `existence`, column of a write-back; blank for a delivery. */
    path: text('path').notNull(),
    /** Hash of the declined value; for `existence`, the hash of `here` or `gone`. */
    value: text('value').notNull(),
    /** Digest of the configuration that produces the value. */
    mapping: text('mapping').notNull(),
    changeId: text('change_id').notNull(),
    /** `users.deactivate`, for lists. */
    action: text('action').notNull(),
    /** The guards that held the declined change, joined by ` + `; blank if none did, or only a part of it is declined. */
    guards: text('guards').notNull().default(''),
    plan: text('plan').notNull(),
    who: text('who').notNull(),
    reason: text('reason').notNull(),
    /** ISO 8601. */
    at: text('at').notNull(),
    /** ISO 8601; null: until the source value changes. */
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
  /** JSON: the run's machine output. */
  result: text('result'),
});

/** An intent before each call and its outcome after, so that `kill -9` is harmless. */
export const journal = sqliteTable(
  'journal',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    run: text('run').notNull(),
    changeId: text('change_id').notNull(),
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    step: text('step').notNull(),
    /** JSON: the complete change, so that a later process can finish it. */
    change: text('change').notNull(),
    at: text('at').notNull(),
    status: text('status').$type<'intent' | 'done' | 'refused' | 'lost'>().notNull(),
    outcomeAt: text('outcome_at'),
    requestId: text('request_id'),
    httpStatus: integer('http_status'),
    /** The read that proved the outcome when there was no answer. */
    provedBy: text('proved_by'),
    /** JSON: the object in the service's answer, until the mirror has absorbed it. */
    observed: text('observed'),
    error: text('error'),
  },
  (t) => [index('journal_status').on(t.status), index('journal_change').on(t.changeId)],
);

/** Hash-chained. The chain commits to H(salt ‖ entry), so both can be erased and the chain still verifies. */
export const audit = sqliteTable('audit', {
  seq: integer('seq').primaryKey({ autoIncrement: true }),
  salt: text('salt'),
  entry: text('entry'),
  commitment: text('commitment').notNull(),
  hash: text('hash').notNull(),
});

/** Values that an operator has undone. They are not written again while the sources want the same by the same mapping. */
export const pins = sqliteTable(
  'pins',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    /** Leaf of a field, or `existence`. */
    path: text('path').notNull(),
    /** Hash of the undone value. */
    value: text('value').notNull(),
    /** Digest of the configuration that produces the value. */
    mapping: text('mapping').notNull(),
    /** The run that was undone. */
    undone: text('undone').notNull(),
    /** The run that undid it. */
    run: text('run').notNull(),
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey, t.path] })],
);

/** People whom talent-sync has deactivated as leavers, until they return; and those it has since deleted for good. */
export const departures = sqliteTable(
  'departures',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    serviceId: text('service_id').notNull(),
    /** The run that deactivated the account, or deleted it. */
    run: text('run').notNull(),
    /** When the account was deactivated. */
    at: text('at').notNull(),
    /** The service's own `deactivated_at`: if it differs, someone else has changed the account since. */
    stamp: text('stamp'),
    /** When the account was deleted for good. */
    deletedAt: text('deleted_at'),
    /** JSON: digests of the words by which records may still name a deleted person. */
    words: text('words'),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey] })],
);

/** Changes that the service rejected, and when each is tried again. */
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

/** Holds that an operator knows of and leaves in place: they are listed, but no longer make a run end with 4. */
export const acknowledgements = sqliteTable('acknowledgements', {
  /** Id of the hold: it changes when something else is held. */
  hold: text('hold').primaryKey(),
  entity: text('entity').notNull(),
  key: text('key').notNull(),
  who: text('who').notNull(),
  reason: text('reason').notNull(),
  at: text('at').notNull(),
  until: text('until'),
});

/** People and groups (`type`) that identity providers have pushed, with their look-up keys. */
export const pushedResources = sqliteTable(
  'pushed_resources',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    source: text('source').notNull(),
    type: text('type').$type<'User' | 'Group'>().notNull(),
    id: text('id').notNull(),
    /** userName or displayName, without case. */
    nameKey: text('name_key').notNull(),
    externalId: text('external_id'),
    /** The display name. */
    display: text('display').notNull(),
    created: text('created').notNull(),
    modified: text('modified').notNull(),
    version: integer('version').notNull(),
    /** JSON: attributes by their names in the schema, never a password. */
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
    /** The address without case. Blank for older rows with letters beyond ASCII, because SQL cannot fold these. */
    email: text('email').notNull(),
    id: text('id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.source, t.email, t.id] }), index('pushed_email_of').on(t.source, t.id)],
);

/** People whom an identity provider has deleted: only their former key. */
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

/** The columns a record had when a run last used it: a column that is empty now may be hidden from the key (`emptied.ts`). */
export const filledColumns = sqliteTable(
  'filled_columns',
  {
    stream: text('stream').notNull(),
    key: text('key').notNull(),
    /** A sign for each column, in the order of a fact. */
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
  /** JSON: the schedule, and the slot up to which everything is done. */
  anchor: text('anchor'),
  /** JSON: work begun and not delivered yet. */
  work: text('work'),
  /** JSON: the last delivery. */
  last: text('last'),
  /** JSON: why the newest attempt failed. */
  failure: text('failure'),
});

/** Records that are delivered as documents, with the delivered file. */
export const deliveredDocuments = sqliteTable(
  'delivered_documents',
  {
    delivery: text('delivery').notNull(),
    entity: text('entity').$type<'users' | 'projects'>().notNull(),
    /** Id of the user or project in the service. */
    key: text('key').notNull(),
    /** JSON: the file, and the record's stamp at that time. */
    laid: text('laid'),
    missing: integer('missing').notNull(),
    /** JSON: why the newest attempt failed. */
    failure: text('failure'),
  },
  (t) => [primaryKey({ columns: [t.delivery, t.key] })],
);
