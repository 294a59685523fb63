import type { Texts } from '../fields/languages.js';
import type {
  CATEGORY_FIELDS,
  COUNTRY_FIELDS,
  CUSTOMER_FIELDS,
  PlainValues,
  USER_FIELDS,
} from '../fields/plain-fields.js';

/**
 * The stored documents. Multilingual texts use ISO codes. Times are in milliseconds, except `profile_updated_at`, which is in
 * seconds as in the spec. References are ids. All other content of responses is derived.
 */
export interface CountryDocument extends PlainValues<typeof COUNTRY_FIELDS> {
  readonly id: string;
  readonly code: string;
  readonly native_language_code: string;
  readonly override_ui_language_code: string | null;
}

export interface OfficeDocument {
  readonly id: string;
  readonly country_id: string;
  readonly name: string;
  readonly override_language_code: string | null;
  /** The default template of documents; if it is unset, that of the country applies. */
  readonly cv_template_id?: string | null;
}

export interface UserDocument extends PlainValues<typeof USER_FIELDS> {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly name_multilang: Texts;
  /** A string, or texts after it was set through the CV (spec, User: string or ml). */
  readonly place_of_residence: string | Texts | null;
  readonly twitter: string | null;
  readonly override_language_code: string | null;
  readonly default_cv_id: string;
  readonly deactivated_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly profile_updated_at: number;
  /** Time of the last change to anything that the master CV shows. Unset for users that were stored before this field existed. */
  readonly profile_shown_at?: number;
  readonly role: string;
  readonly extra_roles: readonly string[];
  readonly role_allowed_office_ids: readonly string[];
  readonly role_allowed_tag_ids: readonly string[];
  readonly office_id: string;
  readonly country_id: string;
  readonly custom_tag_ids: readonly string[];
  /** Id of the file with the picture. */
  readonly image_id?: string | null;
}

export interface CategoryDocument extends PlainValues<typeof CATEGORY_FIELDS> {
  readonly id: string;
  readonly values: Texts;
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

export interface CustomerDocument extends PlainValues<typeof CUSTOMER_FIELDS> {
  readonly id: string;
  readonly customer_name: Texts;
  readonly industry_id: string | null;
  /** Number of times that the fields were saved. */
  readonly version: number;
  readonly custom_tag_ids: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
}

/** A file. Its parts contain the bytes. */
export interface FileDocument {
  readonly id: string;
  readonly file_name: string;
  readonly content_type: string;
  /** Size in bytes. */
  readonly size: number;
  readonly parts: number;
}

export interface FilePartDocument {
  readonly id: string;
  readonly file_id: string;
  readonly base64: string;
}

/** A picture in a record. The file `image_id` contains its bytes. */
export interface ImageDocument {
  readonly id: string;
  readonly image_id: string;
  readonly caption: Texts;
}

export const PROPOSAL_STATUSES = ['initial', 'editing', 'finalised', 'submitted', 'won', 'lost'] as const;

/** A party of a proposal: a user, or an API user, which is a key. */
export interface PartyDocument {
  readonly type: 'user' | 'api_user';
  readonly id: string;
}

export interface ProposalDocument {
  readonly id: string;
  readonly name: string;
  readonly archived: boolean;
  readonly status: string;
  readonly owner: PartyDocument;
  readonly collaborators: readonly PartyDocument[];
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ReportDocument {
  readonly id: string;
  readonly kind: 'cvs' | 'references';
  readonly state: 'started' | 'finished';
  readonly downloader_id: string;
  readonly total: number;
  readonly processed: number;
  /** The request, which was validated when the report was started. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An accepted CSV upload. The file is kept until it is processed, so that a restart does not lose it. */
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
