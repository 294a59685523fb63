import { SyncError } from '../../base/errors.js';
import type { DeliveryFilter } from '../../config/delivery-parts.js';
import { nearestName } from '../../model/nearest.js';
import { matchAnyField, matchSkill, matchTag, matchText, type SearchClause } from '../../service/search-clauses.js';
import type { MirrorStore } from '../../store/mirror/mirror-store.js';

/**
 * Converts a delivery's filter to clauses of the service's searches.
 *
 * @param at configuration path, for messages
 * @throws SyncError SYNC_REFERENCE_UNKNOWN when the service has no such tag or category
 */
export function buildClauses(at: string, filter: DeliveryFilter, mirror: MirrorStore): readonly SearchClause[] {
  const { text, anyField, skills, tags } = filter;
  return [
    ...text.map(matchText),
    ...(Object.keys(anyField).length === 0 ? [] : [matchAnyField(anyField)]),
    ...skills.map(matchSkill),
    ...tags.map(({ category, tag }) => matchTag(findTag(at, category, tag, mirror))),
  ];
}

function findTag(at: string, category: string, tag: string, mirror: MirrorStore): string {
  const of = (values: { readonly [name: string]: unknown }): string => String(values.external_unique_id ?? '');
  const categories = [...mirror.all('tag_categories')];
  const found = categories.find(({ values }) => of(values) === category);
  const inCategory = [...mirror.all('tags')].filter(
    ({ values }) => found !== undefined && values.category_id === found.id,
  );
  const id = inCategory.find(({ values }) => of(values) === tag)?.id;
  if (id !== undefined) return id;
  const place = `${at}.filter.tags`;
  if (found === undefined)
    throw unknownFilterError(
      'category of tags',
      category,
      categories.map(({ values }) => of(values)),
      place,
    );
  throw unknownFilterError(
    `tag of ${category}`,
    tag,
    inCategory.map(({ values }) => of(values)),
    place,
  );
}

/** The error for a filter that the service does not know. Ignoring the filter would put too much into the report. */
export function unknownFilterError(what: string, name: string, known: readonly string[], place: string): SyncError {
  const near = nearestName(name, known);
  return new SyncError('SYNC_REFERENCE_UNKNOWN', {
    message: `The service has no ${what} "${name}".${near === null ? '' : ` Nearest: "${near}".`}`,
    place,
    remedy: 'Correct the name in the configuration, or create it in the service.',
  });
}
