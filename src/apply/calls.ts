import { type Entity, isAccount } from '../model/entity.js';
import { type Change, isImported, withoutLink } from '../model/plan.js';
import { SECTION_TYPES, type SectionType } from '../model/sections.js';
import { type EndpointName, formatTemplate } from '../service/endpoints.js';
import type { BatchStep, CallContext, EntityCalls, Step } from './step.js';
import { CUSTOMER_CALLS } from './steps/customer-steps.js';
import { DELETE_CALLS } from './steps/delete-steps.js';
import { COUNTRY_CALLS, OFFICE_CALLS } from './steps/place-steps.js';
import { PROJECT_CALLS } from './steps/project-steps.js';
import { PROPOSAL_CALLS } from './steps/proposal-steps.js';
import { SECTION_CALLS } from './steps/section-steps.js';
import { STAFFING_CALLS } from './steps/staffing-steps.js';
import { CATEGORY_CALLS, TAG_CALLS } from './steps/tag-steps.js';
import { USER_CALLS } from './steps/user-steps.js';

const SECTIONS_CALLS = Object.fromEntries(SECTION_TYPES.map((entity) => [entity, SECTION_CALLS])) as Record<
  SectionType,
  EntityCalls
>;

/** Entity → its calls. */
const CALLS: Readonly<Partial<Record<Entity, EntityCalls>>> = {
  countries: COUNTRY_CALLS,
  offices: OFFICE_CALLS,
  tag_categories: CATEGORY_CALLS,
  tags: TAG_CALLS,
  users: USER_CALLS,
  customers: CUSTOMER_CALLS,
  projects: PROJECT_CALLS,
  staffing: STAFFING_CALLS,
  ...SECTIONS_CALLS,
  proposals: PROPOSAL_CALLS,
};

function callsOf({ entity, action }: Change): EntityCalls {
  const calls = (action === 'delete' ? DELETE_CALLS[entity] : undefined) ?? CALLS[entity];
  if (calls === undefined) throw new Error(`no calls for ${entity} ${action}`);
  return calls;
}

export function buildSteps(change: Change, context: CallContext): readonly Step[] {
  const sent = withoutLink(change);
  return isLinkAlone(change) ? [] : callsOf(sent).build(sent, context);
}

/** Like `buildSteps`, but returns no steps if an object that the change refers to does not exist. */
export function tryBuild(change: Change, context: CallContext): readonly Step[] {
  try {
    return buildSteps(change, context);
  } catch {
    return [];
  }
}

/** True for a relink that changes nothing in the service. */
export function isLinkAlone(change: Change): boolean {
  const { action, fields } = withoutLink(change);
  return change.action === 'relink' && action === 'update' && fields.length === 0;
}

/** Builds the one call that combines the first steps of several changes. */
export function buildBatch(changes: readonly Change[], context: CallContext): BatchStep {
  const [first] = changes;
  const batch = first === undefined ? undefined : callsOf(first).buildBatch?.(changes, context);
  if (batch === undefined) throw new Error(`no common call for ${first?.entity ?? 'nothing'}`);
  return batch;
}

/** True for a change that deactivates or deletes a person's account. */
export function takesAway({ entity, action }: Change): boolean {
  return isAccount(entity) && (action === 'deactivate' || action === 'delete');
}

/**
 * True if the change needs a read first. A deletion always needs the read; a deactivation needs it only if this run has
 * not read all people.
 */
export function isReadFirst(change: Change, usersFresh: boolean): boolean {
  return takesAway(change) && (change.action === 'delete' || !usersFresh);
}

/**
 * Lists the endpoint templates of a change's calls, for the forecast. The list includes the read before an account is
 * deactivated or deleted.
 */
export function forecastCalls(change: Change, usersFresh: boolean): readonly string[] {
  // The calls of an import are counted once for all its people.
  if (isImported(change) || isLinkAlone(change)) return [];
  const first: readonly EndpointName[] = isReadFirst(change, usersFresh) ? ['getUser'] : [];
  const sent = withoutLink(change);
  return [...first, ...callsOf(sent).endpoints(sent)].map((name) => formatTemplate(name));
}

/** Counts the calls of changes that are carried out together. A batch shares its first call. */
export function forecastUnit(unit: readonly Change[], usersFresh: boolean): number {
  const calls = unit.reduce((sum, change) => sum + forecastCalls(change, usersFresh).length, 0);
  return calls - (unit.length - 1);
}
