import { isManager, PLAIN_ROLES } from './fields.js';
import { canonicalJson, isJsonObject, itemsOf, type Json, listOf, type Values } from './json.js';
import { accessFields } from './person-fields.js';
import { type Change, type Power, reopens } from './plan.js';

export const ADMINISTRATOR = 'internationalmanager' as const;
const COUNTRY = 'countrymanager';
const ORDER: readonly Power[] = [ADMINISTRATOR, COUNTRY, 'other'];
const IDENTITY: ReadonlySet<string> = new Set(accessFields('identity'));
const RULES: ReadonlySet<string> = new Set(accessFields('power'));
const PLACES: ReadonlySet<string> = new Set(accessFields('place'));

/** The names under which guards count gains of power in later runs. */
export const PROMOTED: Readonly<Record<Power, string>> = {
  internationalmanager: 'promote.internationalmanager',
  countrymanager: 'promote.countrymanager',
  other: 'promote',
};

/** The power that a change would give. */
export interface Gain {
  readonly power: Power;
  /** The fields that give the power. The other fields of the change give none. */
  readonly fields: readonly string[];
  /** True if the entire change waits, because it gives the power regardless of its fields. */
  readonly isWhole: boolean;
  /** For people: `becomes internationalmanager`. */
  readonly text: string;
}

/** Lists the roles with power over others. An unknown role counts as one of them. */
export function rulingRoles({ role, roles }: Values): readonly string[] {
  const all = [...(Array.isArray(roles) ? roles : []), role].filter((one) => typeof one === 'string');
  return [...new Set(all)].filter((one) => !PLAIN_ROLES.some((plain) => plain === one));
}

export function isAdministrator({ values }: { readonly values: Values }): boolean {
  return rulingRoles(values).includes(ADMINISTRATOR);
}

/** The greatest power among the roles; null if no role gives power. */
export function largestPower(roles: readonly string[]): Power | null {
  const found = roles.map((role) => (role === ADMINISTRATOR || role === COUNTRY ? role : 'other'));
  return ORDER.find((power) => found.includes(power)) ?? null;
}

type Proposed = Pick<Change, 'action' | 'before' | 'after'>;

/**
 * Finds the power that a change would give:
 *
 * | the change | gives | waits |
 * |---|---|---|
 * | adds a role with power | that role | roles and scope |
 * | adds one to an administrator | nothing | |
 * | adds an office or tag to the scope of a departmentmanager | a wider scope | the scope |
 * | activates, or moves to another key, an account with such a role | that role | the entire change |
 * | changes the user name, e-mail or external id of such an account | that role | these fields |
 * | fills in an empty one of these, except the external id | that role | these fields |
 * | moves a countrymanager to another country | that country | the office |
 *
 * @param now the values of the account; null if there is no account yet
 */
export function findGain(change: Proposed, now: Values | null): Gain | null {
  const had = now === null ? [] : rulingRoles(now);
  const roles = change.after.roles;
  const has = roles === undefined ? had : rulingRoles({ roles });
  if (takesOver(change)) {
    const power = largestPower(has);
    const verb = reopens(change) ? 'is activated again' : 'moves to another key';
    if (power === null) return null;
    return { power, fields: Object.keys(change.after), isWhole: true, text: `${verb} as ${has.join(', ')}` };
  }
  const gains = [gainRoles(change, had, has), gainScope(change, now, has), ...gainOwner(change, now, has)];
  return joinGains(gains.filter((gain) => gain !== null));
}

/**
 * Returns the gain for the record's person when an account is adopted. Adopting an administrator's account gives none, because
 * its access stays unchanged.
 */
export function gainByAdoption(now: Values): Gain | null {
  const roles = rulingRoles(now);
  const power = largestPower(roles);
  if (power === null || power === ADMINISTRATOR) return null;
  return { power, fields: [], isWhole: true, text: `is matched to an account with ${roles.join(', ')}` };
}

function takesOver(change: Proposed): boolean {
  return change.action === 'reactivate' || change.action === 'relink';
}

function gainRoles({ after }: Proposed, had: readonly string[], has: readonly string[]): Gain | null {
  const gained = had.includes(ADMINISTRATOR) ? [] : has.filter((role) => !had.includes(role));
  const power = largestPower(gained);
  if (power === null) return null;
  const fields = Object.keys(after).filter((name) => RULES.has(name));
  return { power, fields, isWhole: false, text: `becomes ${gained.join(', ')}` };
}

/** Returns the gain from a wider scope. A scope that comes with a role is part of the gain from that role. */
function gainScope({ before, after }: Proposed, now: Values | null, has: readonly string[]): Gain | null {
  if (now === null || has.includes(ADMINISTRATOR) || !isManager(has) || !isManager(now.roles)) return null;
  const wider = Object.keys(after).filter(
    (name) => name !== 'roles' && RULES.has(name) && isWider(before[name], after[name]),
  );
  if (wider.length === 0) return null;
  // Roles and scope are sent in one request (spec, Update rules).
  const fields = Object.keys(after).filter((name) => RULES.has(name));
  return { power: 'other', fields, isWhole: false, text: 'gets a wider scope' };
}

/** True if the new scope contains something that the known scope lacks. An unread scope counts as smaller. */
function isWider(was: Json | undefined, is: Json | undefined): boolean {
  const known = new Set(partsOf(was));
  return partsOf(is).some((part) => !known.has(part));
}

function partsOf(scope: Json | undefined): readonly string[] {
  if (isJsonObject(scope) && !('country' in scope))
    return Object.entries(scope).flatMap(([category, tags]) =>
      listOf(tags).map((tag) => `${category}/${String(tag)}`.toLowerCase()),
    );
  return itemsOf(scope).map((item) => canonicalJson(item).toLowerCase());
}

/** Returns the gain from a new user name, address or external id, because these decide who owns the account and its power. */
function gainOwner({ after }: Proposed, now: Values | null, has: readonly string[]): readonly Gain[] {
  if (now === null) return [];
  const power = largestPower(has);
  if (power === null) return [];
  const moved = Object.keys(after).filter((name) => IDENTITY.has(name) && !fillsKey(name, now));
  const owner: Gain = { power, fields: moved, isWhole: false, text: `${moved.join(', ')} of a ${has.join(', ')}` };
  const places = power === COUNTRY ? Object.keys(after).filter((name) => movesCountry(name, now, after)) : [];
  const place: Gain = { power, fields: places, isWhole: false, text: `another country for a ${COUNTRY}` };
  return [owner, place].filter(({ fields }) => fields.length > 0);
}

/** True if an account without an external id gets the id of the record that matched it. */
export function fillsKey(name: string, now: Values): boolean {
  return name === 'external_unique_id' && (now[name] ?? '') === '';
}

function movesCountry(name: string, now: Values, after: Values): boolean {
  if (!PLACES.has(name)) return false;
  const [was, is] = [now[name], after[name]].map((place) => (isJsonObject(place) ? String(place.country) : ''));
  return was?.toLowerCase() !== is?.toLowerCase();
}

function joinGains(gains: readonly Gain[]): Gain | null {
  const [first] = gains;
  if (first === undefined) return null;
  return {
    power: ORDER.find((power) => gains.some((gain) => gain.power === power)) ?? first.power,
    fields: [...new Set(gains.flatMap(({ fields }) => fields))].sort(),
    isWhole: false,
    text: gains.map(({ text }) => text).join('; '),
  };
}

/**
 * Returns the roles of a change without the gained ones, so that lost roles take effect immediately; null if nothing is left to
 * send.
 */
export function withoutGained(now: Values | null, roles: Json | undefined): readonly string[] | null {
  const had = rolesOf(now ?? {});
  const wanted = rolesOf({ roles: roles ?? [] });
  const gained = rulingRoles({ roles: wanted }).filter((role) => !had.includes(role));
  const kept = wanted.filter((role) => !gained.includes(role));
  const base = gained.includes(ADMINISTRATOR) ? had.filter((role) => PLAIN_ROLES.some((plain) => plain === role)) : [];
  const left = [...base, ...kept];
  // The scope waits together with the role, because both are sent in one call.
  if (left.length === 0 || isManager(left)) return null;
  return canonicalJson([...left].sort()) === canonicalJson([...had].sort()) ? null : left;
}

function rolesOf({ role, roles }: Values): readonly string[] {
  const list = Array.isArray(roles) ? roles : [role];
  return list.filter((one) => typeof one === 'string');
}
