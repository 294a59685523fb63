import { ENTITIES, isAccount, isSection } from '../../model/entity.js';
import { FIELDS, type FieldShape } from '../../model/fields.js';
import { COMMON_FIELDS } from '../../model/sections.js';

/** Names of fields that refer to people, for any object: `owners`, `cvs`, and their id fields. */
export const PEOPLE_FIELDS: ReadonlySet<string> = new Set(
  Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields)
      .filter(([, { to }]) => isAccount(to))
      .flatMap(([name]) => [name, `${name}_id`, `${name}_ids`]),
  ),
);

/** Objects that belong entirely to a person: accounts, CV sections, links to projects. */
export const PERSONAL_ENTITIES: ReadonlySet<string> = new Set(
  Object.entries(FIELDS)
    .filter(
      ([entity, fields]) =>
        isAccount(entity) || Object.values(fields).some(({ to, required }) => isAccount(to) && required === true),
    )
    .map(([entity]) => entity),
);

/** These shapes can contain anything, so such a field counts as personal unless `FIELDS` says otherwise. */
const FREE: readonly FieldShape[] = ['text', 'integer', 'multilingual', 'entries'];

function listOpen(isOpen: (shape: FieldShape) => boolean): ReadonlySet<string> {
  const names = ENTITIES.filter((entity) => PERSONAL_ENTITIES.has(entity) && !isSection(entity)).flatMap((entity) =>
    Object.entries(FIELDS[entity]).flatMap(([name, { shape, to, open, personal }]) =>
      !isAccount(to) && (open ?? (personal === 'key' || !FREE.includes(shape))) && isOpen(shape) ? [name] : [],
    ),
  );
  return new Set(['deactivated', ...Object.keys(COMMON_FIELDS), ...names]);
}

/**
 * Fields that show a position in the company or a form of display, but not who someone is. Systems identify a record by
 * its external id.
 */
export const OPEN_FIELDS = listOpen(() => true);

/** The open fields that a reader of pseudonyms sees: a title may belong to only one person in a company. */
export const SHOWN_FIELDS = listOpen((shape) => shape !== 'multilingual');
