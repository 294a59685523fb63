/** Partial match on one field, for example `name`. */
export type FieldQuery = { readonly query: { readonly field: string; readonly value: string } };

/** Free text: partial match across fields. */
export type TextQuery = { readonly query: { readonly value: string } };

/** The kinds of clause that `must` of a search accepts (spec, Search `must` clause kinds). All clauses of a search must match. */
export type SearchClause =
  | TextQuery
  | { readonly bool: { readonly should: readonly FieldQuery[] } }
  | { readonly bool: { readonly must: readonly TextQuery[] } }
  | { readonly technology_skill: { readonly tag: string } }
  | { readonly exact: { readonly field: 'custom_tag_id'; readonly value: string } };

/** Matches free text in any field. */
export function matchText(value: string): SearchClause {
  return { query: { value } };
}

/** Matches all of the texts, each in any field. */
export function matchAllTexts(...values: readonly string[]): SearchClause {
  return { bool: { must: values.map((value) => ({ query: { value } })) } };
}

/** Matches if at least one of the fields contains its value, for example `matchAnyField({ name: 'Ann', email: 'ann@' })`. */
export function matchAnyField(values: Readonly<Record<string, string>>): SearchClause {
  return { bool: { should: Object.entries(values).map(([field, value]) => ({ query: { field, value } })) } };
}

/** Matches the exact name of a skill. */
export function matchSkill(name: string): SearchClause {
  return { technology_skill: { tag: name } };
}

/** Matches a custom tag by its internal id. */
export function matchTag(tagId: string): SearchClause {
  return { exact: { field: 'custom_tag_id', value: tagId } };
}
