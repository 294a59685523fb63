import { ENTITIES, isAccount, isSection } from '../../model/entity.js';
import { FIELDS, type FieldShape } from '../../model/fields.js';
import { COMMON_FIELDS } from '../../model/sections.js';

/** Names of all fields that refer to people, such as `owners` and `cvs`, and of their id fields. */
export const PEOPLE_FIELDS: ReadonlySet<string> = new Set(
  Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields)
      .filter(([, { to }]) => isAccount(to))
      .flatMap(([name]) => [name, `${name}_id`, `${name}_ids`]),
  ),
);

/** Entities with objects that belong to one person: accounts, CV sections, links to projects. */
export const PERSONAL_ENTITIES: ReadonlySet<string> = new Set(
  Object.entries(FIELDS)
    .filter(
      ([entity, fields]) =>
        isAccount(entity) || Object.values(fields).some(({ to, required }) => isAccount(to) && required === true),
    )
    .map(([entity]) => entity),
);

/** Shapes that can contain anything. A field with one of them counts as personal unless `FIELDS` says otherwise. */
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
 * Fields that show a position in the company or a display setting, but do not identify a person. External ids are
 * included, because systems identify records by them.
 */
export const OPEN_FIELDS = listOpen(() => true);

/**
 * The open fields that a reader of pseudonyms sees. Multilingual fields are left out, because a title may belong to
 * only one person.
 */
export const SHOWN_FIELDS = listOpen((shape) => shape !== 'multilingual');
