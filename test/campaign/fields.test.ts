import { expect, test } from 'vitest';
import { ENTITIES } from '../../src/model/entity.js';
import { FIELDS } from '../../src/model/fields.js';
import { merge, type Yaml } from '../scenarios/company.js';
import { EVERYTHING, generateHistory } from './generate.js';
import { PARTS } from './parts.js';

/** Fields that no source of the campaign decides, and why; docs/engineering/reliability.md says the same. */
const LEFT_OUT = [
  // Only colleagues edit this field, and it must keep their value.
  'users.nationality',
  'customers.customer_description',
  'projects.project_introduction',
  // The service numbers these itself.
  'project_experiences.order',
];

/** The fields of `openStory` itself. */
const BY_DEFAULT = ['users.external_unique_id', 'users.email'];

test('covers every field that a configuration may map in random histories, except the listed ones', () => {
  const { settings } = generateHistory(1, EVERYTHING);
  const config = PARTS.reduce<Yaml>((all, part) => merge(all, part.config(settings)), {}) as Mapped;
  const mappings: Mapped = { ...config, ...config.cv_sections };
  const missing = ENTITIES.flatMap((entity) =>
    Object.keys(FIELDS[entity])
      .filter((name) => mappings[entity]?.fields?.[name] === undefined)
      .map((name) => `${entity}.${name}`),
  );
  expect(missing.filter((name) => !BY_DEFAULT.includes(name)).sort()).toEqual([...LEFT_OUT].sort());
});

interface Mapped {
  readonly [entity: string]: { readonly fields?: Readonly<Record<string, Yaml>> } & Mapped;
}
