import type { Candidate } from '../model/desired.js';
import type { Action, SourcedEntity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import type { Values } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import { formatPlace } from '../model/place.js';
import type { Change, Reason } from '../model/plan.js';
import { buildChange } from './build-change.js';
import { isSameValue } from './compare.js';
import { correlate, findDoubt } from './correlate.js';
import { diffValues } from './diff.js';
import { dropDrift, dropFrozen, dropScopeless, forgetDeletedTags } from './drop-fields.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';
import { guardProtected } from './protect.js';
import { type Resolution, resolveReferences } from './references.js';

const PAGE = 500;

/**
 * Derives the changes of one entity from its candidates:
 *
 * | the source says        | the service holds | →                                             |
 * |------------------------|-------------------|-----------------------------------------------|
 * | here                   | nothing           | create                                        |
 * | here                   | active            | update, when a managed field differs          |
 * | here                   | deactivated       | reactivate, with the fields that differ       |
 * | has left               | active            | deactivate, and nothing else of that person   |
 * | has left               | deactivated, none | nothing                                       |
 * | nothing, proven absent | active            | deactivate (users only)                       |
 * | nothing, not proven    | anything          | nothing                                       |
 * | held or out of scope   | anything          | nothing                                       |
 *
 * `upsert-only` leaves out the deactivations, `create-only` everything but the creates. Customers and projects have no
 * activation: what vanishes from a feed stays.
 */
export function reconcileEntity(settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  for (const candidate of eachCandidate(entity, ports)) claimMatch(candidate, settings, ports);
  for (const candidate of eachCandidate(entity, ports)) reconcileRecord(candidate, settings, ports);
  if (entity === 'users' && settings.policy === 'sync') reconcileMissing(settings, ports);
}

function* eachCandidate(entity: SourcedEntity, ports: ReconcilePorts): Iterable<Candidate> {
  for (let row = 0; ; ) {
    const page = ports.candidates(entity, row, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    row = last.row;
  }
}

function findFor(entity: SourcedEntity, ports: ReconcilePorts) {
  return (key: string, value: string): readonly string[] => ports.findIds(entity, key, value);
}

function claimMatch(candidate: Candidate, { entity, match }: EntitySettings, ports: ReconcilePorts): void {
  if (candidate.linkedId !== null) return;
  const found = correlate(candidate.desired, match, findFor(entity, ports));
  if (found.kind === 'match') ports.claim(entity, found.id, candidate.desired.key);
}

function reconcileRecord(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  const found = findObject(candidate, settings, ports);
  if (found === 'held') return;
  const { observed, adoptedBy } = found;
  const action = chooseAction(candidate, observed, settings);
  if (observed !== null && adoptedBy !== null) ports.adopt(entity, candidate.desired.key, observed.id);
  if (action === 'none') {
    if (observed !== null && candidate.desired.leaver && !observed.active) ports.agree(candidate, observed);
    return;
  }
  if (action === 'deactivate' && observed !== null) {
    const verdict = ports.explicitLeaver(candidate.desired.key);
    if (verdict.due) planDeactivation(observed, candidate, { kind: 'left', text: verdict.text }, settings, ports);
    return;
  }
  if (settings.drift === 'report' && isDriftOfExistence(candidate, action)) {
    hold(candidate, 'SYNC_DRIFT_REPORTED', ports, {
      reason:
        action === 'create'
          ? 'Deleted in the service by other hands.'
          : 'Deactivated in the service by other hands, while the source has not changed.',
      remedy: 'Restore it in the service, let the source say that it is gone, or set `drift: correct`.',
    });
    return;
  }
  planFields(candidate, observed, action, adoptedBy, settings, ports);
}

/** The object was there, by our own link, and other hands took it away or out of use. */
function isDriftOfExistence({ linkedId, sourceUnchanged }: Candidate, action: Action): boolean {
  return action === 'create' ? linkedId !== null : action === 'reactivate' && sourceUnchanged;
}

type Found = { readonly observed: Observed | null; readonly adoptedBy: string | null };

function findObject(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): Found | 'held' {
  const { entity, match } = settings;
  const { desired, linkedId } = candidate;
  if (linkedId !== null) return { observed: ports.observed(entity, linkedId), adoptedBy: null };
  const found = correlate(desired, match, findFor(entity, ports));
  if (found.kind === 'none') return { observed: null, adoptedBy: null };
  if (found.kind === 'ambiguous') {
    const candidates = found.candidates.map((id) => describe(ports.observed(entity, id), id)).join('; ');
    hold(candidate, 'SYNC_MATCH_AMBIGUOUS', ports, {
      reason: `${found.candidates.length} objects match by ${found.by}: ${candidates}.`,
      remedy: 'Make the key unique on one of the two sides, or match on a further field.',
    });
    return 'held';
  }
  const rivals = ports.claimants(entity, found.id).filter((key) => key !== desired.key);
  const owner = ports.linkedKey(entity, found.id);
  if (rivals.length > 0 || owner !== null) {
    const others = owner === null ? `records ${rivals.join(', ')} claim it too` : `it is linked to record ${owner}`;
    hold(candidate, 'SYNC_MATCH_CLAIMED', ports, {
      reason: `Matches ${describe(ports.observed(entity, found.id), found.id)} by ${found.by}, but ${others}.`,
      remedy: 'Decide which record is right and correct the other one in the source.',
    });
    return 'held';
  }
  const observed = ports.observed(entity, found.id);
  const doubt = observed === null ? null : findDoubt(desired, observed, match, found.by);
  if (doubt !== null) {
    hold(candidate, 'SYNC_MATCH_DOUBTFUL', ports, {
      reason: `Matches ${describe(observed, found.id)} by ${found.by}, but ${doubt} differs: ${JSON.stringify(desired.values[doubt])} here, ${JSON.stringify(observed?.values[doubt])} there. It may be somebody else.`,
      remedy: `If they are the same, give both sides the same ${doubt}, or match by ${found.by} alone.`,
    });
    return 'held';
  }
  return { observed, adoptedBy: found.by };
}

function chooseAction(candidate: Candidate, observed: Observed | null, settings: EntitySettings): Action | 'none' {
  const { leaver } = candidate.desired;
  if (observed === null) return leaver ? 'none' : 'create';
  if (settings.policy === 'create-only') return 'none';
  if (leaver) return observed.active && settings.policy === 'sync' ? 'deactivate' : 'none';
  return observed.active ? 'update' : 'reactivate';
}

function planFields(
  candidate: Candidate,
  observed: Observed | null,
  action: Action,
  adoptedBy: string | null,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const { entity, rules } = settings;
  const { desired } = candidate;
  const written = forgetDeletedTags(candidate.written, ports.directory);
  const difference = diffValues({
    entity,
    desired: desired.values,
    observed: observed?.values ?? null,
    written,
    rules,
  });
  const staying = dropFrozen(candidate, difference.after, observed, ports);
  const settled = dropDrift(candidate, staying, observed, settings, ports);
  if (entity === 'projects' && observed !== null) reportMoved(candidate, observed, ports);
  const guarded = guardProtected(candidate, observed, settled, action, ports);
  if (guarded === 'held') return;
  const place = formatPlace(desired.place);
  const resolved = resolveReferences(guarded, {
    entity,
    key: desired.key,
    place,
    settings,
    ports,
    observed: observed?.values ?? null,
  });
  for (const { field, reason, remedy } of resolved.unresolved) {
    hold(candidate, 'SYNC_REFERENCE_UNKNOWN', ports, { reason: `${field}: ${reason}`, remedy });
  }
  const after = dropScopeless(dropSettled(resolved, observed, written, settings), candidate, ports);
  const fields = Object.keys(after).sort();
  if (action === 'create' && !hasRequired(candidate, after, resolved.unresolved.length > 0, settings, ports)) return;
  if (action === 'update' && fields.length === 0) {
    const whole = resolved.unresolved.length === 0 && sameKeys(difference.after, after);
    if (observed !== null && whole) ports.agree(candidate, observed);
    return;
  }
  const reason = explain(candidate, observed, action, fields, adoptedBy, settings);
  const before = Object.fromEntries(fields.map((name) => [name, difference.before[name] ?? null]));
  ports.plan(
    buildChange(
      {
        entity,
        action,
        key: desired.key,
        target: observed?.id ?? null,
        label: labelOf(desired.values, observed, desired.key),
        fields,
        before,
        after,
        reason,
        place,
        needs: resolved.needs,
        observedHash: observed?.hash ?? null,
        desiredHash: candidate.desiredHash,
      },
      settings.configDigest,
    ),
  );
  claimValues(entity, desired.key, after, ports);
}

/** The service has no call that gives a project to another customer. */
function reportMoved(candidate: Candidate, observed: Observed, ports: ReconcilePorts): void {
  const { customer } = candidate.desired.values;
  const wanted = typeof customer === 'string' ? ports.directory.customerId(customer) : null;
  if (wanted === null || wanted === observed.values.company_customer_id) return;
  hold(candidate, 'SYNC_CHANGE_BLOCKED', ports, {
    reason: `customer: the feed gives it to ${String(customer)}, but the service cannot move a project to another customer.`,
    remedy: 'Deliver it as a new project under a new id, or leave it with its customer.',
  });
}

/** What is left of a field without the names that cannot be resolved may be what the service already holds. */
function dropSettled(
  { after, unresolved }: Resolution,
  observed: Observed | null,
  written: Values | null,
  { entity, rules }: EntitySettings,
): Values {
  if (observed === null || unresolved.length === 0) return after;
  const partial = new Set(unresolved.map(({ field }) => field.replace(/\..*$/, '')));
  const again = diffValues({ entity, desired: after, observed: observed.values, written, rules });
  return Object.fromEntries(
    Object.entries(after).filter(([name]) => !partial.has(name) || again.fields.includes(name)),
  );
}

function sameKeys(a: Values, b: Values): boolean {
  return Object.keys(a).length === Object.keys(b).length;
}

/** Unique values this change will take: who else wants one must wait, or is held (see `order.ts`). */
function claimValues(entity: SourcedEntity, key: string, after: Values, ports: ReconcilePorts): void {
  for (const [name, field] of Object.entries(FIELDS[entity])) {
    const value = after[name];
    if (field.unique && typeof value === 'string' && value !== '')
      ports.claim(`${entity}.${name}`, foldKey(value), key);
  }
}

function hasRequired(
  candidate: Candidate,
  after: Values,
  explained: boolean,
  settings: EntitySettings,
  ports: ReconcilePorts,
): boolean {
  const lacking = Object.entries(FIELDS[settings.entity])
    .filter(([name, field]) => field.required === true && after[name] === undefined)
    .map(([name]) => name);
  if (lacking.length === 0) return true;
  if (!explained) {
    hold(candidate, 'SYNC_MAP_VALUE', ports, {
      reason: `Cannot be created without ${lacking.join(' and ')}, which ${lacking.length === 1 ? 'is' : 'are'} empty in the source.`,
      remedy: 'Fill the value in the source, or map the field from a column that has it.',
    });
  }
  return false;
}

function explain(
  { desired, agreed, linkedId, sourceUnchanged }: Candidate,
  observed: Observed | null,
  action: Action,
  fields: readonly string[],
  adoptedBy: string | null,
  { entity }: EntitySettings,
): Reason {
  const source = desired.place.source;
  if (observed === null) {
    return linkedId === null
      ? { kind: 'joined', text: `in ${source}, not in the service` }
      : { kind: 'drifted', text: `in ${source}; the service's object was deleted by other hands` };
  }
  if (action === 'reactivate') {
    return sourceUnchanged
      ? { kind: 'drifted', text: `active in ${source}, deactivated in the service by other hands` }
      : { kind: 'returned', text: `active in ${source} again, deactivated in the service` };
  }
  if (adoptedBy !== null)
    return { kind: 'first_contact', text: `matched by ${adoptedBy}; differs in ${fields.join(', ')}` };
  if (agreed === null) return { kind: 'first_contact', text: `never agreed yet; differs in ${fields.join(', ')}` };
  const moved = fields.filter((name) => {
    const field = FIELDS[entity][name];
    return field === undefined || !isSameValue(field, desired.values[name], agreed[name]);
  });
  return moved.length > 0
    ? { kind: 'changed', text: `${moved.join(', ')} changed in ${source}` }
    : { kind: 'drifted', text: `${fields.join(', ')} changed in the service by other hands` };
}

function reconcileMissing(settings: EntitySettings, ports: ReconcilePorts): void {
  for (let key = ''; ; ) {
    const page = ports.missing('users', key, PAGE);
    for (const link of page) {
      key = link.key;
      // Somebody who is here matches the account under another key: its person may only have been given a new one.
      if (ports.claimants('users', link.id).length > 0) continue;
      const observed = ports.observed('users', link.id);
      const verdict = ports.absentLeaver(link.key);
      if (observed === null || !verdict.due) continue;
      planDeactivation(
        observed,
        { key: link.key, place: 'absent' },
        { kind: 'absent', text: verdict.text },
        settings,
        ports,
      );
    }
    if (page.length === 0) return;
  }
}

function planDeactivation(
  observed: Observed,
  record: Candidate | { readonly key: string; readonly place: string },
  reason: Reason,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const key = 'desired' in record ? record.desired.key : record.key;
  const place = 'desired' in record ? formatPlace(record.desired.place) : record.place;
  if (guardProtected({ key, place }, observed, { deactivated: true }, 'deactivate', ports) === 'held') return;
  const change: Omit<Change, 'id'> = {
    entity: 'users',
    action: 'deactivate',
    key,
    target: observed.id,
    label: observed.label,
    fields: ['deactivated'],
    before: { deactivated: false },
    after: { deactivated: true },
    reason,
    place,
    needs: [],
    observedHash: observed.hash,
    desiredHash: 'desired' in record ? record.desiredHash : null,
  };
  ports.plan(buildChange(change, settings.configDigest));
}

function labelOf(values: Values, observed: Observed | null, key: string): string {
  if (observed !== null) return observed.label;
  const name = values.name ?? values.customer_name ?? values.project_name;
  const words = typeof name === 'object' && name !== null ? Object.values(name)[0] : name;
  const email = values.email;
  return [words ?? key, email === undefined ? null : `<${String(email)}>`].filter((part) => part !== null).join(' ');
}

function describe(observed: Observed | null, id: string): string {
  return observed === null ? id : `${observed.label} (${id})`;
}

function hold(
  candidate: Candidate,
  code: string,
  ports: ReconcilePorts,
  { reason, remedy }: { readonly reason: string; readonly remedy: string },
): void {
  const { entity, key, place } = candidate.desired;
  ports.hold({ entity, key, place: formatPlace(place), code, reason, remedy });
}
