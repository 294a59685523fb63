import type { Config } from '../config/config.js';
import type { BulkLoadConfig } from '../config/entities/entity-schema.js';
import { isAccount } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { type BulkLoad, IMPORT_STEP, type PlannedChange } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import { nativeLanguages } from './csv-import/native-languages.js';
import { type FileForm, readCells, refusePerson, rolesOf } from './csv-import/read-cells.js';

const EXAMPLES = 3;
/** People per page of the full read (spec, Users). */
const READ_PAGE = 500;

/**
 * Decides who goes through the service's CSV import, after the guards have held their changes. It selects creates that
 * the file carries completely, if there are enough of them and nobody else is harmed.
 *
 * | the setting, as the operator says   | may be used if                                                               |
 * |-------------------------------------|------------------------------------------------------------------------------|
 * | keeps missing people                | always                                                                       |
 * | deactivates them                    | no normal user is active in the service, or will be, other than by the file  |
 * | removes them                        | the service has nobody, and will have nobody other than by the file          |
 *
 * Only creates go through the file, because the import could promote a matched person or send an e-mail (spec, CSV
 * import, Processing).
 */
export function planBulkLoad(config: Config, stores: Stores, usersFresh: boolean): BulkLoad | null {
  const bulk = config.users?.bulkLoad ?? null;
  if (bulk === null || bulk.from === 0) return null;
  const { fit, singly, creates } = sortCreates(bulk, stores);
  if (creates < bulk.from) return null;
  const batch = `import:${bulk.setting}`;
  const none = { batch, people: 0, singly: [...singly.values()], calls: {} };
  if (fit.length < bulk.from) {
    const refused = `${fit.length} of ${creates} people can be imported by file, but \`users.bulk_load.from\` is ${bulk.from}`;
    return { ...none, refused };
  }
  const harm = describeHarm(bulk, stores, creates - fit.length, usersFresh);
  if (harm !== null) return { ...none, refused: harm };
  stores.work.together(() => stores.work.setBatch(fit, batch));
  return { ...none, people: fit.length, refused: null, calls: forecastImport(fit.length, stores, usersFresh) };
}

interface Sorted {
  /** Keys of the people whom the file carries. */
  readonly fit: readonly string[];
  readonly singly: ReadonlyMap<string, BulkLoad['singly'][number]>;
  readonly creates: number;
}

function sortCreates(bulk: BulkLoadConfig, stores: Stores): Sorted {
  const form: FileForm = {
    language: bulk.language,
    tagColumns: bulk.tagColumns,
    nativeLanguage: nativeLanguages(stores.mirror),
  };
  const fit: string[] = [];
  const singly = new Map<string, BulkLoad['singly'][number]>();
  let creates = 0;
  for (const change of stores.work.inOrder('applicable')) {
    if (!isAccount(change.entity) || change.action !== 'create') continue;
    creates += 1;
    const reason = whySingly(change, form, stores);
    if (reason === null) {
      fit.push(change.key);
      continue;
    }
    const { people, examples } = singly.get(reason) ?? { people: 0, examples: [] };
    const more = examples.length < EXAMPLES ? [...examples, change.label] : examples;
    singly.set(reason, { reason, people: people + 1, examples: more });
  }
  return { fit, singly, creates };
}

/** The reason why the file does not carry a create completely, or null. */
function whySingly(change: PlannedChange, form: FileForm, { journal }: Stores): string | null {
  if (journal.wasLost(change.id, IMPORT_STEP)) return 'an earlier import did not create them';
  if (change.needs.some((need) => need.startsWith('users:'))) return 'another person must give up a value first';
  const refusal = refusePerson(rolesOf(change.after));
  if (refusal !== null) return refusal;
  // The other fields are set on the CV later, and the read that confirms an import does not show them.
  const onCv = change.fields.find((field) => FIELDS.users[field]?.onCv === true);
  if (onCv !== undefined) return `${onCv}: it is set on the CV, which needs a call`;
  const [loss] = readCells(change.after, form).losses;
  return loss === undefined ? null : `${loss.field}: ${loss.reason}`;
}

/** Describes the people whom the setting would deactivate or remove because they are not in the file; null if there are none. */
function describeHarm(bulk: BulkLoadConfig, stores: Stores, outside: number, usersFresh: boolean): string | null {
  if (bulk.missing === 'keep') return null;
  const does = `the import setting "${bulk.setting}" ${bulk.missing}s people who are not in the file`;
  if (!usersFresh) return `${does}, and this run has not read everyone: run with --full`;
  const there = countMissing(bulk.missing, stores);
  const back = stores.work.counts('applicable').users?.reactivate ?? 0;
  const parts = [
    there.people === 0
      ? ''
      : `${there.people} in the service (${there.examples.join(', ')}${there.people > there.examples.length ? ', …' : ''})`,
    outside === 0 ? '' : `${outside} whom this plan creates by single calls`,
    back === 0 ? '' : `${back} whom this plan reactivates`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? null : `${does}: ${parts.join(', ')}`;
}

/** The import does not deactivate external users who are absent. For removal, the spec does not say so (CSV import, Processing). */
function countMissing(missing: 'deactivate' | 'remove', { mirror }: Stores): { people: number; examples: string[] } {
  const found = { people: 0, examples: [] as string[] };
  for (const { active, values, label } of mirror.all('users')) {
    if (missing === 'deactivate' && (!active || values.role === 'external')) continue;
    found.people += 1;
    if (found.examples.length < EXAMPLES) found.examples.push(label);
  }
  return found;
}

/** The cost of one rehearsal and the import itself. Everyone is read once or more, until all imported people have arrived. */
function forecastImport(people: number, { mirror }: Stores, usersFresh: boolean): BulkLoad['calls'] {
  const known = mirror.counts('users').all;
  const before = usersFresh ? 0 : Math.floor(known / READ_PAGE) + 1;
  const after = Math.floor((known + people) / READ_PAGE) + 1;
  return {
    'POST /api/v1/users/import/csv/{config_name}': 2,
    'GET /api/v2/users/search': before + after,
  };
}
