import { observeUser } from '../../mirror/observe.js';
import { currentRound } from '../../mirror/refresh.js';
import { FIELDS, isManager } from '../../model/fields.js';
import type { Json, Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { diffValues } from '../../reconcile/fields/diff.js';
import type { DeriveContext, ReadingContext } from '../derive-context.js';
import { findObjectId } from '../match-objects.js';

const SCOPES = Object.keys(FIELDS.users).filter((name) => FIELDS.users[name]?.readAlone === true);
/**
 * Reads the scopes of departmentmanagers. Only a read of one person by id shows a scope (spec, Users). So this reads,
 * before the comparison, the people whose record names a scope and who have the role, or are about to get it.
 *
 * | run              | read                                                                     |
 * |------------------|--------------------------------------------------------------------------|
 * | with a full read | all of them: somebody else may have moved a scope, and no feed reports it |
 * | others           | candidates whose desired scope is not the one known or last written       |
 */
export async function readScopes(context: ReadingContext): Promise<void> {
  const { config, stores, refresh, usersFresh: isFullRead } = context;
  const mapped = SCOPES.filter((name) => config.mappings.users?.fields[name] !== undefined);
  if (mapped.length === 0) return;
  const ids = new Set(listCandidates(context, mapped));
  if (isFullRead) for (const id of listLinked(context, mapped)) ids.add(id);
  const { mirror } = stores;
  for (const id of ids) {
    const user = await refresh.reader.users.get(id, refresh.signal);
    if (user === null) mirror.remove('users', [id]);
    else mirror.save([observeUser(user)], currentRound(mirror, 'users'));
  }
}

function listLinked({ stores }: DeriveContext, mapped: readonly string[]): readonly string[] {
  const ids = new Set(mapped.flatMap((name) => [...stores.work.linkedWith(name)]));
  return [...ids].filter((id) => {
    const link = stores.links.findByServiceId('users', id);
    const wanted = link === null ? null : stores.work.stagedByKey('users', link.sourceKey)?.desired?.values;
    return hasRole(wanted?.roles, stores.mirror.get('users', id));
  });
}

function* listCandidates(context: ReadingContext, mapped: readonly string[]): Iterable<string> {
  const { stores, usersFresh: isFullRead } = context;
  for (const candidate of context.moving()) {
    const { desired, written } = candidate;
    if (desired.leaver || mapped.every((name) => desired.values[name] === undefined)) continue;
    const id = findObjectId(candidate, context);
    const user = id === null ? null : stores.mirror.get('users', id);
    if (user?.active !== true || !hasRole(desired.values.roles, user)) continue;
    if (isFullRead || isOpen(desired.values, stores.withNames(user), written, mapped)) yield user.id;
  }
}

/** A scope has no meaning without the role. */
function hasRole(wanted: Json | undefined, user: Observed | null): boolean {
  return [wanted, user?.values.roles].some(isManager);
}

function isOpen(desired: Values, { values }: Observed, written: Values | null, mapped: readonly string[]): boolean {
  const wanted = Object.fromEntries(Object.entries(desired).filter(([name]) => mapped.includes(name)));
  return diffValues({ entity: 'users', desired: wanted, observed: values, written, rules: {} }).fields.length > 0;
}
