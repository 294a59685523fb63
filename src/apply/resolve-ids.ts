import { SyncError } from '../base/errors.js';
import { type Directory, idOfIn } from '../model/directory.js';
import { type Entity, TRAITS } from '../model/entity.js';
import { isJsonObject, type Json, listOf, objectOf, type Values } from '../model/json.js';

/**
 * The id for a name.
 * @throws SyncError if there is no id. Planning checked that the id exists, so this is an error of the record
 */
export function needId<T>(id: T | null, what: string): T {
  if (id !== null) return id;
  throw new SyncError('SYNC_REFERENCE_UNKNOWN', {
    message: `${what} is no longer in the service.`,
    remedy: 'Run again: the next plan looks it up again, or creates it.',
  });
}

/** Resolves an office to its id and the id of its country, because the service needs both (spec, Update rules). */
export function resolveOffice(
  office: Json | undefined,
  directory: Directory,
): { office_id: string; country_id: string } {
  const country = isJsonObject(office) ? String(office.country) : '';
  const name = isJsonObject(office) ? String(office.name) : '';
  return {
    office_id: needId(directory.officeId(country, name), `Office "${name}" in country "${country}"`),
    country_id: needId(directory.countryId(country), `Country "${country}"`),
  };
}

export function resolveOfficeIds(offices: Json | undefined, directory: Directory): readonly string[] {
  return listOf(offices).map((office) => resolveOffice(office, directory).office_id);
}

/** `{ category: tag }` by external ids → internal ids, as the service needs them (spec, Create user body). */
export function resolveTagIds(tags: Json | undefined, directory: Directory): readonly string[] {
  return Object.entries(objectOf(tags)).flatMap(([category, value]) =>
    listOf(value).map((tag) =>
      needId(directory.tagId(category, String(tag)), `Tag "${String(tag)}" of category "${category}"`),
    ),
  );
}

export function resolveTags(tags: Json | undefined, directory: Directory): Values {
  const ids: Record<string, Json> = {};
  for (const [category, tag] of Object.entries(objectOf(tags))) {
    const categoryId = needId(directory.categoryId(category), `Tag category "${category}"`);
    ids[categoryId] = needId(directory.tagId(category, String(tag)), `Tag "${String(tag)}" of category "${category}"`);
  }
  return ids;
}

/** The id for `industry_id`. No call lists industries (spec, Customer). */
export function resolveIndustry(word: Json, directory: Directory): string {
  return needId(idOfIn(directory)('industries', String(word)), `The industry "${String(word)}"`);
}

/** The id of the object that a reference field refers to. */
export function resolveReference(to: Entity, word: Json | undefined, directory: Directory): string {
  const kind = TRAITS[to].singular;
  const what = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} "${String(word)}"`;
  return needId(idOfIn(directory)(to, String(word)), what);
}
