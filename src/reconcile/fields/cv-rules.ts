import type { Candidate } from '../../model/desired.js';
import { FIELDS, mayBeUnshown } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import { INHERITED_FROM_PROJECT } from '../../model/sections.js';
import { holdRecord } from '../hold-record.js';
import type { HoldPorts, ReconcilePorts, ServicePort } from '../ports.js';
import { isEmpty } from './compare.js';
import { idOfPlanned } from './planned-places.js';

/** Rules of what lies on CVs: each takes out of a change what the service would refuse or do twice, and says so. */

/** A hard-linked experience reads these from its project, and refuses them (spec, Project linking 7). */
export function dropInherited(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  ports: HoldPorts,
): Values {
  if (observed?.values.linked !== true) return after;
  const inherited = Object.keys(after).filter((name) => INHERITED_FROM_PROJECT.has(name));
  if (inherited.length === 0) return after;
  holdRecord(
    candidate,
    'SYNC_CHANGE_BLOCKED',
    {
      reason: `${inherited.join(', ')} of this experience ${inherited.length === 1 ? 'is' : 'are'} read from the reference project it is linked to.`,
      remedy: 'Change the reference project, or take the fields out of the mapping.',
    },
    ports,
  );
  return Object.fromEntries(Object.entries(after).filter(([name]) => !inherited.includes(name)));
}

/** A tag of a person is taken off on the CV, which can be done and seen only where the account shows it there. */
export function dropUnclearable(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  ports: HoldPorts & { readonly service: Pick<ServicePort, 'directory'> },
): Values {
  const { tags } = after;
  if (candidate.desired.entity !== 'users' || !isJsonObject(tags) || ports.service.directory.showsUserTags)
    return after;
  const cleared = Object.keys(tags).filter((category) => tags[category] === null);
  if (cleared.length === 0) return after;
  for (const category of cleared) {
    const last = isJsonObject(candidate.written?.tags) ? candidate.written.tags[category] : null;
    holdRecord(
      candidate,
      'SYNC_CHANGE_BLOCKED',
      {
        reason: `tags.${category}: ${canonicalJson(last ?? null)} was written last and cannot be cleared: the account does not show the tags of people on their CVs, where they are taken off.`,
        remedy: `Take the tag off ${observed?.label ?? 'the person'} in the service and set \`when_empty: keep\`, or deliver another tag of the category.`,
      },
      ports,
    );
  }
  const kept = Object.fromEntries(Object.entries(tags).filter(([category]) => !cleared.includes(category)));
  const { tags: _, ...others } = after;
  return Object.keys(kept).length === 0 ? others : { ...others, tags: kept };
}

/** No call makes a copy a hard link, or a hard link a copy (spec, Project linking 9): told, and left as it is. */
export function reportOtherKind(candidate: Candidate, observed: Observed, ports: HoldPorts): void {
  const { desired } = candidate;
  const wanted = desired.values.link;
  if (desired.entity !== 'staffing' || wanted === undefined || wanted === observed.values.link) return;
  const [have, want] = wanted === true ? ['a copy of the project', 'a hard link'] : ['a hard link', 'a copy'];
  holdRecord(
    candidate,
    'SYNC_CHANGE_BLOCKED',
    {
      reason: `link: ${observed.label} is ${have}, and the source wants ${want}; the service has no call that turns one into the other.`,
      remedy: 'Leave it, or delete the experience in the service: the next run links anew.',
    },
    ports,
  );
}

/** Two records of one link under different words (an external id here, an e-mail there) would make it twice. */
export function isSecondLink(candidate: Candidate, ports: ReconcilePorts): boolean {
  const { entity, key, values } = candidate.desired;
  if (entity !== 'staffing') return false;
  const idOf = idOfPlanned(ports);
  const ids = [idOf('projects', String(values.project ?? '')), idOf('users', String(values.user ?? ''))];
  if (ids.includes(null)) return false;
  const pair = ids.join('/');
  const [first] = ports.plan.claimants('staffing.pair', pair).filter((other) => other !== key);
  ports.plan.claim('staffing.pair', pair, key);
  if (first === undefined) return false;
  holdRecord(
    candidate,
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

/** What of a change is compared with what was written last, because the service does not show it. */
export function noteUnshown(fields: readonly string[], observed: Observed | null, after: Values): string {
  // Of somebody new nothing was written last.
  if (observed === null) return '';
  const unshown = fields.filter((name) => mayBeUnshown(FIELDS.users[name]) && observed.values[name] === undefined);
  const some = unshown.filter((name) => !isEmpty(after[name] as Json));
  return some.length === 0
    ? ''
    : ` (${some.join(', ')}: the service does not show it, compared with what was written last)`;
}
