import type { Candidate } from '../../model/desired.js';
import { isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { holdRecord } from '../hold-record.js';
import type { ReconcilePorts } from '../ports.js';
import { idOfPlanned } from './planned-places.js';

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
