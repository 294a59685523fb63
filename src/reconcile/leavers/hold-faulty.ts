import type { Hold } from '../../model/desired.js';
import { type Entity, isAccount } from '../../model/entity.js';
import { foldKey } from '../../model/observed.js';
import { findDeclined } from '../fields/pins.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';

/**
 * Holds faulty rows that only a comparison with the service can judge: rows with a value that seems to mean another
 * one, and rows of leavers with unusable cells. Such cells matter in these cases:
 *
 * | the leaver                                           | →                                    |
 * |------------------------------------------------------|--------------------------------------|
 * | has an account, by a link or by a change of this run | nothing: it only has to be inactive  |
 * | has one, and a person has declined the leaving       | held: the account is kept up to date |
 * | may have one that such a cell does not show          | held                                 |
 * | has none                                             | nothing                              |
 * | has another row that is without a leaving            | held                                 |
 */
export function holdFaultyRows({ entity, match }: EntitySettings, ports: ReconcilePorts): void {
  for (const { key, hold } of ports.sources.faultyLeavers(entity)) {
    const desired = ports.sources.desired(entity, key);
    const isLeaving = desired?.leaver === true && findDeclined(desired, 'gone', ports) === null;
    const isKnown = match.every(({ fields }) => fields.every((name) => desired?.values[name] !== undefined));
    if (!isLeaving || !(hasAccount(entity, key, ports) || isKnown || !isAnyMissing(entity, ports)))
      ports.plan.hold(nameMeant(hold, ports));
  }
}

/** Adds to the remedy the account that the value most likely means. */
function nameMeant({ means, ...hold }: Hold, { service }: ReconcilePorts): Hold {
  if (means === undefined) return hold;
  const found = service.findIds('users', means.field, foldKey(means.value));
  const accounts = found.flatMap((id) => service.observed('users', id) ?? []);
  if (accounts.length === 0) return hold;
  const named = accounts.map(({ label, id }) => `${label} (${id})`).join(' or ');
  return { ...hold, remedy: `${hold.remedy.replace(/\.$/, '')}, which belongs to ${named}.` };
}

/** True if a person has a linked account, or a change in the plan. Other objects must be planned for deletion, or be gone. */
function hasAccount(entity: Entity, key: string, { memory, plan, service }: ReconcilePorts): boolean {
  if (plan.find(`${entity}:${key}`) !== null) return true;
  const link = memory.link(entity, key);
  return link !== null && (isAccount(entity) || service.observed(entity, link.serviceId) === null);
}

/** True if a linked active account lacks a row. If no such account lacks a row, a leaver without a link has no account. */
function isAnyMissing(entity: Entity, { sources }: ReconcilePorts): boolean {
  for (const _link of sources.missing(entity)) return true;
  return false;
}
