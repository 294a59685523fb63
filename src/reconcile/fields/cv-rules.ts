import type { Candidate, Desired } from '../../model/desired.js';
import { type Entity, isLink, isSection, TRAITS } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { foldKey, scopedKey } from '../../model/observed.js';
import { meanPeople, type Said } from '../../model/people-meant.js';
import { formatPlace } from '../../model/place.js';
import { INHERITED_FROM_PROJECT, SECTION_TYPES, type SectionType } from '../../model/sections.js';
import { holdRecord } from '../hold-record.js';
import type { ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import { accountOf, plannedIdOf } from './planned-places.js';
import type { RecordDraft } from './record-draft.js';

/**
 * Holds a record that names the same link as another record in other words (an external id here, an e-mail there),
 * because the link would be created twice. The record that is linked to the object and still names it wins, even if
 * this run skips that record. If there is no such record, the first one wins.
 *
 * @returns true if the record was held
 */
export function isSecondLink({ desired, linkedId }: Candidate, ports: ReconcilePorts): boolean {
  const { entity, key } = desired;
  if (!isLink(entity) || (linkedId !== null && ports.service.observed(entity, linkedId) !== null)) return false;
  const ends = endsOf(desired, ports);
  if (ends === null) return false;
  ports.plan.claim('staffing.ends', ends, key);
  const [first] = [findLinked(entity, ends, ports), ...ports.plan.claimants('staffing.ends', ends)].filter(
    (other) => other !== null,
  );
  if (first === undefined || first === key) return false;
  holdRecord(
    desired,
    'SYNC_MATCH_CLAIMED',
    {
      reason: `It names the same person and project as record ${first}, but by other identifiers.`,
      remedy:
        'Name people and projects in the same way, by external id or e-mail. Rows of the same link are then combined.',
    },
    ports,
  );
  return true;
}

/** The project and the person that a link connects, planned or existing, as one key; null if either is unknown. */
function endsOf({ values }: Desired, ports: ReconcilePorts): string | null {
  const idOf = plannedIdOf(ports);
  const [project, user] = [idOf('projects', String(values.project ?? '')), idOf('users', String(values.user ?? ''))];
  return project === null || user === null ? null : scopedKey(project, user);
}

/** The record that is linked to an object between these two ends, and still asks for it. */
function findLinked(entity: Entity, ends: string, ports: ReconcilePorts): string | null {
  const keys = ports.service.findIds(entity, 'user', ends).flatMap((id) => ports.service.linkedKey(entity, id) ?? []);
  const meansIt = (key: string): boolean => {
    const desired = ports.sources.desired(entity, key);
    if (desired === null) return false;
    const base = ports.memory.link(entity, key)?.base ?? null;
    return endsOf(meanPeople<Said>({ desired, base, written: null }, accountOf(ports)).desired, ports) === ends;
  };
  return keys.sort().find(meansIt) ?? null;
}

/**
 * Holds a section whose external id is taken. The id is unique across all sections of a CV, of any kind (spec, CV
 * sections). An existing section keeps the id; among new sections the first one gets it.
 *
 * @returns true if the record was held
 */
export function isIdTakenOnCv(desired: Desired, ports: ReconcilePorts): boolean {
  const { entity, key, values } = desired;
  const user = isSection(entity) ? plannedIdOf(ports)('users', String(values.user ?? '')) : null;
  const id = values.external_unique_id;
  if (user === null || typeof id !== 'string' || id === '') return false;
  const wanted = scopedKey(user, id);
  const own = `${entity}:${key}`;
  ports.plan.claim('sections.external_unique_id', wanted, own);
  const [other] = ports.plan.claimants('sections.external_unique_id', wanted).filter((ref) => ref !== own);
  const because = holderOfSection(wanted, ports) ?? (other && `${describeSection(other, ports)} will get it`);
  if (because === undefined) return false;
  const reason = `external_unique_id "${id}" is unique on its CV, across all kinds of sections, and ${because}.`;
  const remedy = 'Give one of the two an id of its own in the source, or delete the section that should not have it.';
  holdRecord(desired, 'SYNC_VALUE_TAKEN', { reason, remedy }, ports);
  return true;
}

/** Describes the section of the CV that has the id; undefined if none has it. */
function holderOfSection(wanted: string, ports: ReconcilePorts): string | undefined {
  for (const type of SECTION_TYPES) {
    const [id] = ports.service.findIds(type, 'external_unique_id', wanted);
    if (id === undefined) continue;
    const key = ports.service.linkedKey(type, id);
    const label = ports.service.observed(type, id)?.label ?? id;
    return `${key === null ? `the ${TRAITS[type].singular} ${label}` : describeSection(`${type}:${key}`, ports)} has it`;
  }
  return undefined;
}

/** Formats a section, for example `the course K1 (lms courses.csv:7)`. */
function describeSection(ref: string, { sources }: ReconcilePorts): string {
  const at = ref.indexOf(':');
  const [type, key] = [ref.slice(0, at) as SectionType, ref.slice(at + 1)];
  const place = sources.desired(type, key)?.place;
  return `the ${TRAITS[type].singular} ${key}${place === undefined ? '' : ` (${formatPlace(place)})`}`;
}

/** Links of one project with the same options share one call (spec, Project linking). */
export function batchOfLink({ project, link, include_dates: dates }: Values): string {
  const options = [link === true ? 'hard link' : 'copy', ...(dates === true ? ['with dates'] : [])];
  return `${foldKey(String(project ?? ''))}: ${options.join(', ')}`;
}

/** A hard-linked experience reads these fields from its project, and the service rejects them (spec, Project linking 7). */
export function dropInherited(draft: RecordDraft): void {
  if (draft.observed?.values.linked !== true) return;
  const inherited = Object.keys(draft.after).filter((name) => INHERITED_FROM_PROJECT.has(name));
  if (inherited.length === 0) return;
  const reason = `${inherited.join(', ')} of this experience ${inherited.length === 1 ? 'is' : 'are'} read from the reference project it is linked to.`;
  const remedy = 'Change the reference project, or remove the fields from the mapping.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy, field: inherited.join(', ') }, draft.ports);
  draft.after = pickFields(draft.after, (name) => !inherited.includes(name));
}

/**
 * No call turns a copy into a hard link or a hard link into a copy (spec, Project linking 9). So a change of the kind
 * is held, and the link stays.
 */
export function holdOtherKind(draft: RecordDraft): void {
  const { entity, desired, observed } = draft;
  const wanted = desired.link;
  if (observed === null || !isLink(entity) || wanted === undefined || wanted === observed.values.link) return;
  const [have, want] = wanted === true ? ['a copy of the project', 'a hard link'] : ['a hard link', 'a copy'];
  const reason = `link: ${observed.label} is ${have}, but the source asks for ${want}; no call of the service turns one into the other.`;
  const remedy = 'Leave it, or delete the experience in the service: the next run links it again.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy, field: 'link' }, draft.ports);
}
