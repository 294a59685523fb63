import { foldText, type Texts } from '../fields/languages.js';
import { isSectionType } from '../fields/section-kinds.js';
import type { CvDocument } from './cv-documents.js';
import type { UserDocument } from './documents.js';
import type { ProjectDocument } from './project-documents.js';

function listTexts(texts: Readonly<Record<string, Texts>>): string[] {
  return Object.values(texts).flatMap((text) => Object.values(text));
}

function fold(texts: readonly (string | null)[]): string {
  return foldText(texts.filter((text) => text !== null && text !== '').join('\n'));
}

/** Returns the text of a person for the CV search. */
export function foldUser(user: UserDocument): string {
  const { place_of_residence: place } = user;
  const places = typeof place === 'string' ? [place] : Object.values(place ?? {});
  const texts = listTexts({ name: user.name_multilang, title: user.title, nationality: user.nationality });
  return fold([user.name, user.email, user.external_unique_id, ...texts, ...places]);
}

/** Returns the text of the sections for the CV search, of all types or only one. */
export function foldCv(cv: Pick<CvDocument, 'sections'>, onlyType?: string): string {
  const sections = Object.entries(cv.sections)
    .filter(([type]) => onlyType === undefined || type === onlyType)
    .flatMap(([, list]) => list);
  return fold(
    sections.flatMap((section) => [
      ...listTexts(section.texts),
      section.external_unique_id,
      ...Object.values(section.parts).flatMap((parts) => parts.flatMap((part) => listTexts(part.texts))),
    ]),
  );
}

/** Lists the names of skills, one per line, for matches of complete names. */
export function listSkillNames(cv: Pick<CvDocument, 'sections'>): string {
  const skills = [
    ...(cv.sections.technologies ?? []).flatMap((section) => section.parts.technology_skills ?? []),
    ...(cv.sections.project_experiences ?? []).flatMap((section) => section.parts.project_experience_skills ?? []),
  ];
  const names = new Set(skills.flatMap((skill) => Object.values(skill.texts.tags ?? {})));
  return names.size === 0 ? '' : `\n${[...names].join('\n')}\n`;
}

export function foldProject(project: ProjectDocument): string {
  return fold([...listTexts(project.texts), project.strings.external_unique_id ?? null]);
}

/** Returns the text of a field named in a search. The field is a section type of a CV, or else a field of a user. */
export function readFieldText(body: string, field: string): string {
  const document = JSON.parse(body) as Record<string, unknown>;
  if (isSectionType(field)) return foldCv(document as unknown as CvDocument, field);
  const value = Object.hasOwn(document, field) ? document[field] : null;
  if (typeof value === 'string' || typeof value === 'number') return foldText(String(value));
  return typeof value === 'object' && value !== null ? fold(Object.values(value).map(String)) : '';
}
