import { foldKey } from './observed.js';

/** What names in the sources resolve to in the service: offices, tags, customers, people. */
export interface Directory {
  hasCountry(code: string): boolean;
  countryId(code: string): string | null;
  officeId(country: string, name: string): string | null;
  categoryId(category: string): string | null;
  tagId(category: string, tag: string): string | null;
  customerId(externalId: string): string | null;
  userIdByEmail(email: string): string | null;
  /** Names that exist, for "did you mean": of offices in a country, countries, categories, tags of a category. */
  known(what: 'countries' | 'offices' | 'categories' | 'tags', within?: string): readonly string[];
  /** Hash over offices and tags: an agreement found under another one is looked at again. */
  readonly digest: string;
}

/** `no/Oslo`: the natural key of an office in plans. Spelling differences of case and white space are one office. */
export function officeKey(country: string, name: string): string {
  return `${foldKey(country)}/${foldKey(name)}`;
}

export function tagKey(category: string, tag: string): string {
  return `${category}/${tag}`;
}
