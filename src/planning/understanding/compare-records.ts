import type { Config } from '../../config/config.js';
import { findReferences, loadDirectory } from '../../mirror/directory.js';
import { idOfIn, officeKey } from '../../model/directory.js';
import { type Entity, type IdOf, isAccount } from '../../model/entity.js';
import { FIELDS, mayBeUnshown } from '../../model/fields.js';
import { isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isEmpty } from '../../reconcile/fields/compare.js';
import { diffValues, type LeafRules } from '../../reconcile/fields/diff.js';
import { correlate, createFinder, type Finder } from '../../reconcile/match/correlate.js';
import type { Stores } from '../../store/open-stores.js';
import type { EqualCount } from '../../store/work/equal-pairs.js';
import type { StagedRecord } from '../../store/work/staged-lookup.js';

/** The account's objects that were read, and the links to them. */
export interface AccountSide {
  readonly mirror: Stores['mirror'];
  readonly links: Stores['links'];
  /** Looks up many objects of the mirror together. */
  readonly objectsAhead: Stores['objectsAhead'];
  /** The entities whose objects were read. */
  readonly entities: ReadonlySet<Entity>;
  /** True if only some fields of people were read; fields that an object does not show are not compared. */
  readonly isPartial: boolean;
}

/** Counts for one field of the people who are on both sides. */
export interface FieldCount {
  compared: number;
  equal: number;
  changing: number;
  filling: number;
  kept: number;
  /** Number of `changing` values that differ only in case. */
  capitals: number;
  readonly examples: { readonly before: string; readonly after: string }[];
}

export interface RecordCounts {
  records: number;
  readonly matchedBy: Record<string, number>;
  ambiguous: number;
  fresh: number;
  early: number;
  doubtful: number;
  leavers: number;
  strangersLeft: number;
  /** People who are active in the account, and whom the policy does not deactivate. */
  leftAlone: number;
  reactivated: number;
  /** Rows that match an account that another row matches too. */
  shared: number;
  readonly fields: Map<string, FieldCount>;
  /** `gb/London` → number of new people. `lackingOffices` has only the offices that the account lacks. */
  readonly newOffices: Map<string, number>;
  readonly lackingOffices: Map<string, number>;
}

const AT_A_TIME = 500;
const EXAMPLES = 2;
const LINK = 'link';

/** Everything needed to find and compare the records of an entity. */
interface Comparing {
  readonly entity: Entity;
  readonly config: Config;
  readonly account: AccountSide;
  readonly find: Finder;
  readonly observed: (id: string) => Observed | null;
  readonly idOf: IdOf;
  readonly directory: ReturnType<typeof loadDirectory>;
  readonly seen: Set<string>;
  readonly isInEqualPair: (id: string) => boolean;
  readonly counts: RecordCounts;
}

/** Looks up each staged record in the account and compares the two. It keeps one object of the account in memory at a time. */
export function* compareInSteps(
  entity: Entity,
  config: Config,
  work: Stores['work'],
  account: AccountSide | null,
): Generator<void, RecordCounts> {
  const counts: RecordCounts = {
    ...{ records: 0, matchedBy: {}, ambiguous: 0, fresh: 0, early: 0, doubtful: 0, leavers: 0, strangersLeft: 0 },
    ...{ leftAlone: 0, reactivated: 0, shared: 0, fields: new Map(), newOffices: new Map(), lackingOffices: new Map() },
  };
  const comparing = account === null ? null : openComparing({ entity, config, work, account, counts });
  if (comparing !== null) countEqual(work.equalCounts(entity), comparing);
  for (const record of recordsOf(entity, work, account)) {
    if (record.state === 'out') continue;
    counts.records += 1;
    if (record.state === 'leaver') counts.leavers += 1;
    if (record.doubtful) counts.doubtful += 1;
    else if (record.state === 'early') counts.early += 1;
    if (comparing !== null) compareOne(record, comparing);
    if (counts.records % AT_A_TIME === 0) yield;
  }
  return counts;
}

/** A staged record, with the id of the object that it is linked to. */
interface LinkedRecord extends StagedRecord {
  readonly linkedId: string | null;
}

function recordsOf(entity: Entity, work: Stores['work'], account: AccountSide | null): Iterable<LinkedRecord> {
  const isAnyLinked = account !== null && account.links.count(entity) > 0;
  const idOf = (key: string) => (isAnyLinked ? (account.links.find(entity, key)?.serviceId ?? null) : null);
  const linked = withEach(work.stagedRecords(entity, account !== null), (record) => ({
    ...record,
    linkedId: idOf(record.key),
  }));
  return account === null ? linked : account.objectsAhead.inPages(entity, linked, (record) => record);
}

function* withEach<A, B>(items: Iterable<A>, map: (item: A) => B): Iterable<B> {
  for (const item of items) yield map(item);
}

function openComparing({
  entity,
  config,
  work,
  account,
  counts,
}: Pick<Comparing, 'entity' | 'config' | 'account' | 'counts'> & { readonly work: Stores['work'] }): Comparing {
  const { mirror, links, objectsAhead: ahead } = account;
  const observed: Comparing['observed'] = (id) => ahead.object(entity, id)?.object ?? mirror.get(entity, id);
  return {
    ...{ entity, config, account, counts, seen: new Set(), observed },
    isInEqualPair: (id) => work.isInEqualPair(entity, id),
    find: createFinder(entity, {
      findIds: (_, name, value) => ahead.ids(entity, name, value) ?? mirror.findIds(entity, name, value),
      observed: (_, id) => observed(id),
      linkedKey: links.keyOf,
    }),
    idOf: idOfIn({ find: (to, word) => findReferences(mirror, to, word) }),
    directory: loadDirectory(mirror),
  };
}

/** Counts the pairs that the derivation found equal, with all their fields, without reading them again. */
function countEqual(equal: readonly EqualCount[], { entity, counts }: Comparing): void {
  for (const { by, count, names } of equal) {
    counts.records += count;
    counts.matchedBy[by] = (counts.matchedBy[by] ?? 0) + count;
    if (!isAccount(entity)) continue;
    for (const name of names) {
      if (FIELDS[entity][name] === undefined) continue;
      const field = counts.fields.get(name) ?? newCount();
      counts.fields.set(name, field);
      field.compared += count;
      field.equal += count;
    }
  }
}

function compareOne(record: LinkedRecord, comparing: Comparing): void {
  const { entity, config, account, counts, seen } = comparing;
  const observed = findObserved(record, comparing);
  if (observed === 'ambiguous') return;
  if (observed === null) {
    if (record.state === 'leaver') counts.strangersLeft += 1;
    else countNew(record, comparing);
    return;
  }
  if (seen.has(observed.id) || comparing.isInEqualPair(observed.id)) counts.shared += 1;
  seen.add(observed.id);
  if (!isAccount(entity)) return;
  if (record.state === 'leaver' && observed.active && config.policy !== 'sync') counts.leftAlone += 1;
  if (record.state !== 'desired') return;
  if (!observed.active) counts.reactivated += 1;
  compareFields(record.values, observed.values, comparing, account.isPartial);
}

function findObserved(
  { linkedId, values }: LinkedRecord,
  { entity, config, observed: get, find, idOf, counts }: Comparing,
): Observed | 'ambiguous' | null {
  const linked = linkedId === null ? null : get(linkedId);
  if (linked !== null) return counted(counts, LINK, linked);
  const found = correlate({ entity, values }, config.mappings[entity]?.match ?? [], find, idOf);
  if (found.kind === 'ambiguous') {
    counts.ambiguous += 1;
    return found.kind;
  }
  const observed = found.kind === 'match' ? get(found.id) : null;
  return observed === null || found.kind !== 'match' ? null : counted(counts, found.by, observed);
}

function counted({ matchedBy }: RecordCounts, by: string, observed: Observed): Observed {
  matchedBy[by] = (matchedBy[by] ?? 0) + 1;
  return observed;
}

function countNew({ values }: StagedRecord, { counts, directory }: Comparing): void {
  counts.fresh += 1;
  const { office } = values;
  if (!isJsonObject(office)) return;
  const [country, name] = [String(office.country ?? ''), String(office.name ?? '')];
  addTo(counts.newOffices, officeKey(country, name));
  if (directory.officeId(country, name) === null) addTo(counts.lackingOffices, `${country}/${name}`);
}

function addTo(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const NO_RULES: LeafRules = {};

function compareFields(
  desired: Values,
  observed: Values,
  { entity, config, idOf, counts }: Comparing,
  isPartial: boolean,
): void {
  const isCompared = (name: string): boolean => {
    const field = FIELDS[entity][name];
    if (field === undefined || field.createOnly === true) return false;
    return observed[name] !== undefined || !(isPartial || mayBeUnshown(field) || field.onCv === true);
  };
  const names = Object.keys(desired).filter(isCompared);
  const wanted = Object.fromEntries(names.map((name) => [name, desired[name] ?? null]));
  const input = { entity, desired: wanted, observed, written: null, idOf };
  const different = diffValues({ ...input, rules: NO_RULES }).fields;
  const rules = config.mappings[entity]?.rules ?? NO_RULES;
  const moving = different.length === 0 ? different : diffValues({ ...input, rules }).fields;
  for (const name of names) {
    const field = counts.fields.get(name) ?? newCount();
    counts.fields.set(name, field);
    field.compared += 1;
    if (!different.includes(name)) field.equal += 1;
    else if (!moving.includes(name)) field.kept += 1;
    else countMoving(field, wanted[name] ?? null, observed[name]);
  }
}

function newCount(): FieldCount {
  return { compared: 0, equal: 0, changing: 0, filling: 0, kept: 0, capitals: 0, examples: [] };
}

function countMoving(field: FieldCount, want: Json, have: Json | undefined): void {
  const part = movingPart(want, have);
  if (part === null) {
    field.filling += 1;
    return;
  }
  field.changing += 1;
  const [before, after] = [showValue(part.before), showValue(part.after)];
  if (before !== after && before.toLowerCase() === after.toLowerCase()) field.capitals += 1;
  const isNew = !field.examples.some((one) => one.before === before && one.after === after);
  if (isNew && field.examples.length < EXAMPLES) field.examples.push({ before, after });
}

/** The first value that is replaced, in one language if the text is multilingual; null if everything was empty. */
function movingPart(want: Json, have: Json | undefined): { readonly before: Json; readonly after: Json } | null {
  if (isEmpty(have)) return null;
  if (!isJsonObject(want) || !isJsonObject(have) || isOffice(want)) return { before: have ?? null, after: want };
  const replaced = Object.keys(want).find(
    (part) => !isEmpty(have[part]) && showValue(have[part]) !== showValue(want[part]),
  );
  return replaced === undefined ? null : { before: have[replaced] ?? null, after: want[replaced] ?? null };
}

function isOffice(value: Values): boolean {
  return 'country' in value && 'name' in value;
}

function showValue(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return (value as readonly Json[]).map(showValue).join(', ');
  if (!isJsonObject(value)) return String(value);
  const { country, name } = objectOf(value);
  return isOffice(value) ? `${showValue(country)}/${showValue(name)}` : Object.values(value).map(showValue).join(', ');
}
