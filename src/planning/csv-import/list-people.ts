import type { Config } from '../../config/config.js';
import type { Desired } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { promotedKey } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';
import { keepHeld, listCleared } from './keep-held.js';
import { type FileForm, type Loss, readCells, refusePerson, rolesOf } from './read-cells.js';

/** One person that the sources want: a row of the file, or the reason why there is none. */
export interface PersonRow {
  readonly desired: Desired;
  /** The service's object, if the person exists there. */
  readonly held: Observed | null;
  readonly refusal: string | null;
  readonly cells: ReadonlyMap<string, string>;
  readonly losses: readonly Loss[];
  readonly changesEmail: boolean;
}

/** The input for the rows of an import file. */
export interface ImportSource {
  readonly stores: Stores;
  readonly rules: NonNullable<Config['users']>['rules'];
  readonly form: FileForm;
}

const PAGE = 500;

/** Lists everyone whom the sources want in the service, page by page, in the order of their keys; may be iterated several times. */
export function* listPeople(source: ImportSource): Iterable<readonly PersonRow[]> {
  const { work } = source.stores;
  const adopted = new Map(
    work.adoptions().flatMap(({ entity, key, id }) => (isAccount(entity) ? [[key, id] as const] : [])),
  );
  for (let last = ''; ; ) {
    const page = work.desiredAfter('users', last, PAGE);
    yield page.map((desired) => describePerson(desired, adopted.get(desired.key), source));
    const end = page.at(-1);
    if (end === undefined) return;
    last = end.key;
  }
}

function describePerson(
  desired: Desired,
  adoptedId: string | undefined,
  { stores, rules, form }: ImportSource,
): PersonRow {
  const link = stores.links.find('users', desired.key);
  const id = link?.serviceId ?? adoptedId;
  const object = id === undefined ? null : stores.mirror.get('users', id);
  const held = object === null ? null : stores.withNames(object);
  const none = { desired, held, cells: new Map<string, string>(), losses: [], changesEmail: false };
  // Looked up for each person, because a plan lists only the first hold for each cause.
  const hold = stores.work.holdsOf('users', desired.key).at(-1);
  if (hold !== undefined) return { ...none, refusal: `held: ${hold.reason}` };
  const shown: Values = held === null ? {} : { ...held.values, tags: link?.written?.tags ?? null };
  const waiting = listWaitingFields(desired.key, stores);
  const wanted = {
    ...desired.values,
    ...Object.fromEntries(waiting.map((field) => [field, held?.values[field] ?? null])),
  };
  const values = held === null ? wanted : keepHeld(wanted, shown, rules);
  const refusal = refusePerson([...rolesOf(values), ...(held === null ? [] : heldRoles(held))]);
  if (refusal !== null) return { ...none, refusal };
  const { cells, losses } = readCells(values, form);
  const cleared = listCleared(wanted, shown).map((field) => ({
    field,
    reason: 'the field would be cleared, but it is not known whether an empty cell clears it',
  }));
  const first = (stores.work.planned(`users:${desired.key}`)?.needs ?? []).filter((need) => !need.startsWith('users:'));
  const missing = first.map((need) => ({
    field: need.slice(0, need.indexOf(':')),
    reason: 'the service does not have it yet, and the import does not create it',
  }));
  const kept = waiting.map((field) => ({ field, reason: 'the field gives power, and needs an approval' }));
  const email = held?.values.email;
  const changesEmail = typeof email === 'string' && email.toLowerCase() !== String(values.email).toLowerCase();
  return { desired, held, refusal: null, cells, losses: [...losses, ...cleared, ...missing, ...kept], changesEmail };
}

/** Fields of a person that give power and that no guard has released. */
function listWaitingFields(key: string, { work }: Stores): readonly string[] {
  const ref = `users:${promotedKey(key)}`;
  return work.isWithheld(ref) ? (work.planned(ref)?.fields ?? []) : [];
}

function heldRoles({ values }: Observed): readonly string[] {
  return typeof values.role === 'string' ? [values.role, ...rolesOf(values)] : rolesOf(values);
}
