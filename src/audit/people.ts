import { isAccount } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';

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
