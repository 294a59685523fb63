import type { Texts } from './languages.js';

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
  readonly place_of_residence: string | null;
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

/** A project challenge, a project solution or a customer value proposition. */
export interface EntryDocument {
  readonly id: string;
  readonly label: Texts;
  readonly value: Texts;
  readonly disabled: boolean;
  readonly version: number;
}

export const ENTRY_KINDS = ['project_challenges', 'project_solutions', 'customer_value_propositions'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

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
  readonly contact_ids: readonly string[];
  readonly owner_ids: readonly string[];
  readonly office_ids: readonly string[];
  readonly custom_tag_ids: readonly string[];
  /** Field name → the value as rendered, without `name` and `type`. */
  readonly custom_fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
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
  readonly reason: 'created' | 'reactivated' | 'email_changed';
}
