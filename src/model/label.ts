import type { Entity } from './entity.js';
import { isJsonObject, type Json, textOf, type Values } from './json.js';

/** Returns the label of an object from its own values, if they contain one. The mirror stores a label only if they do not. */
const LABELS: Readonly<Partial<Record<Entity, (values: Values) => string | undefined>>> = {
  users: ({ name, email }) => {
    const called = textOf(name) || textOf(email);
    return typeof email === 'string' && called !== '' ? `${called} <${email}>` : called;
  },
  countries: ({ code }) => textOf(code),
  offices: ({ name, country }) => `${textOf(name)} (${textOf(country)})`,
  tag_categories: (values) => textOf(values.external_unique_id) || firstText(values.values),
  tags: (values) => textOf(values.external_unique_id) || firstText(values.values),
  proposals: ({ name }) => textOf(name),
  customers: (values) => firstText(values.customer_name),
  projects: (values) => firstText(values.project_name),
};

export function labelOf(entity: Entity, id: string, values: Values): string {
  return LABELS[entity]?.(values) || id;
}

type NamedValues = Readonly<Record<string, Json | undefined>>;

/** Returns the label of a CV entry: its name, or else any text in it. The long description is used last. */
export function nameSection({ name, long_description: long, ...others }: NamedValues): string | undefined {
  return [name, ...Object.values(others), long].map(firstText).find((text) => text !== undefined);
}

/** Returns the first non-empty text of a multilingual text; undefined for any other value. */
export function firstText(text: Json | undefined): string | undefined {
  if (!isJsonObject(text)) return undefined;
  const first = Object.values(text).find((item) => typeof item === 'string' && item !== '');
  return typeof first === 'string' ? first : undefined;
}
