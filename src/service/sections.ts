import type { Multilingual } from '../model/json.js';
import type { FieldKind, SECTIONS, SectionType } from '../model/sections.js';

interface SectionWriting {
  readonly multilingual: Multilingual;
  readonly text: string | null;
  readonly flag: boolean;
}

/** Taken on every section (spec, CV sections); any `order` will do, gaps and ties included. */
export interface CommonSectionFields {
  readonly starred?: boolean;
  readonly disabled?: boolean;
  /** Unique across the sections of the CV. */
  readonly external_unique_id?: string | null;
  readonly order?: number;
}

/** What a section of one kind can be given: own and common fields, under the names the service takes. */
export type SectionFields<T extends SectionType> = CommonSectionFields & {
  readonly [F in keyof (typeof SECTIONS)[T]['fields']]?: (typeof SECTIONS)[T]['fields'][F] extends FieldKind
    ? SectionWriting[(typeof SECTIONS)[T]['fields'][F]]
    : never;
};

/**
 * Only changed fields, and the `version` as read: without it, or with an older one, the answer is 409. On a hard-linked
 * project experience the inherited fields may not be sent (spec, Project linking 7).
 */
export type SectionUpdate<T extends SectionType> = SectionFields<T> & { readonly version: number };
