import type { Candidate } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import { correlate, findDoubt } from './correlate.js';
import { holdRecord } from './hold-record.js';
import { idOfPlanned } from './planned-places.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';

/** The object of a record: its link's, or a certain match. */
export interface Found {
  readonly observed: Observed | null;
  readonly adoptedBy: string | null;
}

/** Names of proposals are not unique: one that is linked is another record's, and no match for this one. */
function findFor(entity: Entity, ports: ReconcilePorts) {
  return (key: string, value: string): readonly string[] => {
    const ids = ports.findIds(entity, key, value);
    return entity === 'proposals' ? ids.filter((id) => ports.linkedKey(entity, id) === null) : ids;
  };
}

/** Notes whom an unlinked record matches, before anything is decided: two records may want one object. */
export function claimMatch(candidate: Candidate, { entity, match }: EntitySettings, ports: ReconcilePorts): void {
  if (candidate.linkedId !== null) return;
  const found = correlate(candidate.desired, match, findFor(entity, ports), idOfPlanned(ports));
  if (found.kind === 'match') ports.claim(entity, found.id, candidate.desired.key);
  // Who of them it is, is open; that one of them is, is not: none of them is nobody's.
  if (found.kind === 'ambiguous')
    for (const id of found.candidates) ports.claim(`${entity}.maybe`, id, candidate.desired.key);
}

/** Answers 'held' when a person has to choose. */
export function findObject(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): Found | 'held' {
  const { entity, match } = settings;
  const { desired, linkedId } = candidate;
  if (linkedId !== null) return { observed: ports.observed(entity, linkedId), adoptedBy: null };
  const found = correlate(desired, match, findFor(entity, ports), idOfPlanned(ports));
  if (found.kind === 'none') return { observed: null, adoptedBy: null };
  if (found.kind === 'ambiguous') {
    const candidates = found.candidates.map((id) => describe(ports.observed(entity, id), id)).join('; ');
    holdRecord(
      candidate,
      'SYNC_MATCH_AMBIGUOUS',
      {
        reason: `${found.candidates.length} objects match by ${found.by}: ${candidates}.`,
        remedy: 'Make the key unique on one of the two sides, or match on a further field.',
      },
      ports,
    );
    return 'held';
  }
  const rivals = ports.claimants(entity, found.id).filter((key) => key !== desired.key);
  const owner = ports.linkedKey(entity, found.id);
  if (rivals.length > 0 || owner !== null) {
    const others = owner === null ? `records ${rivals.join(', ')} claim it too` : `it is linked to record ${owner}`;
    holdRecord(
      candidate,
      'SYNC_MATCH_CLAIMED',
      {
        reason: `Matches ${describe(ports.observed(entity, found.id), found.id)} by ${found.by}, but ${others}.`,
        remedy: 'Decide which record is right and correct the other one in the source.',
      },
      ports,
    );
    return 'held';
  }
  const observed = ports.observed(entity, found.id);
  const doubt = observed === null ? null : findDoubt(desired, observed, match, found.by);
  if (doubt !== null) {
    holdRecord(
      candidate,
      'SYNC_MATCH_DOUBTFUL',
      {
        reason: `Matches ${describe(observed, found.id)} by ${found.by}, but ${doubt} differs: ${JSON.stringify(desired.values[doubt])} here, ${JSON.stringify(observed?.values[doubt])} there. It may be somebody else.`,
        remedy: `If they are the same, give both sides the same ${doubt}, or match by ${found.by} alone.`,
      },
      ports,
    );
    return 'held';
  }
  return { observed, adoptedBy: found.by };
}

function describe(observed: Observed | null, id: string): string {
  return observed === null ? id : `${observed.label} (${id})`;
}
