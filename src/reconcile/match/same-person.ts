import type { Hold } from '../../model/desired.js';
import { officeKey } from '../../model/directory.js';
import type { Action } from '../../model/entity.js';
import { isJsonObject, type Json, textOf, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { personalFields } from '../../model/person-fields.js';
import type { Change } from '../../model/plan.js';
import { typedName } from '../../model/typed.js';
import { eachWithPauses } from '../each-with-pauses.js';
import type { PlanPort, ServicePort, SourcePort } from '../ports.js';

export interface SamePersonPorts {
  readonly sources: Pick<SourcePort, 'stagedState'>;
  readonly service: Pick<ServicePort, 'findIds' | 'observed' | 'linkedKey'>;
  readonly plan: Pick<PlanPort, 'changesOf' | 'plannedByTarget' | 'claimants' | 'suspect'>;
  /** True if a run created the account recently. */
  isRecent(id: string): boolean;
  /** True if the rows of two accounts were both active in one complete read. */
  wereBothHere(a: string, b: string): boolean;
}

/**
 * Finds leavers and joiners who look like one person under another key or address: a rename, a rehire or a conversion.
 * Otherwise the person would lose the account and get a second, empty one.
 *
 * | the joiner looks like an account that …            | →                                             |
 * |----------------------------------------------------|-----------------------------------------------|
 * | is deactivated, or deleted, by this plan           | both changes wait                             |
 * | is missing, or leaving, and not due yet            | the create waits                              |
 * | is inactive already, or unowned                    | the create waits: a rehire                    |
 * | has a row of its own in this run                   | nothing: they are colleagues with one name    |
 * | the leaver looks like one created recently         | the deactivation, or deletion, waits          |
 * | both were active in one complete read, with another e-mail and UPN | nothing: they are two         |
 *
 * Each create and each removal in the plan needs one look-up by key. The pauses let other work have its turn.
 */
export function* suspectSamePersons(ports: SamePersonPorts): Generator<void, void> {
  const leavers = new Map<string, readonly string[]>();
  yield* eachWithPauses(ports.plan.changesOf('users', ...TAKES_AWAY), (change) => indexLeaver(change, leavers, ports));
  yield* eachWithPauses(ports.plan.changesOf('users', 'create', ...TAKES_AWAY), (change) => {
    if (change.action === 'create') suspectJoiner(change, leavers, ports);
    else suspectLeaver(change, ports);
  });
}

/** Actions that remove an account: a deactivation, or the deletion of an account that was deactivated long ago. */
const TAKES_AWAY: readonly Action[] = ['deactivate', 'delete'];

function takesAway({ action }: Change): boolean {
  return TAKES_AWAY.includes(action);
}

/**
 * Indexes the accounts that the plan removes by the local part of the address, because a person who marries keeps that
 * part, or the name.
 */
function indexLeaver({ target }: Change, leavers: Map<string, readonly string[]>, { service }: SamePersonPorts): void {
  const part = target === null ? null : localPart(service.observed('users', target)?.values.email);
  if (part !== null && target !== null) leavers.set(part, [...(leavers.get(part) ?? []), target]);
}

function suspectJoiner(joiner: Change, leavers: ReadonlyMap<string, readonly string[]>, ports: SamePersonPorts): void {
  const { name, email } = joiner.after;
  const part = localPart(email);
  const ids = new Set([
    ...(typeof name === 'string' ? ports.service.findIds('users', 'name', name) : []),
    ...(part === null ? [] : (leavers.get(part) ?? [])),
  ]);
  for (const id of ids) {
    const account = ports.service.observed('users', id);
    const likeness = account === null || hasOwnRow(id, ports) ? null : findLikeness(joiner.after, account.values);
    if (account === null || likeness === null) continue;
    const leaver = ports.plan.plannedByTarget('users', id);
    const state = describeState(account, leaver, ports);
    const reason = `${joiner.label} looks like ${account.label} (${id}), ${state}: ${likeness}. Creating would give one person a second account.`;
    const relink = { key: joiner.key, id };
    hold(joiner, reason, ports, relink);
    if (leaver === null || !takesAway(leaver)) continue;
    hold(
      leaver,
      `${account.label} looks like the joiner ${joiner.label} (${joiner.place}): ${likeness}.`,
      ports,
      relink,
    );
  }
}

function suspectLeaver(leaver: Change, ports: SamePersonPorts): void {
  const account = leaver.target === null ? null : ports.service.observed('users', leaver.target);
  const name = account?.values.name;
  if (account === null || typeof name !== 'string') return;
  for (const id of ports.service.findIds('users', 'name', name)) {
    const other = id === account.id ? null : ports.service.observed('users', id);
    if (other?.active !== true || !ports.isRecent(id)) continue;
    if (areTwo(other, account, ports)) continue;
    const likeness = findLikeness(other.values, account.values);
    if (likeness !== null)
      hold(leaver, `${account.label} looks like ${other.label} (${id}), created not long ago: ${likeness}.`, ports);
  }
}

/** True for namesakes: HR listed both as active at the same time, and they share no address. */
function areTwo(a: Observed, b: Observed, ports: SamePersonPorts): boolean {
  const shares = (name: string): boolean => isSame(folded(a.values[name]), folded(b.values[name]));
  return !personalFields('address').some(shares) && ports.wereBothHere(a.id, b.id);
}

function hold(change: Change, reason: string, ports: SamePersonPorts, relink?: Hold['relink']): void {
  const { entity, key, place } = change;
  const [who, why] = [typedName('users', relink?.key ?? key), '--reason "…"'];
  const same =
    relink === undefined
      ? 'give both sides the same key or address'
      : `\`talent-sync holds resolve ${who} --same ${why}\``;
  const remedy = `If they are one person, ${same}; if they are two, \`talent-sync holds resolve ${who} --new ${why}\`.`;
  ports.plan.suspect(`${entity}:${key}`, {
    entity,
    key,
    place,
    code: 'SYNC_PROBABLE_SAME_PERSON',
    reason,
    remedy,
    ...(relink === undefined ? {} : { relink }),
  });
}

/** An account with a row in this run that is in scope and reports no leaver does not belong to the joiner. */
function hasOwnRow(id: string, ports: SamePersonPorts): boolean {
  if (ports.plan.claimants('users', id).length > 0) return true;
  const key = ports.service.linkedKey('users', id);
  const state = key === null ? null : ports.sources.stagedState('users', key);
  return state !== null && state !== 'leaver' && state !== 'out' && state !== 'gone';
}

function describeState(account: Observed, leaver: Change | null, ports: SamePersonPorts): string {
  if (leaver?.action === 'deactivate') return 'who is about to be deactivated';
  if (leaver?.action === 'delete') return 'who is about to be deleted for good';
  if (!account.active) return 'who is deactivated';
  return ports.service.linkedKey('users', account.id) === null
    ? 'without a record'
    : 'who has left, or is missing from the source or out of scope';
}

/**
 * Describes the likeness of two people, if it is strong enough for a question; null if not. If the known years of birth
 * differ, they are two people, even with the same name. If the years are unknown, the name alone is not enough either.
 */
export function findLikeness(a: Values, b: Values): string | null {
  const [yearA, yearB] = [yearOf(a.born_year), yearOf(b.born_year)];
  const known = yearA !== null && yearB !== null;
  if (known && yearA !== yearB) return null;
  const sameLocal = isSame(localPart(a.email), localPart(b.email));
  if (isSame(folded(a.upn), folded(b.upn))) return 'the same name at the identity provider';
  if (!isSame(folded(a.name), folded(b.name))) {
    return known && sameLocal ? 'the same address before the @ and the same year of birth' : null;
  }
  if (known) return 'the same name and the same year of birth';
  if (sameLocal) return 'the same name and the same address before the @';
  if (isSame(officeOf(a.office), officeOf(b.office))) return 'the same name and the same office';
  return sharesText(a.title, b.title) ? 'the same name and the same title' : null;
}

function isSame(a: string | null, b: string | null): boolean {
  return a !== null && a === b;
}

function folded(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? foldKey(value) : null;
}

/** Reads a year of birth; null if the value is not one. */
export function yearOf(value: Json | undefined): number | null {
  const year = Number(value);
  return Number.isFinite(year) && year > 0 ? year : null;
}

function localPart(email: Json | undefined): string | null {
  const part = /^([^@]+)@/.exec(textOf(email))?.[1];
  return part === undefined ? null : foldKey(part);
}

function officeOf(value: Json | undefined): string | null {
  if (!isJsonObject(value) || value.name === undefined || value.name === null) return null;
  return officeKey(String(value.country ?? ''), String(value.name));
}

function sharesText(a: Json | undefined, b: Json | undefined): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return Object.entries(a).some(([language, text]) => isSame(folded(text), folded(b[language])));
}
