import type { Texts } from './languages.js';
import type { PartType, SectionType } from './section-kinds.js';

/**
 * What the store keeps. Multilingual texts are in ISO codes, times in milliseconds (`profile_updated_at` in whole
 * seconds, its precision in the spec), references are ids; everything else that the wire shows is derived.
 */
export interface CountryDocument {
  readonly id: string;
  readonly code: string;
  readonly native_language_code: string;
  readonly override_ui_language_code: string | null;
  readonly cv_template_id: string | null;
  readonly cv_template_type: string | null;
}

export interface OfficeDocument {
  readonly id: string;
  readonly country_id: string;
  readonly name: string;
  readonly override_language_code: string | null;
}

export interface UserDocument {
  readonly id: string;
  readonly email: string;
  readonly external_unique_id: string | null;
  readonly upn: string | null;
  readonly name: string;
  readonly name_multilang: Texts;
  readonly telephone: string | null;
  readonly landline: string | null;
  readonly title: Texts;
  readonly nationality: Texts;
  readonly born_year: number | null;
  /** A string, or texts once it was set through the CV (spec, User: string or ml). */
  readonly place_of_residence: string | Texts | null;
  readonly twitter: string | null;
  readonly override_language_code: string | null;
  readonly default_cv_id: string;
  readonly deactivated_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly profile_updated_at: number;
  readonly role: string;
  readonly extra_roles: readonly string[];
  readonly role_allowed_office_ids: readonly string[];
  readonly role_allowed_tag_ids: readonly string[];
  readonly office_id: string;
  readonly country_id: string;
  readonly custom_tag_ids: readonly string[];
}

export interface CategoryDocument {
  readonly id: string;
  readonly values: Texts;
  readonly external_unique_id: string | null;
  readonly can_be_used_for_cvs: boolean;
  readonly can_be_used_for_references: boolean;
  readonly can_be_used_for_customers: boolean;
  readonly allow_filtering: boolean;
  readonly lock_for_integrations: boolean;
}

export interface TagDocument {
  readonly id: string;
  readonly values: Texts;
  readonly external_unique_id: string | null;
  readonly category_id: string;
}

export interface IndustryDocument {
  readonly id: string;
  readonly values: Texts;
  readonly external_unique_id: string | null;
}

export interface CustomerDocument {
  readonly id: string;
  readonly external_unique_id: string | null;
  readonly customer_name: Texts;
  readonly customer_description: Texts;
  readonly customer_url: string | null;
  readonly industry_id: string | null;
  readonly custom_tag_ids: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
}

/** An entry of a project: a challenge, a link, a contact …; which fields it has says ENTRIES. */
export interface EntryDocument {
  readonly id: string;
  readonly texts: Readonly<Record<string, Texts>>;
  readonly strings: Readonly<Record<string, string | null>>;
  readonly disabled: boolean;
  readonly version: number;
}

export interface EntryKindFields {
  /** Key around the body of create and update. */
  readonly wrapper: string;
  readonly texts: readonly string[];
  readonly strings: readonly string[];
  /** A new project has one empty entry (spec, Project rules 2). */
  readonly isGiven?: true;
}

const VARIANT = { texts: ['label', 'value'], strings: [], isGiven: true } as const;

/** Sub-resources of a project that behave alike. Those of the last two kinds are not shown in the spec: natural forms. */
export const ENTRIES = {
  project_challenges: { wrapper: 'project_challenge', ...VARIANT },
  project_solutions: { wrapper: 'project_solution', ...VARIANT },
  customer_value_propositions: { wrapper: 'customer_value_proposition', ...VARIANT },
  project_links: { wrapper: 'project_link', texts: ['label'], strings: ['url'] },
  customer_contacts: {
    wrapper: 'customer_contact',
    texts: [],
    strings: ['name', 'title', 'email', 'telephone'],
    isGiven: true,
  },
  company_project_skills: { wrapper: 'company_project_skill', texts: ['tags'], strings: [] },
} as const satisfies Record<string, EntryKindFields>;

export type EntryKind = keyof typeof ENTRIES;
export const ENTRY_KINDS = Object.keys(ENTRIES) as readonly EntryKind[];

export const PROJECT_TEXTS = [
  'project_name',
  'project_description',
  'project_introduction',
  'project_notes',
  'project_skills_description',
  'type',
  'contract_type',
] as const;

export const PROJECT_STRINGS = [
  'external_unique_id',
  'architect',
  'area_amt',
  'area_unit',
  'building_owner',
  'collaborating_partners',
  'project_address',
  'extent',
  'extent_amt',
  'total_extent_amt',
  'total_extent_hours',
  'extent_hours_new',
  'extent_currency',
  'total_extent_currency',
  'location_country_code',
  'month_from',
  'year_from',
  'month_to',
  'year_to',
] as const;

export interface ProjectDocument {
  readonly id: string;
  readonly company_customer_id: string;
  readonly texts: Readonly<Record<string, Texts>>;
  readonly strings: Readonly<Record<string, string | null>>;
  readonly workflow_stage: string;
  readonly version: number;
  readonly entries: Readonly<Record<EntryKind, readonly EntryDocument[]>>;
  readonly attachments: readonly AttachmentDocument[];
  readonly owner_ids: readonly string[];
  readonly office_ids: readonly string[];
  readonly custom_tag_ids: readonly string[];
  /** Field name → the value as rendered, without `name` and `type`. */
  readonly custom_fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The bytes are a FileDocument of the same id. */
export interface AttachmentDocument {
  readonly id: string;
  readonly file_name: string;
  readonly content_type: string;
  readonly size: number;
  readonly created_at: number;
}

export interface FileDocument {
  readonly id: string;
  readonly file_name: string;
  readonly content_type: string;
  readonly base64: string;
}

/** The personal part of a CV. A master CV has none of its own: it is the user's. */
export type CvProfile = Pick<
  UserDocument,
  | 'name'
  | 'name_multilang'
  | 'title'
  | 'nationality'
  | 'place_of_residence'
  | 'born_year'
  | 'telephone'
  | 'landline'
  | 'twitter'
>;

/** A master CV (of a user) or a tailored one (in a proposal). A user without one has an empty master CV. */
export interface CvDocument {
  readonly id: string;
  readonly user_id: string;
  /** Of a tailored CV; null on a master CV. */
  readonly proposal_id: string | null;
  /** Of a tailored CV. */
  readonly status: string | null;
  readonly profile: CvProfile | null;
  readonly version: number;
  readonly sections: Readonly<Partial<Record<SectionType, readonly SectionDocument[]>>>;
  /** The different roles of the project experiences, by name. */
  readonly cv_roles: readonly { readonly id: string; readonly name: Texts }[];
  readonly custom_tag_ids: readonly string[];
  /** Section type → when its owner last changed it. */
  readonly owner_updated: Readonly<Record<string, number>>;
  readonly owner_updated_at: number | null;
  readonly last_modified_by: { readonly id: string; readonly name: string } | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SectionDocument {
  readonly id: string;
  readonly texts: Readonly<Record<string, Texts>>;
  readonly strings: Readonly<Record<string, string | null>>;
  readonly parts: Readonly<Partial<Record<PartType, readonly PartDocument[]>>>;
  readonly starred: boolean;
  readonly disabled: boolean;
  readonly version: number;
  readonly external_unique_id: string | null;
  readonly order: number;
  readonly owner_updated_at: number | null;
  readonly recently_added: boolean;
  readonly created_at: number;
  readonly updated_at: number;
  /** Of technologies. */
  readonly uncategorized?: boolean;
  /** Of project experiences. */
  readonly exclude_tags?: boolean | readonly string[];
  /** Where a project experience was added from a reference project: copied once, or read from it ever after. */
  readonly origin?: { readonly isLinked: boolean; readonly project_id: string; readonly customer_id: string };
}

/** A role, a skill or a contact of a section. */
export interface PartDocument {
  readonly id: string;
  readonly texts: Readonly<Record<string, Texts>>;
  readonly strings: Readonly<Record<string, string | null>>;
  readonly numbers: Readonly<Record<string, number | null>>;
  readonly order: number;
  readonly starred: boolean;
  readonly disabled: boolean;
  readonly version: number;
  readonly cv_role_id: string | null;
  readonly modifier_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A hard link: `id` is that of the project experience. */
export interface LinkDocument {
  readonly id: string;
  readonly cv_id: string;
  readonly project_id: string;
}

export const PROPOSAL_STATUSES = ['initial', 'editing', 'finalised', 'submitted', 'won', 'lost'] as const;

/** Someone in a proposal: a user, or an API user (a key). */
export interface Party {
  readonly type: 'user' | 'api_user';
  readonly id: string;
}

export interface ProposalDocument {
  readonly id: string;
  readonly name: string;
  readonly archived: boolean;
  readonly status: string;
  readonly owner: Party;
  readonly collaborators: readonly Party[];
  readonly created_at: number;
  readonly updated_at: number;
}

/** A project as it was when it was taken into a proposal. */
export interface TailoredReferenceDocument {
  readonly id: string;
  readonly proposal_id: string;
  readonly status: string | null;
  readonly project: ProjectDocument;
}

export interface ReportDocument {
  readonly id: string;
  readonly kind: 'cvs' | 'references';
  readonly state: 'started' | 'finished';
  readonly downloader_id: string;
  readonly total: number;
  readonly processed: number;
  /** What was asked for, checked when the report was started. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An accepted CSV upload: kept with its file until processed, so that a restart does not lose what was answered 200. */
export interface ImportDocument {
  readonly id: string;
  readonly config: string;
  readonly dry_run: boolean;
  readonly file: string;
  readonly state: 'waiting' | 'finished';
  readonly created: number;
  readonly updated: number;
  readonly deactivated: number;
  readonly problems: readonly string[];
}

/** An e-mail that the service would have sent. */
export interface MailDocument {
  readonly id: string;
  readonly to: string;
  readonly at: number;
  readonly reason: 'created' | 'reactivated' | 'email_changed' | 'linked';
}
