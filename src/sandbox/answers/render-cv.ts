import type { World } from '../account/world.js';
import { canWriteCv } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { pickText, type Texts, toWireCode, toWireTexts } from '../fields/languages.js';
import { CV_FIELDS, renderFields } from '../fields/plain-fields.js';
import { SECTION_TYPES } from '../fields/section-kinds.js';
import { cvUpdatedAt, listCvTags, type OwnedCv, profileOf } from '../records/cvs.js';
import { languageOf } from '../records/places.js';
import type { CvDocument } from '../store/cv-documents.js';
import { companyId, cvExtras, ITEM_EXTRAS, listLanguages, PREVIEW_EXTRAS, WHOLE_CV_EXTRAS } from './client-fields.js';
import { renderSection } from './render-section.js';
import { renderRecordTags } from './render-tags.js';
import { renderUserImage } from './render-user.js';
import { toStamp } from './stamps.js';

export function renderCv(call: Call, owned: OwnedCv): object {
  const { world, mode } = call;
  const { cv, user } = owned;
  const profile = profileOf(owned);
  const tagIds = listCvTags(world, owned);
  const sections: Record<string, readonly object[]> = {};
  for (const type of SECTION_TYPES)
    sections[type] = (cv.sections[type] ?? []).map((section) => renderSection(call, type, section));
  const ownerStamp = cv.owner_updated_at === null ? null : toStamp(world, cv.owner_updated_at);
  return {
    _id: cv.id,
    user_id: user.id,
    bruker_id: user.id,
    company_id: companyId(world),
    external_unique_id: user.external_unique_id,
    email: user.email,
    name: profile.name,
    navn: profile.name,
    name_multilang: toWireTexts(profile.name_multilang, mode),
    place_of_residence: toWireTexts(readPlace(world, owned), mode),
    telefon: profile.telephone,
    twitter: profile.twitter,
    image: renderUserImage(call, user),
    version: cv.version,
    default: cv.proposal_id === null,
    cv_roles: renderCvRoles(call, owned),
    highlighted_roles: [],
    custom_tag_ids: tagIds,
    custom_tags: renderRecordTags(world, tagIds, 'can_be_used_for_cvs', mode),
    created_at: toStamp(world, cv.created_at),
    updated_at: toStamp(world, cvUpdatedAt(owned)),
    owner_updated_at: ownerStamp,
    owner_updated_at_significant: ownerStamp,
    can_write: canWriteCv(call, user),
    // Spread values come last, for the reason given in render-user.ts.
    ...WHOLE_CV_EXTRAS,
    ...cvExtras(world, owned),
    ...renderFields(CV_FIELDS, profile, mode),
    ...renderLanguages(call, owned),
    ...sections,
    ...renderCvAge(world, owned),
    ...renderTailoring(world, cv),
  };
}

function renderCvAge(world: World, owned: OwnedCv) {
  return { updated_ago: describeAge(world.clock.now() - cvUpdatedAt(owned)) };
}

function renderTailoring({ store }: World, { proposal_id: id }: CvDocument) {
  const name = store.proposals.get(id ?? '')?.name ?? null;
  return { tilbud_id: id, proposal: id === null ? null : { _id: id, id, name } };
}

/** Renders each role with the project experiences in which the person had it. */
function renderCvRoles({ mode }: Call, { cv }: OwnedCv): readonly object[] {
  return cv.cv_roles.map(({ id, name }) => {
    const project_experiences = (cv.sections.project_experiences ?? []).flatMap((section) => {
      const roles = (section.parts.roles ?? []).filter((part) => part.cv_role_id === id);
      if (roles.length === 0) return [];
      return [{ ...ITEM_EXTRAS, _id: section.id, roles: roles.map((part) => ({ _id: part.id })) }];
    });
    const years = { years_of_experience: 0, years_of_experience_offset: 0 };
    return { ...ITEM_EXTRAS, _id: id, name: toWireTexts(name, mode), ...years, project_experiences };
  });
}

/** Reads the place. It is multilingual on a CV, so a plain string counts as a text in the user's language. */
function readPlace(world: World, owned: OwnedCv): Texts {
  const { place_of_residence: place } = profileOf(owned);
  if (typeof place !== 'string') return place ?? {};
  return { [languageOf(world, owned.user) ?? 'en']: place };
}

function renderLanguages({ world, mode }: Call, { user }: OwnedCv): object {
  const language = languageOf(world, user);
  return {
    country_code: world.store.countries.get(user.country_id)?.code ?? null,
    language_code: language === undefined ? null : toWireCode(language, mode),
    language_codes: listLanguages(world, mode),
  };
}

/** Renders the `cv` of a search result (spec, CV, Search preview). */
export function renderCvPreview(call: Call, owned: OwnedCv): object {
  const { world, mode } = call;
  const { cv, user } = owned;
  const profile = profileOf(owned);
  return {
    _id: cv.id,
    id: cv.id,
    user_id: user.id,
    bruker_id: user.id,
    name: profile.name,
    navn: profile.name,
    name_multilang: toWireTexts(profile.name_multilang, mode),
    telephone: profile.telephone,
    office_id: user.office_id,
    country_id: user.country_id,
    is_external: user.role === 'external',
    is_deactivated: user.deactivated_at !== null,
    custom_tag_ids: listCvTags(world, owned),
    image: renderUserImage(call, user),
    title: pickText(profile.title, languageOf(world, user) ?? 'en'),
    titles: toWireTexts(profile.title, mode),
    email: user.email,
    company_id: companyId(world),
    updated_at: toStamp(world, cvUpdatedAt(owned)),
    owner_updated_at: cv.owner_updated_at === null ? null : toStamp(world, cv.owner_updated_at),
    ...PREVIEW_EXTRAS,
    ...cvExtras(world, owned),
    ...renderCvAge(world, owned),
    ...renderLanguages(call, owned),
  };
}

export function renderCvMetadata({ world }: Call, owned: OwnedCv, isDetailed: boolean): object {
  const { cv } = owned;
  const updated = cvUpdatedAt(owned);
  const sections = Object.entries(cv.owner_updated).map(([type, stamp]) => [type, toStamp(world, stamp)]);
  return {
    _id: cv.id,
    id: cv.id,
    updated_ago: describeAge(world.clock.now() - updated),
    updated_at: toStamp(world, updated),
    owner_updated_at: cv.owner_updated_at === null ? null : toStamp(world, cv.owner_updated_at),
    last_modified_by: cv.last_modified_by,
    ...(isDetailed ? { owner_updated: Object.fromEntries(sections) } : {}),
  };
}

const UNITS: readonly [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Describes an age for readers: `3 hours`. */
export function describeAge(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length);
  if (!unit) return 'less than a minute';
  const count = Math.floor(ms / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? '' : 's'}`;
}
