import type { TextFields, TextValues } from '../fields/text-fields.js';
import type { ImageDocument } from './documents.js';

/** An entry of a project, such as a challenge, a link or a contact. ENTRIES lists its fields. */
export interface EntryDocument extends TextValues {
  readonly id: string;
  readonly disabled: boolean;
  readonly version: number;
}

export interface EntryKindFields extends TextFields {
  /** Key that wraps the body of create and update. */
  readonly wrapper: string;
  /** Set if a new project has one empty entry of this kind (spec, Project rules 2). */
  readonly isGiven?: true;
}

const VARIANT = { texts: ['label', 'value'], strings: [], isGiven: true } as const;

/** Sub-resources of a project that behave in the same way. The last two kinds are not in the spec and follow the others. */
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

const PROJECT_TEXTS = [
  'project_name',
  'project_description',
  'project_introduction',
  'project_notes',
  'project_skills_description',
  'type',
  'contract_type',
];

const PROJECT_STRINGS = [
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
];

export const PROJECT_FIELDS: TextFields = { texts: PROJECT_TEXTS, strings: PROJECT_STRINGS };

/** Kinds of images, which are read-only in the interface (spec, Reference project). */
export const IMAGE_KINDS = [
  'project_introduction_images',
  'project_challenges_images',
  'project_solutions_images',
  'customer_value_propositions_images',
] as const;

export type ImageKind = (typeof IMAGE_KINDS)[number];

export interface ProjectDocument extends TextValues {
  readonly id: string;
  readonly company_customer_id: string;
  readonly workflow_stage: string;
  readonly version: number;
  readonly entries: Readonly<Record<EntryKind, readonly EntryDocument[]>>;
  readonly attachments: readonly AttachmentDocument[];
  readonly images?: Readonly<Partial<Record<ImageKind, readonly ImageDocument[]>>>;
  readonly owner_ids: readonly string[];
  readonly office_ids: readonly string[];
  readonly custom_tag_ids: readonly string[];
  /** Field name → the value as in responses, without `name` and `type`. */
  readonly custom_fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly created_at: number;
  readonly updated_at: number;
}

/** An attachment. The FileDocument with the same id contains its bytes. */
export interface AttachmentDocument {
  readonly id: string;
  readonly file_name: string;
  readonly content_type: string;
  readonly size: number;
  readonly created_at: number;
}

/** A copy of a project at the time when it was added to a proposal. */
export interface TailoredReferenceDocument {
  readonly id: string;
  readonly proposal_id: string;
  readonly status: string | null;
  readonly project: ProjectDocument;
}
