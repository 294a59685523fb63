import { compareTexts } from '../../model/compare-texts.js';
import { renderMasterdata } from '../answers/render-masterdata.js';
import { userOf } from '../calls/access.js';
import type { Call, CallHandler } from '../calls/call.js';
import { foldText, pickText, readLanguageCode, type Texts } from '../fields/languages.js';
import { readListParameter, readParameter } from '../fields/values.js';
import { languageOf } from '../records/places.js';
import { listSkills, type SkillLists } from '../records/skills.js';
import { readPage } from './resource.js';

interface Valued {
  readonly id: string;
  readonly values: Texts;
}

/** Returns the language for sorting a list: the parameter, or else the user's language, or else the first one of the account. */
export function readSortLanguage(call: Call): string {
  const { world } = call;
  const asked = readLanguageCode(readParameter(call.query, 'language_code') ?? '', call.mode);
  const user = userOf(call);
  return asked ?? (user && languageOf(world, user)) ?? world.account.languages[0] ?? 'en';
}

export function sortByText<T extends Valued>(items: readonly T[], language: string): T[] {
  const keyed = items.map((item) => ({ item, key: foldText(pickText(item.values, language)) }));
  keyed.sort((a, b) => compareTexts(a.key, b.key) || compareTexts(a.item.id, b.item.id));
  return keyed.map(({ item }) => item);
}

/**
 * Returns a page sorted by text. `query` may be any part of a text, in `language_code` or else in any language (spec, List
 * rules).
 */
export function pageByText<T extends Valued>(call: Call, items: readonly T[], most: number): T[] {
  const { size, offset } = readPage(call, 'limit', most);
  const query = (readParameter(call.query, 'query') ?? '').toLowerCase();
  const language = readLanguageCode(readParameter(call.query, 'language_code') ?? '', call.mode);
  const found = items.filter(({ values }) => {
    const searched = language === undefined ? Object.values(values) : [values[language] ?? ''];
    return searched.some((text) => text.toLowerCase().includes(query) || foldText(text).includes(query));
  });
  return sortByText(found, readSortLanguage(call)).slice(offset, offset + size);
}

/** Maximum number of skills that an existing client reads in one page. */
const MOST_SKILLS = 5_000;

/**
 * Lists skills or skill categories as masterdata, which is not in the spec. `category_ids` selects the skills of these
 * categories.
 */
export function listsSkills(field: keyof SkillLists): CallHandler {
  return (call) => {
    const { world, mode, query } = call;
    const categories = readListParameter(query, 'category_ids');
    const skills = listSkills(world)[field].filter(
      ({ category_ids }) => categories.length === 0 || category_ids.some((id) => categories.includes(id)),
    );
    return pageByText(call, skills, MOST_SKILLS).map((skill) => ({
      ...renderMasterdata(world, { section_type: 'technologies', field_name: field }, skill, mode),
      category_ids: skill.category_ids,
    }));
  };
}
