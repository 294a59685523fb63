import { formatSpan } from '../../model/departure.js';
import type { Desired } from '../../model/desired.js';
import { type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import { type Change, declinedKey, type Reason, SOURCE_KEY } from '../../model/plan.js';
import { ADMINISTRATOR, isAdministrator } from '../../model/power.js';
import { buildChange, type ProposedChange } from '../build-change.js';
import { isEmpty } from '../fields/compare.js';
import { portsOnCv } from '../fields/on-cv.js';
import { findDeclined, isExistencePinned, reportPinned } from '../fields/pins.js';
import { guardProtected } from '../fields/protect.js';
import { wordShownById } from '../fields/word-before.js';
import type { Relink } from '../match/judge-relink.js';
import type { EntitySettings, LeaverVerdict, ReconcilePorts, ServicePort, SourcePort } from '../ports.js';

/** People are deactivated and can return; any other object can only be deleted. */
export function removalOf(entity: Entity): 'deactivate' | 'delete' {
  return isAccount(entity) ? 'deactivate' : 'delete';
}

/** Plans the removal of objects that are proven absent, which means linked, active, and in no row of the sources. */
export function planMissing(settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  const kind = removalOf(entity) === 'delete' ? 'gone' : 'absent';
  for (const link of ports.sources.missing(entity)) {
    // An active record under another key matches the account, so the person may only have been given a new key.
    if (ports.plan.claimants(entity, link.id).length > 0) continue;
    // A leaver under a new key is deactivated together with the move of the link.
    if (ports.plan.plannedByTarget(entity, link.id) !== null) continue;
    const observed = ports.service.observed(entity, link.id);
    const verdict = ports.sources.absentLeaver(entity, link.key);
    const onCv = observed === null || !verdict.due ? null : portsFor(observed, ports);
    if (observed === null || onCv === null) continue;
    const record = { key: link.key, place: 'absent' };
    const reason = { kind: verdict.sinceEdit === true ? 'absent_since_edit' : kind, text: verdict.text } as const;
    planRemoval({ observed, record, reason }, settings, onCv);
  }
}

/** Plans the removal of objects that are in the source but not in scope, if the configuration counts that as leaving. */
export function planOutOfScope(settings: EntitySettings, ports: ReconcilePorts): void {
  planStatedLeaver(settings, ports, ports.sources.outOfScope, (key) => {
    return { verdict: ports.sources.outOfScopeLeaver(settings.entity, key), kind: 'out_of_scope' };
  });
}

/**
 * Plans the removal of objects that the source reports as deleted. Such a report is as certain as `leaver.when`, even
 * in an incomplete read.
 */
export function planGone(settings: EntitySettings, ports: ReconcilePorts): void {
  const kind = removalOf(settings.entity) === 'delete' ? 'gone' : 'left';
  planStatedLeaver(settings, ports, ports.sources.gone, (key, source) => {
    return { verdict: ports.sources.goneLeaver(settings.entity, key, source), kind };
  });
}

/** Plans removals for links with a row that itself reports the removal. */
function planStatedLeaver(
  settings: EntitySettings,
  ports: ReconcilePorts,
  list: SourcePort['gone'],
  judge: (key: string, source: string) => { readonly verdict: LeaverVerdict; readonly kind: Reason['kind'] },
): void {
  const { entity } = settings;
  for (const { key, id, place } of list(entity)) {
    const observed = ports.service.observed(entity, id);
    const { verdict, kind } = judge(key, place.source);
    // A row in scope that matches the account keeps it, because a person may have two rows, one of them out of scope or
    // deleted.
    if (observed === null || !verdict.due || ports.plan.claimants(entity, id).length > 0) continue;
    const onCv = portsFor(observed, ports);
    if (onCv === null) continue;
    const record = { key, place: formatPlace(place) };
    planRemoval({ observed, record, reason: { kind, text: verdict.text } }, settings, onCv);
  }
}

/** Null if the CV that contains the object is left alone. */
function portsFor({ entity, values }: Observed, ports: ReconcilePorts): ReconcilePorts | null {
  return portsOnCv(entity, { values, userId: typeof values.user_id === 'string' ? values.user_id : null }, ports);
}

/** An object whose record is gone or reports a leaver. */
export interface Leaving {
  readonly observed: Observed;
  readonly record: Pick<Desired, 'key'> & { readonly place: string };
  readonly reason: Reason;
  /** Null if the record is in no row. */
  readonly desiredHash?: string | null;
  /** Set if the object is linked to another record; the link then moves with the removal. */
  readonly relink?: Relink | null;
  /** The action to use instead of the usual one of the entity. */
  readonly action?: 'deactivate' | 'delete';
}

export function planRemoval(leaving: Leaving, settings: EntitySettings, ports: ReconcilePorts): void {
  const { entity } = settings;
  const { observed, record, desiredHash = null, relink = null, action = removalOf(entity) } = leaving;
  const reason =
    relink === null ? leaving.reason : { ...leaving.reason, text: `${leaving.reason.text}; ${relink.text}` };
  const { key, place } = record;
  if (isExistencePinned({ entity, key }, 'gone', ports)) {
    reportPinned({ entity, key, place }, action === 'delete' ? 'its deletion' : 'the deactivation', ports);
    return;
  }
  const declined = findDeclined({ entity, key }, 'gone', ports);
  if (guardProtected({ key, place, action, after: { deactivated: true } }, observed, ports) === 'held') return;
  const change: ProposedChange = {
    entity,
    action,
    // A declined leaver stays, so other changes planned for the person keep the plain key.
    key: declined?.isEdited === false ? declinedKey(key) : key,
    target: observed.id,
    label: observed.label,
    ...(action === 'deactivate' ? describeDeactivation(key, relink) : describeDeletion(observed, ports.service)),
    ...describeReason({ observed, reason }, action, settings, ports),
    place,
    observedHash: observed.hash,
    desiredHash,
  };
  ports.plan.add(buildChange(change, settings.configDigest));
}

/** An administrator made by this program is deactivated only if a person agrees; see `users.internationalmanager`. */
function describeReason(
  { observed, reason }: Pick<Leaving, 'observed' | 'reason'>,
  action: 'deactivate' | 'delete',
  settings: EntitySettings,
  { memory }: ReconcilePorts,
): Pick<Change, 'reason' | 'power'> {
  if (action === 'delete') return { reason };
  const told = describePurge(reason, settings);
  const run = isAccount(observed.entity) && isAdministrator(observed) ? memory.powerGiven(observed.id) : null;
  if (run === null) return { reason: told };
  const text = `${told.text}; ${ADMINISTRATOR} since run ${run}`;
  return { reason: { ...told, text }, power: ADMINISTRATOR };
}

/** Readers of a deactivation must know that a deletion follows; an unowned account is never deleted. */
function describePurge(reason: Reason, { purgeAfterMs }: EntitySettings): Reason {
  if (purgeAfterMs === null || reason.kind === 'unowned') return reason;
  return { ...reason, text: `${reason.text}; to be deleted for good after ${formatSpan(purgeAfterMs)}` };
}

export const DEACTIVATION = {
  fields: ['deactivated'],
  before: { deactivated: false },
  after: { deactivated: true },
} as const;

function describeDeactivation(key: string, relink: Relink | null): Pick<Change, 'fields' | 'before' | 'after'> {
  if (relink === null) return DEACTIVATION;
  const { fields, before, after } = DEACTIVATION;
  return {
    fields: [...fields, SOURCE_KEY],
    before: { ...before, [SOURCE_KEY]: relink.from },
    after: { ...after, [SOURCE_KEY]: key },
  };
}

/** Everything that the object contained, so that it can be created again. Tags of one category share one call (spec, Custom tags). */
export function describeDeletion(
  observed: Observed,
  service: Pick<ServicePort, 'observed'>,
): Pick<Change, 'fields' | 'before' | 'after' | 'batch'> {
  const { entity, values } = observed;
  const had = (name: string): Json => values[name] ?? wordShownById(name, observed, service) ?? null;
  const fields = Object.keys(FIELDS[entity]).filter((name) => !isEmpty(had(name)));
  const before = Object.fromEntries(fields.map((name) => [name, had(name)]));
  const { deletedWith } = TRAITS[entity];
  const batch = deletedWith === undefined ? {} : { batch: `${entity} ${String(values[deletedWith])}` };
  return { fields: fields.sort(), before, after: {}, ...batch };
}
