import { evenOut } from '../../model/comparison.js';
import { naturalKey } from '../../model/directory.js';
import { type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { personalFields } from '../../model/person-fields.js';
import { type Change, declinedKey, editedKey, givingWayKey, isDeclinedPart } from '../../model/plan.js';
import { tellRivals } from '../../model/plural.js';
import { buildChange } from '../build-change.js';
import { eachWithPauses } from '../each-with-pauses.js';
import { isOtherPerson } from '../match/other-person.js';
import type { NameCounts, ReconcilePorts } from '../ports.js';
import { dropFreedInVain, hintAtParking, holderText, isFreeing, offerAll, offerValue } from './free-value.js';
import { openCircles, type Parking, parkedAs, parkingRef } from './park.js';

/** A value that only one object of an entity can have at a time. */
interface UniqueValue {
  /** The name under which changes claim the value. */
  readonly claim: string;
  readonly field: string;
  /** The value that a change takes, in the form in which it is claimed; null if it takes none. */
  wanted(change: Change, ports: ReconcilePorts): string | null;
  /** Ids of the objects that have the value now. */
  holders(wanted: string, change: Change, ports: ReconcilePorts): readonly string[];
}

function uniqueValuesOf(entity: Entity): readonly UniqueValue[] {
  const fields = Object.entries(FIELDS[entity]).flatMap(([name, field]) => (isOneOwners(field) ? [name] : []));
  return [...fields.map((name) => uniqueField(entity, name)), ...(MORE_UNIQUE[entity] ?? [])];
}

function uniqueField(entity: Entity, field: string): UniqueValue {
  return {
    claim: `${entity}.${field}`,
    field,
    wanted: ({ after }) => {
      const value = after[field];
      return typeof value === 'string' && value !== '' ? foldKey(value) : null;
    },
    holders: (wanted, _change, ports) => ports.service.findIds(entity, field, wanted),
  };
}

/** True if two spellings are the same value. External ids are compared as in `match`; all other values ignore case and blanks. */
function isOne(here: unknown, there: unknown, field: string, { spelling }: Parking): boolean {
  if (field !== 'external_unique_id' || spelling === undefined || typeof here !== 'string') return true;
  return typeof there !== 'string' || evenOut(here, spelling) === evenOut(there, spelling);
}

/** Quotes the spelling of the other value, if it differs from that of the change. */
function describeSpelling(other: unknown, mine: unknown): string {
  return typeof other === 'string' && other !== mine ? ` as "${other}"` : '';
}

/** The name of an office is unique within its country (spec, Office). */
const OFFICE_NAME: UniqueValue = {
  claim: 'offices.natural',
  field: 'name',
  wanted({ after, target }, ports) {
    const known = target === null ? null : ports.service.observed('offices', target);
    return after.name === undefined ? null : naturalKey('offices', { ...known?.values, ...after });
  },
  holders(_wanted, { after, target }, ports) {
    const known = target === null ? null : ports.service.observed('offices', target);
    const id = ports.service.directory.officeId(
      String(after.country ?? known?.values.country ?? ''),
      String(after.name),
    );
    return id === null ? [] : [id];
  },
};

/** Unique values other than single fields. */
const MORE_UNIQUE: Readonly<Partial<Record<Entity, readonly UniqueValue[]>>> = { offices: [OFFICE_NAME] };

const NO_NAME_IS_COMMON: NameCounts = { people: 0, countOf: () => 0 };

/** The code of a country and the name of an office cannot have a temporary value. */
const NEVER_PARKED: ReadonlySet<Entity> = new Set(['countries', 'offices']);

/**
 * Orders the changes that take a unique value after those that give it up. E-mail and external id are also unique
 * across deactivated users (spec, Create rules). If k people pass on an address, each waits for the next, which needs
 * only k calls.
 *
 * | the value is held by             | →                                          |
 * |----------------------------------|--------------------------------------------|
 * | nobody, or the object itself     | nothing to wait for                        |
 * | an object that gives it up now   | wait for that change                       |
 * | a deactivated account            | hold, with the offer to free it (`free-value.ts`) |
 * | an object that keeps it          | hold: the service would reject it (422)    |
 * | wanted by two records            | hold both                                  |
 * | givers waiting in a circle       | one of them is parked first (`park.ts`), else hold them: no order exists |
 *
 * If the object exists, only the field is held; otherwise the entire record is held.
 *
 * An object that is to be deleted keeps its values until then. Deletions come last, because other objects may still
 * refer to it.
 */
export function orderUniqueValues(entity: Entity, parking: Parking, ports: ReconcilePorts): void {
  for (const _step of orderInSteps(entity, parking, ports));
}

/** Does the same, with pauses in which other work gets its turn. */
export function* orderInSteps(entity: Entity, parking: Parking, ports: ReconcilePorts): Generator<void, void> {
  const unique = uniqueValuesOf(entity);
  if (unique.length === 0) return;
  const names = NEVER_PARKED.has(entity) ? [] : unique.map(({ field }) => field);
  for (let circle: readonly string[] = ['']; circle.length > 0; ) {
    yield* holdTakersInVain(entity, unique, parking, ports);
    circle = ports.plan.level(entity);
    if (yield* openCircles(circle, names, parking, ports)) continue;
    yield* eachWithPauses(circle, (ref) => {
      const change = ports.plan.find(ref);
      if (change === null) return;
      const [name] = names.filter((one) => one in change.after);
      if (name === undefined) drop(change, ports, CIRCLE);
      else dropField(change, describeCircle(name, parking), parking, ports);
    });
  }
  if (isAccount(entity)) yield* dropFreedInVain(ports);
}

/**
 * Orders objects with the same name so that they are created one after the other, because after a lost answer only the
 * order distinguishes them.
 */
export function orderAlikeNames(entity: Entity, ports: ReconcilePorts): void {
  if (TRAITS[entity].sharesNames !== true) return;
  const last = new Map<string, string>();
  for (const { key, after } of [...ports.plan.changesOf(entity, 'create')]) {
    const name = foldKey(String(after.name));
    const before = last.get(name);
    if (before !== undefined) ports.plan.addNeed(`${entity}:${key}`, before);
    last.set(name, `${entity}:${key}`);
  }
  ports.plan.level(entity);
}

const CIRCLE = {
  reason: 'It exchanges unique values with others in a circle, so no order of calls exists.',
  remedy: 'Give one of them a temporary value in the source first.',
};

function describeCircle(field: string, { email }: Parking): DroppedField {
  const park = field === 'email' && email === null ? 'Set `users.parking_email`, or give' : 'Give';
  return { field, ...CIRCLE, remedy: CIRCLE.remedy.replace('Give', park) };
}

/**
 * Holds the takers of a value that no change gives up. A held giver no longer gives up its value, so the giver and
 * those who wait for it are checked again, until no more changes are held.
 */
function* holdTakersInVain(
  entity: Entity,
  unique: readonly UniqueValue[],
  parking: Parking,
  ports: ReconcilePorts,
): Generator<void, void> {
  let asked: Iterable<Change> = ports.plan.changesOf(entity);
  for (let fallen = new Set<string>(['']); fallen.size > 0; asked = findAgain(fallen, ports)) {
    fallen = new Set();
    // Changes are read in pages, so any of them may be out of date after the first change to the plan.
    let isAsRead = true;
    yield* eachWithPauses(asked, (change) => {
      if (!isTaker(change, unique)) return;
      const waits = waitForValues(isAsRead ? change : findNow(change, ports), unique, parking, ports);
      if (waits !== UNCHANGED) isAsRead = false;
      for (const ref of waits) fallen.add(ref);
    });
  }
}

function findNow({ entity, key }: Change, { plan }: ReconcilePorts): Change | null {
  return plan.find(`${entity}:${key}`);
}

function waitForValues(
  change: Change | null,
  unique: readonly UniqueValue[],
  parking: Parking,
  ports: ReconcilePorts,
): readonly string[] {
  let [now, all] = [change, UNCHANGED];
  for (const value of unique) {
    const waits = now === null ? UNCHANGED : waitForValue(now, value, parking, ports);
    if (waits === UNCHANGED) continue;
    all = [...all, ...waits];
    now = change === null ? null : findNow(change, ports);
  }
  return all;
}

function* findAgain(fallen: ReadonlySet<string>, { plan }: ReconcilePorts): Iterable<Change> {
  const asked = new Set([...fallen].flatMap((ref) => [ref, ...plan.waitersOf(ref), ...plan.waitersOf(parkedAs(ref))]));
  for (const ref of asked) {
    const change = plan.find(ref);
    if (change !== null) yield change;
  }
}

function isTaker(change: Change, unique: readonly UniqueValue[]): boolean {
  // A change in question stays complete, because the answer applies to all of it.
  if (change.asks !== undefined || change.action === 'delete') return false;
  if (isFreeing(change) || isDeclinedPart(change)) return false;
  return unique.some(({ field }) => change.fields.includes(field));
}

/** The value was free, so no change was held, and none waits for another. */
const UNCHANGED: readonly string[] = [];

/**
 * Makes a change wait for the change that gives up the value. Returns the changes that were held because no change gives
 * it up.
 */
function waitForValue(change: Change, unique: UniqueValue, parking: Parking, ports: ReconcilePorts): readonly string[] {
  const wanted = unique.wanted(change, ports);
  if (wanted === null) return UNCHANGED;
  const rivals = holdRivals(change, { unique, wanted }, parking, ports);
  if (rivals.length > 0) return rivals;
  const { entity, key, target } = change;
  const { field } = unique;
  let result = UNCHANGED;
  for (const id of unique.holders(wanted, change, ports)) {
    if (id === target || !isOne(change.after[field], ports.service.observed(entity, id)?.values[field], field, parking))
      continue;
    const need = findGiver(change, id, unique, ports);
    const ref = need ?? freeValue(change, { id, field: unique.field }, parking, ports);
    if (ref === null) return [`${entity}:${key}`];
    ports.plan.addNeed(`${entity}:${key}`, ref);
    result = [];
  }
  return result;
}

/** A unique value that a change takes, in the form in which it is claimed. */
interface WantedValue {
  readonly unique: UniqueValue;
  readonly wanted: string;
}

/** Holds all changes that need the same value, and returns them. */
function holdRivals(
  change: Change,
  { unique, wanted }: WantedValue,
  parking: Parking,
  ports: ReconcilePorts,
): readonly string[] {
  const { entity, key } = change;
  const { field } = unique;
  const wantedBy = (rival: string): unknown => ports.plan.find(`${entity}:${rival}`)?.after[field];
  const rivals = ports.plan
    .claimants(unique.claim, wanted)
    .filter((rival) => rival !== key && takesIt(ports.plan.find(`${entity}:${rival}`), unique, ports))
    .filter((rival) => isOne(wantedBy(rival), change.after[field], field, parking));
  if (rivals.length === 0) return [];
  const mine = change.after[field];
  const others = rivals.map((rival) => describeSpelling(wantedBy(rival), mine)).find((one) => one !== '') ?? '';
  for (const one of rivals) {
    const rival = ports.plan.find(`${entity}:${one}`);
    const told = tellRivals([key], 'want') + describeSpelling(mine, rival?.after[field]);
    if (rival !== null) dropField(rival, taken(rival, field, told), parking, ports);
  }
  dropField(change, taken(change, field, tellRivals(rivals, 'want') + others), parking, ports);
  return [key, ...rivals].map((one) => `${entity}:${one}`);
}

/** The change that makes an object give up the value; null if the object keeps it. */
function findGiver({ entity, key }: Change, id: string, { field }: UniqueValue, ports: ReconcilePorts): string | null {
  const giver = ports.plan.plannedByTarget(entity, id);
  if (giver !== null && ports.plan.has(parkingRef(giver))) return parkingRef(giver);
  // An object that keeps the value in another spelling is a rival, and both are held.
  const gives = giver?.after[field] !== undefined ? `${entity}:${giver.key}` : null;
  return gives ?? findOtherGiver({ entity, key }, id, field, ports);
}

/**
 * A declined part of a change may give up the value, once that part is applied. Or the account is separated from its
 * record, which needs the value for another account.
 */
function findOtherGiver(
  { entity, key: taker }: Pick<Change, 'entity' | 'key'>,
  id: string,
  field: string,
  { plan, service }: ReconcilePorts,
): string | null {
  const key = service.linkedKey(entity, id) ?? taker;
  const refs = [declinedKey(key), editedKey(key), givingWayKey(key)].map((one) => `${entity}:${one}`);
  const gives = (change: Change | null): boolean => change?.target === id && change.after[field] !== undefined;
  return refs.find((ref) => gives(plan.find(ref))) ?? null;
}

/** Returns the change that frees the value, once this change is approved. Until then the field is held, with the offer. */
function freeValue(
  change: Change,
  { id, field }: { readonly id: string; readonly field: string },
  parking: Parking,
  ports: ReconcilePorts,
): string | null {
  const { entity, target, after } = change;
  const holder = ports.service.observed(entity, id);
  const handover = holder === null ? null : { taker: change, holder, parking };
  const offer = handover === null ? null : offerValue(field, handover, ports);
  if (offer?.approved === true) return offer.ref;
  // A new person needs all of the values, so every value that the account has is offered at the same time.
  if (offer !== null && handover !== null && target === null) offerAll({ ...handover, wanted: after }, ports);
  const other = describeSpelling(holder?.values[field], after[field]);
  const why = taken(change, field, `${holderText(holder, id, ports.memory.dayOf)} has it${other}`);
  const isParted = ports.service.linkedKey(entity, id) === change.key;
  const hint = offer === null ? hintAtParking(field, holder, parking, isParted) : ` Or free it: ${offer.text}.`;
  dropField(change, { ...why, remedy: `${why.remedy}${hint}` }, parking, ports);
  return null;
}

/** Offices claim their name with every change, whether the name is new or not. */
function takesIt(rival: Change | null, unique: UniqueValue, ports: ReconcilePorts): boolean {
  return rival !== null && rival.action !== 'delete' && unique.wanted(rival, ports) !== null;
}

/** A field that is left out, and the reason. */
interface DroppedField {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

function taken({ entity, after }: Change, field: string, because: string): DroppedField {
  const where = TRAITS[entity].scope === undefined ? 'the account' : `its ${TRAITS[entity].scope}`;
  return {
    field,
    reason: `${field} "${String(after[field])}" is unique in ${where}, and ${because}.`,
    remedy: `Correct the value in the source, or free it in the service.${hintAtSpelling(entity, field, because)}`,
  };
}

/** Two ids may differ only in case. */
function hintAtSpelling(entity: Entity, field: string, because: string): string {
  return field === 'external_unique_id' && because.includes(' as "')
    ? ` If capitals distinguish the two, set this in \`${entity}.match\`: \`{ fields: [external_unique_id], compare: { case: exact } }\`.`
    : '';
}

/** Drops one field of a change. If the object exists, the other fields of the change stay planned. */
function dropField(
  change: Change,
  { field, ...why }: DroppedField,
  { configDigest }: Parking,
  ports: ReconcilePorts,
): void {
  const ref = `${change.entity}:${change.key}`;
  if (change.asks !== undefined) return;
  // The needs are determined again for the remaining values.
  for (const need of ports.plan.find(ref)?.needs ?? [])
    if (need.startsWith(`${change.entity}:`)) ports.plan.replaceNeed(ref, need, null);
  const now = ports.plan.find(ref);
  if (now === null) return;
  ports.plan.drop(ref);
  const dropped = new Set([field, ...listTied(now, field, ports)]);
  const without = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !dropped.has(name)));
  const [after, before] = [without(now.after), without(now.before)];
  const { id: _id, ...rest } = now;
  const fields = now.fields.filter((name) => !dropped.has(name));
  const tied = now.fields.filter((name) => dropped.has(name) && name !== field).join(', ');
  const isLeft = now.target !== null && (fields.length > 0 || now.action !== 'update');
  if (isLeft) ports.plan.add(buildChange({ ...rest, fields, before, after }, configDigest));
  holdTaken(
    change,
    tied === '' ? why : { ...why, reason: `${why.reason} Until then, ${tied} stay unchanged too.` },
    ports,
  );
}

/**
 * The other values that wait with a unique value, so that no account mixes the values of two people. Everything that
 * identifies a person waits if the name would be another person's, or if name or year of birth change and the external
 * id cannot.
 */
function listTied({ entity, target, after }: Change, field: string, { service }: ReconcilePorts): readonly string[] {
  const observed = isAccount(entity) && target !== null ? service.observed(entity, target) : null;
  if (observed === null || !PERSON.some((name) => name in after)) return [];
  const desired = { values: { ...observed.values, ...after, email: observed.values.email ?? null } };
  const isOther = isOtherPerson({ desired, observed, base: null, isReturning: false }, () => NO_NAME_IS_COMMON);
  return field === 'external_unique_id' || isOther ? personalFields() : [];
}

const PERSON = ['name', 'born_year'];

function drop(change: Change, ports: ReconcilePorts, why: { reason: string; remedy: string }): void {
  ports.plan.drop(`${change.entity}:${change.key}`);
  holdTaken(change, why, ports);
}

function holdTaken(
  { entity, key, place }: Change,
  why: { reason: string; remedy: string },
  ports: ReconcilePorts,
): void {
  ports.plan.hold({ entity, key, place, code: 'SYNC_VALUE_TAKEN', ...why });
}
