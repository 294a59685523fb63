import type { Candidate, Desired } from '../../model/desired.js';
import { type Entity, isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { foldKey, scopedKey } from '../../model/observed.js';
import { meanPeople, type Said } from '../../model/people-meant.js';
import { INHERITED_FROM_PROJECT } from '../../model/sections.js';
import { holdRecord } from '../hold-record.js';
import type { ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import { accountOf, idOfPlanned } from './planned-places.js';
import type { RecordDraft } from './record-draft.js';

/**
 * Two records of one link under different words (an external id here, an e-mail there) would make it twice. It is the
 * record's that is linked to it and means it still, whether that one is looked at in this run or not; else the first one's.
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
      reason: `It names the same person and project as the record ${first}, in other words.`,
      remedy: 'Name people and projects in one way, external id or e-mail: rows of one link are then taken together.',
    },
    ports,
  );
  return true;
}

/** Whom a link puts on which project, as its words mean them; null where one of the two is not there. */
function endsOf({ values }: Desired, ports: ReconcilePorts): string | null {
  const idOf = idOfPlanned(ports);
  const [project, user] = [idOf('projects', String(values.project ?? '')), idOf('users', String(values.user ?? ''))];
  return project === null || user === null ? null : scopedKey(project, user);
}

/** The record that is linked to an object between the two, and still wants it there. */
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

/** Links of one project with the same options go in one call (spec, Project linking). */
export function batchOfLink({ project, link, include_dates: dates }: Values): string {
  const options = [link === true ? 'hard link' : 'copy', ...(dates === true ? ['with dates'] : [])];
  return `${foldKey(String(project ?? ''))}: ${options.join(', ')}`;
}

/** A hard-linked experience reads these from its project, and refuses them (spec, Project linking 7). */
export function dropInherited(draft: RecordDraft): void {
  if (draft.observed?.values.linked !== true) return;
  const inherited = Object.keys(draft.after).filter((name) => INHERITED_FROM_PROJECT.has(name));
  if (inherited.length === 0) return;
  const reason = `${inherited.join(', ')} of this experience ${inherited.length === 1 ? 'is' : 'are'} read from the reference project it is linked to.`;
  const remedy = 'Change the reference project, or take the fields out of the mapping.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy, field: inherited.join(', ') }, draft.ports);
  draft.after = pickFields(draft.after, (name) => !inherited.includes(name));
}

/** No call makes a copy a hard link, or a hard link a copy (spec, Project linking 9): said, and left as it is. */
export function holdOtherKind(draft: RecordDraft): void {
  const { entity, desired, observed } = draft;
  const wanted = desired.link;
  if (observed === null || !isLink(entity) || wanted === undefined || wanted === observed.values.link) return;
  const [have, want] = wanted === true ? ['a copy of the project', 'a hard link'] : ['a hard link', 'a copy'];
  const reason = `link: ${observed.label} is ${have}, and the source wants ${want}; the service has no call that turns one into the other.`;
  const remedy = 'Leave it, or delete the experience in the service: the next run links again.';
  holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy, field: 'link' }, draft.ports);
}
