import { ENTITIES, isAccount, isSection } from '../../model/entity.js';
import { FIELDS, type FieldShape } from '../../model/fields.js';
import { COMMON_FIELDS } from '../../model/sections.js';

/** Names of the fields that refer to people, whatever the object: `owners`, `cvs`, and the ids in their place. */
export const PEOPLE_FIELDS: ReadonlySet<string> = new Set(
  Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields)
      .filter(([, { to }]) => isAccount(to))
      .flatMap(([name]) => [name, `${name}_id`, `${name}_ids`]),
  ),
);

/** Objects that are a person's as a whole: accounts, sections of a CV, links to projects. */
export const PERSONAL_ENTITIES: ReadonlySet<string> = new Set(
  Object.entries(FIELDS)
    .filter(
      ([entity, fields]) =>
        isAccount(entity) || Object.values(fields).some(({ to, required }) => isAccount(to) && required === true),
    )
    .map(([entity]) => entity),
);

/** Anything can be written in them, so a field of these is a person's own unless `FIELDS` says otherwise. */
const FREE: readonly FieldShape[] = ['text', 'integer', 'multilingual', 'entries'];

function listOpen(isOpen: (shape: FieldShape) => boolean): ReadonlySet<string> {
  const names = ENTITIES.filter((entity) => PERSONAL_ENTITIES.has(entity) && !isSection(entity)).flatMap((entity) =>
    Object.entries(FIELDS[entity]).flatMap(([name, { shape, to, open, personal }]) =>
      !isAccount(to) && (open ?? (personal === 'key' || !FREE.includes(shape))) && isOpen(shape) ? [name] : [],
    ),
  );
  return new Set(['deactivated', ...Object.keys(COMMON_FIELDS), ...names]);
}

/** Fields that say where somebody is in the company or how something is shown, not who it is. The external id is how systems name a record. */
export const OPEN_FIELDS = listOpen(() => true);

/** The part of these that a reader of pseudonyms sees: a company may have one person of a title. */
export const SHOWN_FIELDS = listOpen((shape) => shape !== 'multilingual');
