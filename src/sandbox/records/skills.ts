import { sha256 } from '../../model/sha256.js';
import type { World } from '../account/world.js';
import type { Texts } from '../fields/languages.js';
import type { CvDocument, PartDocument, SectionDocument } from '../store/cv-documents.js';
import type { Store } from '../store/store.js';

/** A skill category or a skill. */
export interface Skill {
  readonly id: string;
  readonly values: Texts;
  readonly external_unique_id: null;
  /** Ids of the categories that contain a skill. */
  readonly category_ids: readonly string[];
}

export interface SkillLists {
  readonly category: readonly Skill[];
  readonly tags: readonly Skill[];
}

interface GrowingSkill extends Skill {
  readonly values: Record<string, string>;
  readonly category_ids: string[];
}

const KNOWN = new WeakMap<Store, { readonly revision: number; readonly lists: SkillLists }>();

/**
 * Lists each category and skill in master CVs once, because the account has no list of its own. This reads all CVs, so the
 * lists are cached until a CV changes.
 */
export function listSkills({ store }: World): SkillLists {
  const { revision } = store.cvs;
  const known = KNOWN.get(store);
  if (known?.revision === revision) return known.lists;
  const lists = collectSkills(store.cvs.each());
  KNOWN.set(store, { revision, lists });
  return lists;
}

function collectSkills(cvs: Iterable<CvDocument>): SkillLists {
  const category = createVocabulary('category');
  const tags = createVocabulary('tags');
  function addSkill({ texts }: PartDocument, holder?: Skill): void {
    const skill = tags.add(texts.tags);
    if (holder && skill && !skill.category_ids.includes(holder.id)) skill.category_ids.push(holder.id);
  }
  function addTechnology({ texts, parts }: SectionDocument): void {
    const holder = category.add(texts.category);
    for (const part of parts.technology_skills ?? []) addSkill(part, holder);
  }
  for (const { proposal_id, sections } of cvs) {
    if (proposal_id !== null) continue;
    for (const section of sections.technologies ?? []) addTechnology(section);
    for (const { parts } of sections.project_experiences ?? []) {
      for (const part of parts.project_experience_skills ?? []) addSkill(part);
    }
  }
  return { category: category.skills, tags: tags.skills };
}

/** Creates a list of records. Texts that are equal in one language become one record with the languages of all of them. */
function createVocabulary(field: keyof SkillLists) {
  const skills: GrowingSkill[] = [];
  const byText = new Map<string, GrowingSkill>();
  function add(texts: Texts = {}): GrowingSkill | undefined {
    const named = Object.entries(texts).filter(([, text]) => text.trim() !== '');
    const keys = named.map(([code, text]) => `${code} ${text.trim()}`);
    const [first] = keys;
    if (first === undefined) return undefined;
    let skill = keys.map((key) => byText.get(key)).find((one) => one !== undefined);
    if (skill === undefined) {
      const id = sha256(`technologies ${field} ${first}`).slice(0, 24);
      skill = { id, values: {}, external_unique_id: null, category_ids: [] };
      skills.push(skill);
    }
    for (const [code, text] of named) skill.values[code] ??= text.trim();
    for (const key of keys) if (!byText.has(key)) byText.set(key, skill);
    return skill;
  }
  return { skills, add };
}
