import { ENTITIES, type Entity } from '../../model/entity.js';
import type { Json } from '../../model/json.js';
import type { AdoptionReport, AdoptionSample, Change } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';

/** Examples of each kind in the report; the plan contains all changes. */
const SAMPLES = 5;

/**
 * Reports first contact with an account that already has people (or customers, or projects): the matches by key, the
 * differences between the pairs, and the objects on one side only. Null if nothing is adopted, because then this is not
 * a first contact.
 */
export function reportAdoption(stores: Stores): readonly AdoptionReport[] | null {
  const reports = ENTITIES.flatMap((entity) => {
    const matched = stores.work.adoptedBy(entity);
    return Object.keys(matched).length === 0 ? [] : [reportEntity(entity, matched, stores)];
  });
  return reports.length === 0 ? null : reports;
}

function reportEntity(entity: Entity, matched: Readonly<Record<string, number>>, { work }: Stores): AdoptionReport {
  const differing: Record<string, { count: number; samples: AdoptionSample[] }> = {};
  let different = 0;
  for (const change of work.adoptedChanges(entity)) {
    const { label, fields, before, after } = describeReopening(change);
    different += 1;
    for (const field of fields) {
      const entry = differing[field] ?? { count: 0, samples: [] };
      differing[field] = entry;
      entry.count += 1;
      if (entry.samples.length < SAMPLES)
        entry.samples.push({ label, before: valueIn(before, field), after: valueIn(after, field) });
    }
  }
  const all = Object.values(matched).reduce((sum, count) => sum + count, 0);
  const onlyInSource = work.plannedLabels(entity, 'create', SAMPLES);
  const onlyInService = work.strangers(entity, SAMPLES);
  return {
    entity,
    matched,
    equal: all - different,
    differing,
    only_in_source: onlyInSource,
    only_in_service: onlyInService,
    doubtful: work.countHolds(entity, ['SYNC_MATCH_AMBIGUOUS', 'SYNC_MATCH_CLAIMED', 'SYNC_MATCH_DOUBTFUL']),
  };
}

/** An inactive account is a difference too; the change itself shows it by its action. */
function describeReopening(change: Change): Pick<Change, 'label' | 'fields' | 'before' | 'after'> {
  const { label, action, fields, before, after } = change;
  if (action !== 'reactivate') return change;
  const [out, back] = [{ deactivated: true }, { deactivated: false }];
  return { label, fields: ['deactivated', ...fields], before: { ...before, ...out }, after: { ...after, ...back } };
}

function valueIn(values: { readonly [key: string]: Json }, field: string): Json {
  return values[field] ?? null;
}
