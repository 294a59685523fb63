import type { App } from '../../app/app.js';
import type { FieldRule } from '../../config/config.js';
import { deriveRun } from '../../cycle.js';
import type { TraceStep } from '../../mapping/trace.js';
import { findReferences } from '../../mirror/directory.js';
import { createDateFormatter, createDateWriter } from '../../model/date-in-zone.js';
import type { DeclineWords } from '../../model/decline.js';
import { isSameStamp } from '../../model/departure.js';
import type { Hold } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import { type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS, mayBeUnshown } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import { whyLeftAlone } from '../../model/left-alone.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import type { GuardTrip } from '../../model/plan.js';
import {
  declinedKey,
  editedKey,
  isPromotedPart,
  type PlannedChange,
  promotedKey,
  type Withheld,
} from '../../model/plan.js';
import type { SourceRecord } from '../../model/source.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { DerivedRun } from '../../planning/derived-run.js';
import { findNamed } from '../../planning/leavers.js';
import { type TriedKey, tryKeys } from '../../planning/match-objects.js';
import type { StagedEntity } from '../../planning/staging/stage-sources.js';
import { createRowCatcher, type RowCatcher } from './catch-rows.js';
import { findOne, type MeantBy } from './find-one.js';
import { type HistoryLine, listHistory } from './history.js';
import { nameSetting } from './name-setting.js';
import { type ExplainedRow, readRows } from './read-rows.js';

/** The part of the app that is available between runs. */
export type StoredApp = Pick<App, 'stores' | 'config'>;
type WaitingValue = ReturnType<App['stores']['outbox']['waitingOf']>[number];

/** Everything about one object, as named steps in the order in which a run performs them. */
export interface Explanation {
  readonly entity: Entity;
  readonly key: string;
  readonly steps: {
    /** Rows of the sources that decide whether the object exists, and of those that add to it. */
    readonly sources: readonly { readonly place: string; readonly values: Readonly<Record<string, string>> }[];
    readonly scope: TraceStep | null;
    readonly leaver: TraceStep | null;
    readonly joiner: TraceStep | null;
    readonly doubtful: TraceStep | null;
    readonly fields: readonly FieldTrace[];
    readonly desired: Values | null;
    readonly correlation: {
      readonly link: string | null;
      readonly origin: string | null;
      readonly since: string | null;
      /** The object that an unlinked record matches. The next run adopts it. */
      readonly found: { readonly id: string; readonly by: string } | null;
      /** The entries of `match`, each with its rule. The entries are tried only for a record without a link. */
      readonly match: readonly TriedKey[];
    };
    readonly mirror: { readonly id: string; readonly active: boolean; readonly values: Values } | null;
    /** The values that both sides last agreed on. */
    readonly base: Values | null;
    /** The place of an unusable row that names the missing record; null if there is none. */
    readonly named_in: string | null;
    readonly absence: { readonly observations: number; readonly first_at: string; readonly kind: string } | null;
    /** When talent-sync deactivated the person as a leaver, when the account is due for deletion, and when it was deleted. */
    readonly departure: {
      readonly run: string;
      readonly deactivated_at: string | null;
      /** Null if the deletion is never due, or already done. */
      readonly purge_due_at: string | null;
      readonly deleted_at: string | null;
    } | null;
    /** Values that an operator has undone and that are not written again. */
    readonly pins: readonly {
      readonly path: string;
      readonly undone: string;
      readonly run: string;
      readonly at: string;
    }[];
    /** The object's declines that apply now, including declined columns to write back. */
    readonly declined: readonly (DeclineWords & { readonly id: string; readonly path: string })[];
    readonly held: readonly Hold[];
    /** Past changes, newest first, with the runs in which the person joined, moved and left. */
    readonly history: readonly HistoryLine[];
    /** ISO 8601: the first day of a person who starts later, and the day on which the account is created or activated. */
    readonly starts: { readonly first_day: string; readonly from: string } | null;
    /** Why the object is left alone although nothing is wrong; for example, the CV of a person who has left. */
    readonly left_alone: string | null;
    /** The setting that decides if the object leaves, such as `users.leaver.when`; null if none does. */
    readonly setting: string | null;
    /** Mapped fields that the service does not show. The last written value is used instead. */
    readonly unverifiable: readonly string[];
    readonly action: Pick<
      PlannedChange,
      'action' | 'label' | 'fields' | 'before' | 'after' | 'reason' | 'needs' | 'approval' | 'batch'
    > | null;
    /** The guard or change that holds the object's change. `detail` has the guard's numbers and its cause. */
    readonly guard: { readonly by: string; readonly name: string; readonly detail?: string } | null;
    /**
     * Values to write back now, and values that were sent but that the sources do not show yet; null if nothing is written
     * back.
     */
    readonly write_back: {
      readonly told: readonly Pick<PlannedSourceChange, 'source' | 'record' | 'cells' | 'reason' | 'withheld'>[];
      readonly waiting: readonly Omit<WaitingValue, 'entity' | 'key' | 'serviceHash'>[];
    } | null;
  };
}

/** A field's expression and its result, with the settings of its rule. */
export interface FieldTrace extends TraceStep {
  readonly apply: FieldRule['apply'];
  readonly when_empty: FieldRule['whenEmpty'];
}

/** Derives a run as a plan does, then follows one object through it. Saves and sends nothing. */
export async function explainObject(app: App, entity: Entity, meant: MeantBy): Promise<Explanation> {
  const { words } = meant;
  const catcher = createRowCatcher(words, app.stores.work.findStagedBefore(entity, words));
  const derived = await deriveRun(catcher.watch(app), { full: false, only: null });
  const subject = await findSubject(app, derived, { ...meant, entity, catcher });
  const { key, staged, rows, link, object, desired } = subject;
  const { work, pins, declines } = app.stores;
  // Without another change, the declined change is the one that the run would otherwise make.
  const keys = [key, promotedKey(key), declinedKey(key), editedKey(key)];
  const found = keys.flatMap((one) => findChange(app, `${entity}:${one}`) ?? []);
  const [change = null] = found;
  // If the part of a change that grants permissions is held, the other part continues.
  const promoted = found.find(isPromotedPart)?.withheld;
  const back = readWriteBack(app, entity, key);
  const records = back === null ? [] : listRecords(subject, back);
  const backed = records.flatMap(([source, record]) => work.holdsOf(source, record));
  const scopes = [[entity, key] as const, ...records.map(([source, record]) => [`sources.${source}`, record] as const)];
  const refused = scopes.flatMap(([scope, of]) => declines.ofRecord(scope, of, derived.now));
  const traced = traceRows(app, subject);
  const steps = {
    ...traced,
    desired,
    correlation: correlate(app, subject),
    mirror: describeMirror(app, object),
    base: link?.base ?? null,
    named_in: rows.length > 0 || staged === null ? null : findNamed(app.stores, entity, key),
    absence: findAbsence(app, subject),
    departure: isAccount(entity) ? explainDeparture(app, key, object) : null,
    pins: pins.ofRecord(entity, key).map(({ path, undone, run, at }) => ({ path, undone, run, at })),
    declined: refused.map(({ id, path, who, reason, at, until }) => ({ id, path, who, reason, at, until })),
    held: [...work.holdsOf(entity, key), ...backed],
    history: listHistory(app.stores.audit, entity, key),
    starts: findStart(app, subject),
    left_alone:
      staged === null
        ? null
        : (findPolicy(app, subject) ?? findReason(app, entity, key) ?? explainPassed(derived, entity, key)),
    setting: staged === null ? null : nameSetting(app, { ...subject, change }),
    unverifiable: listUnshown(app, subject),
    action: change === null ? null : pickAction(change),
    guard: withDetail(change?.withheld ?? promoted ?? findHeldSource(derived, entity), derived.guards),
    write_back: back,
  };
  return { entity, key, steps };
}

function withDetail(
  guard: { readonly by: string; readonly name: string } | null,
  trips: readonly GuardTrip[],
): Explanation['steps']['guard'] {
  if (guard?.by !== 'guard') return guard;
  const names = guard.name.split(' + ');
  const details = trips.filter((trip) => names.includes(trip.guard)).map(({ detail }) => detail);
  return details.length === 0 ? guard : { ...guard, detail: details.join('; ') };
}

/** The object to explain: its record, its link, and its object in the service. */
interface Subject {
  readonly entity: Entity;
  readonly key: string;
  /** Null if no source delivers the entity. */
  readonly staged: StagedEntity | null;
  readonly rows: readonly ExplainedRow[];
  readonly link: ReturnType<App['stores']['links']['find']>;
  readonly found: Explanation['steps']['correlation']['found'];
  readonly object: Observed | null;
  readonly desired: Values | null;
}

interface AskedObject extends MeantBy {
  readonly entity: Entity;
  readonly catcher: RowCatcher;
}

async function findSubject(
  app: App,
  derived: DerivedRun,
  { entity, catcher, ...meant }: AskedObject,
): Promise<Subject> {
  const { work, links, mirror } = app.stores;
  const { key, unlinked } = findOne(app.stores, entity, meant);
  const staged = derived.staged.find((one) => one.entity === entity) ?? null;
  const rows = staged === null ? [] : await readRows(app, staged, key, catcher);
  const link = links.find(entity, key);
  const found = link === null ? work.adoption(entity, key) : null;
  const id = link?.serviceId ?? found?.id ?? null;
  const object = id === null ? unlinked : mirror.get(entity, id);
  const desired = work.stagedByKey(entity, key)?.desired?.values ?? null;
  return { entity, key, staged, rows, link, found, object, desired };
}

type Traced = 'sources' | 'scope' | 'leaver' | 'joiner' | 'doubtful' | 'fields';

/** The rows, and the result of the mapping for the first row. */
function traceRows({ config, mappers, today }: App, { entity, rows }: Subject): Pick<Explanation['steps'], Traced> {
  const [first] = rows;
  const rules = config.mappings[entity]?.rules ?? {};
  const write = createDateWriter(config.timezone);
  const trace = first === undefined ? undefined : mappers[entity]?.trace(first.record, first.companions, today);
  return {
    sources: rows.flatMap(({ record, companions }) => [
      describeRow(record, write),
      ...Object.values(companions).flatMap((row) =>
        row === null || row === 'unknown' ? [] : [describeRow(row, write)],
      ),
    ]),
    scope: trace?.scope ?? null,
    leaver: trace?.leaver ?? null,
    joiner: trace?.joiner ?? null,
    doubtful: trace?.doubtful ?? null,
    fields: (trace?.fields ?? []).map((step) => addRule(step, rules[step.path])),
  };
}

function correlate(
  { config, stores }: App,
  { entity, link, found, desired }: Subject,
): Explanation['steps']['correlation'] {
  const match = config.mappings[entity]?.match ?? [];
  return {
    link: link?.serviceId ?? null,
    origin: link?.origin ?? null,
    since: link?.at ?? null,
    found,
    match: tryKeys(entity, match, link === null ? desired : null, stores),
  };
}

export function describeMirror({ stores, config }: StoredApp, object: Observed | null): Explanation['steps']['mirror'] {
  if (object === null) return null;
  return { id: object.id, active: object.active, values: dropUnkept(stores.withNames(object), config) };
}

export function findAbsence(
  { stores }: StoredApp,
  { entity, key }: Pick<Subject, 'entity' | 'key'>,
): Explanation['steps']['absence'] {
  const absence = stores.history.absence(entity, key);
  if (absence === null) return null;
  return { observations: absence.observations, first_at: absence.firstAt, kind: absence.kind };
}

function findStart(
  { config: { users, timezone }, mappers, today }: App,
  { entity, rows: [first], object }: Subject,
): Explanation['steps']['starts'] {
  if (!isAccount(entity) || first === undefined || object?.active === true) return null;
  const mapped = mappers[entity]?.map(first.record, first.companions, today);
  const starts = mapped?.kind === 'desired' ? mapped.desired.starts : undefined;
  if (starts === undefined) return null;
  const dateIn = createDateFormatter(timezone);
  const from = new Date(Date.parse(starts) - (users?.joiner?.leadMs ?? 0));
  return { first_day: dateIn(new Date(starts)), from: dateIn(from) };
}

/** The records to write back to: those of the object's rows, and those to which values were sent. */
function listRecords(
  { rows }: Subject,
  { waiting }: NonNullable<Explanation['steps']['write_back']>,
): readonly (readonly [source: string, key: string])[] {
  const shown = rows.flatMap(({ record, companions }) => [record, ...Object.values(companions)]);
  const records = [
    ...shown.flatMap((row) => (row === null || row === 'unknown' ? [] : [[row.place.source, row.key] as const])),
    ...waiting.map(({ source, record }) => [source, record] as const),
  ];
  return [...new Map(records.map((one) => [JSON.stringify(one), one])).values()];
}

/** Finds the held source of an entity, for which nothing was derived. */
function findHeldSource({ stopped }: Pick<DerivedRun, 'stopped'>, entity: Entity): Withheld | null {
  const trip = stopped.find((stop) => stop.entity === entity)?.error.trip;
  return trip === undefined ? null : { by: 'guard', name: trip.guard };
}

function addRule(step: TraceStep, rule: FieldRule | undefined): FieldTrace {
  return { ...step, apply: rule?.apply ?? 'always', when_empty: rule?.whenEmpty ?? 'keep' };
}

/** Null if the account is active again, or if someone else deactivated it. */
export function explainDeparture(
  { stores, config }: StoredApp,
  key: string,
  object: Observed | null,
): Explanation['steps']['departure'] {
  const departure = stores.departures.find(key);
  if (departure === null) return null;
  const { run, at, deletedAt, stamp, serviceId } = departure;
  if (deletedAt !== null) return { run, deactivated_at: null, purge_due_at: null, deleted_at: deletedAt };
  if (object?.id !== serviceId || object.active || !isSameStamp(stamp, object)) return null;
  const afterMs = config.users?.leaver.purge?.afterMs;
  const due = afterMs === undefined ? null : new Date(Date.parse(at) + afterMs).toISOString();
  return { run, deactivated_at: at, purge_due_at: due, deleted_at: null };
}

function readWriteBack({ config, stores }: App, entity: Entity, key: string): Explanation['steps']['write_back'] {
  if (config.mappings[entity]?.writeBack.length === 0) return null;
  const told = [...stores.work.writeBackChanges('all')].filter(
    (change) => change.entity === entity && change.key === key,
  );
  return {
    told: told.map(({ source, record, cells, reason, withheld }) => ({ source, record, cells, reason, withheld })),
    waiting: stores.outbox
      .waitingOf(entity, key)
      .map(({ source, record, column, value, shown, status, run, at, times, message }) => {
        return { source, record, column, value, shown, status, run, at, times, message };
      }),
  };
}

/** The reason why the policy leaves the object alone; null if the policy allows the change. */
function findPolicy({ config: { policy }, stores }: App, { entity, key, object }: Subject): string | null {
  if (object === null || policy === 'sync') return null;
  if (policy === 'create-only') return '`policy: create-only` leaves existing objects unchanged';
  const hasLeft = stores.work.stagedByKey(entity, key)?.desired?.leaver === true;
  return hasLeft && object.active ? '`policy: upsert-only` removes nothing' : null;
}

/** Explains the row of a leaver whose object another record has. */
function explainPassed({ passed }: DerivedRun, entity: Entity, key: string): string | null {
  const row = passed.find((one) => one.entity === entity && one.key === key);
  return row === undefined
    ? null
    : `the row reports a leaver, but record ${row.keptBy} has the same ${TRAITS[entity].singular} in the service`;
}

function findReason({ stores }: App, entity: Entity, key: string): string | null {
  const { work, mirror } = stores;
  const values = work.stagedByKey(entity, key)?.desired?.values ?? {};
  const idOf = idOfIn({ find: (to, word) => findReferences(mirror, to, word) });
  const { has: wasDeleted } = stores.deletedWords();
  return whyLeftAlone(entity, values, {
    idOf,
    observed: mirror.get,
    plannedByTarget: work.plannedByTarget,
    wasDeleted,
  });
}

/**
 * Drops outdated values. A CV is read only for its mapped tags, so the mirror's values for other categories may be very
 * old.
 */
function dropUnkept({ values }: Observed, config: App['config']): Values {
  const { cv_tags: tags, ...others } = values;
  if (!isJsonObject(tags)) return values;
  const mapped = Object.keys(config.mappings.users?.fields.cv_tags ?? {});
  const kept = Object.entries(tags).filter(([category]) => mapped.includes(category));
  return kept.length === 0 ? others : { ...others, cv_tags: Object.fromEntries(kept) };
}

function listUnshown({ stores }: App, { entity, desired, object }: Subject): readonly string[] {
  if (object === null) return [];
  const { values } = stores.withNames(object);
  return Object.keys(desired ?? {}).filter((name) => mayBeUnshown(FIELDS[entity][name]) && values[name] === undefined);
}

export function pickAction(change: PlannedChange): Explanation['steps']['action'] {
  const { action, label, fields, before, after, reason, needs, approval, batch } = change;
  return { action, label, fields, before, after, reason, needs, approval, ...(batch === undefined ? {} : { batch }) };
}

function describeRow(
  { place, cells }: SourceRecord,
  write: (at: Date) => string,
): Explanation['steps']['sources'][number] {
  const values = Object.entries(cells).map(([name, cell]) => [name, showCell(cell, write)]);
  return { place: formatPlace(place), values: Object.fromEntries(values) as Record<string, string> };
}

function showCell(cell: SourceRecord['cells'][string], write: (at: Date) => string): string {
  if (cell instanceof Date) return write(cell);
  return typeof cell === 'object'
    ? JSON.stringify(cell, (_, value: Json | bigint) => (typeof value === 'bigint' ? String(value) : value))
    : String(cell);
}

function findChange(app: App, ref: string): PlannedChange | null {
  for (const change of app.stores.work.inOrder('all')) if (`${change.entity}:${change.key}` === ref) return change;
  return null;
}
