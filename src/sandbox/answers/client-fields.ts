import { sha256 } from '../../model/sha256.js';
import type { AccountSettings } from '../account/account-settings.js';
import type { World } from '../account/world.js';
import { type CodeMode, toWireCode } from '../fields/languages.js';
import type { OwnedCv } from '../records/cvs.js';
import type { UserDocument } from '../store/documents.js';

/**
 * Fields that the specification does not contain, but that the models of existing clients require. Without them, these clients
 * fail at the first response. A field without a value is null or has the value of a new account. docs/reference/sandbox.md
 * lists the fields.
 */

/** Ids that are derived from the account's name. */
interface CompanyNames {
  readonly id: string;
  readonly templateId: string;
}

const COMPANIES = new WeakMap<AccountSettings, CompanyNames>();

function companyOf({ account }: World): CompanyNames {
  const known = COMPANIES.get(account);
  if (known !== undefined) return known;
  const idOf = (text: string): string => sha256(text).slice(0, 24);
  const made = { id: idOf(account.subdomain), templateId: idOf(`template of ${account.subdomain}`) };
  COMPANIES.set(account, made);
  return made;
}

export function companyId(world: World): string {
  return companyOf(world).id;
}

export function userExtras(world: World, user: UserDocument, mode: CodeMode) {
  const languages = listLanguages(world, mode);
  return {
    _id: user.id,
    company_id: companyId(world),
    company_name: world.account.subdomain,
    company_subdomains: [world.account.subdomain],
    company_group_ids: [],
    language_codes: languages,
    masterdata_languages: languages,
    international_toggle: 'expand',
    preferred_download_format: 'pdf',
    expand_proposals_toggle: false,
    selected_office_ids: [],
    selected_tag_ids: [],
    include_officeless_reference_projects: false,
    default_cv_template_id: templateOf(world, user),
  };
}

export function listLanguages({ account }: World, mode: CodeMode): readonly string[] {
  return account.languages.map((code) => toWireCode(code, mode));
}

function templateOf(world: World, user: UserDocument): string {
  const { store, account } = world;
  const office = store.offices.get(user.office_id)?.cv_template_id;
  const country = store.countries.get(user.country_id)?.cv_template_id;
  return office ?? country ?? account.default_template_id ?? companyOf(world).templateId;
}

/** Additional fields of the CV and of its preview. */
export function cvExtras(world: World, { user }: OwnedCv) {
  return {
    default_word_template_id: templateOf(world, user),
    default_ppt_template_id: null,
    template_document_type: 'word',
  };
}

export const WHOLE_CV_EXTRAS = {
  born_day: null,
  born_month: null,
  imported_date: null,
  level: null,
  locked_at: null,
  locked_until: null,
  modifier_id: null,
  order: null,
} as const;

export const PREVIEW_EXTRAS = {
  default_word_json_template_id: null,
  default_indesign_template_id: null,
  status: null,
} as const;

/** Additional fields of sections, roles and the roles of a CV. They show that nothing is inherited from another record. */
export const ITEM_EXTRAS = { modifier_id: null, origin_id: null, diverged_from_master: false } as const;

/** Section type → its additional fields. */
export const SECTION_EXTRAS: Readonly<Record<string, object>> = {
  certifications: { attachments: [] },
  courses: { attachments: [] },
  educations: { attachments: [] },
  positions: { roles: [], years_of_experience: null },
  project_experiences: { customer_selected: 'customer', related_work_experience_id: null },
  technologies: { exclude_tags: [] },
};

/** Additional fields of a country or an office. `selected` is a selection on the service's own pages. */
export function placeExtras(id: string, wordTemplateId: string | null) {
  return { id, selected: false, default_word_template_id: wordTemplateId, default_ppt_template_id: null };
}
