import type { Candidate } from '../../model/desired.js';
import { isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { INHERITED_FROM_PROJECT } from '../../model/sections.js';
import { holdRecord } from '../hold-record.js';
import type { ReconcilePorts } from '../ports.js';
import { pickFields } from './compare.js';
import { idOfPlanned } from './planned-places.js';
import type { RecordDraft } from './record-draft.js';

/** Two records of one link under different words (an external id here, an e-mail there) would make it twice. */
export function isSecondLink(candidate: Candidate, ports: ReconcilePorts): boolean {
  const { entity, key, values } = candidate.desired;
  if (!isLink(entity)) return false;
  const idOf = idOfPlanned(ports);
  const ids = [idOf('projects', String(values.project ?? '')), idOf('users', String(values.user ?? ''))];
  if (ids.includes(null)) return false;
  const pair = ids.join('/');
  const [first] = ports.plan.claimants('staffing.pair', pair).filter((other) => other !== key);
  ports.plan.claim('staffing.pair', pair, key);
  if (first === undefined) return false;
  holdRecord(
    candidate.desired,
    'SYNC_MATCH_CLAIMED',
    {
      reason: `It names the same person and project as the record ${first}, in other words.`,
      remedy: 'Name people and projects in one way, external id or e-mail: rows of one link are then taken together.',
    },
    ports,
  );
  return true;
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
