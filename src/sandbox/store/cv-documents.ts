import type { Texts } from '../fields/languages.js';
import type { CV_FIELDS } from '../fields/plain-fields.js';
import type { PartType, SectionName } from '../fields/section-kinds.js';
import type { TextValues } from '../fields/text-fields.js';
import type { ImageDocument, UserDocument } from './documents.js';

/** The personal part of a CV. A master CV uses the personal data of the user instead. */
export type CvProfile = Pick<
  UserDocument,
  keyof typeof CV_FIELDS | 'name' | 'name_multilang' | 'place_of_residence' | 'twitter'
>;

/** A master CV of a user, or a tailored CV in a proposal. A user without a stored CV has an empty master CV. */
export interface CvDocument {
  readonly id: string;
  readonly user_id: string;
  /** Id of the proposal of a tailored CV; null for a master CV. */
  readonly proposal_id: string | null;
  /** Status of a tailored CV; null for a master CV. */
  readonly status: string | null;
  readonly profile: CvProfile | null;
  readonly version: number;
  readonly sections: Readonly<Partial<Record<SectionName, readonly SectionDocument[]>>>;
  /** The different roles of the project experiences, by name. */
  readonly cv_roles: readonly { readonly id: string; readonly name: Texts }[];
  readonly custom_tag_ids: readonly string[];
  /** Section type → time of the last change by the owner. */
  readonly owner_updated: Readonly<Record<string, number>>;
  readonly owner_updated_at: number | null;
  readonly last_modified_by: { readonly id: string; readonly name: string } | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Fields that sections and their parts have in common. */
interface ItemDocument extends TextValues {
  readonly id: string;
  readonly order: number;
  readonly starred: boolean;
  readonly disabled: boolean;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface SectionDocument extends ItemDocument {
  readonly parts: Readonly<Partial<Record<PartType, readonly PartDocument[]>>>;
  readonly external_unique_id: string | null;
  readonly owner_updated_at: number | null;
  readonly recently_added: boolean;
  /** For technologies only. */
  readonly uncategorized?: boolean;
  /** For project experiences only. */
  readonly exclude_tags?: boolean | readonly string[];
  /** For project experiences only. A hard link shows the pictures of the project's introduction instead. */
  readonly images?: readonly ImageDocument[];
  /** The reference project that the experience was added from, either as a copy or as a link that always reads the project. */
  readonly origin?: { readonly isLinked: boolean; readonly project_id: string; readonly customer_id: string };
}

export interface PartDocument extends ItemDocument {
  readonly numbers: Readonly<Record<string, number | null>>;
  readonly cv_role_id: string | null;
  readonly modifier_id: string | null;
}

/** A hard link. `id` is the id of the project experience. */
export interface LinkDocument {
  readonly id: string;
  readonly cv_id: string;
  readonly project_id: string;
}
