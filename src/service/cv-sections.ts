import type { Json, Multilingual } from '../model/json.js';
import { type COMMON_FIELDS, type OwnFields, SECTIONS, type SectionType } from '../model/sections.js';
import type { Reads, Writes, Writing } from './answer.js';
import type { CvKey } from './record-keys.js';
import { sectionSchema, type WireSection } from './wire-cv.js';

interface SectionValues {
  readonly multilingual: Multilingual;
  readonly text: string | null;
  readonly flag: boolean;
  readonly integer: number;
}

/** The fields of a section of one kind: its own and the common ones, under the service's names (spec, CV sections). */
export type SectionFields<T extends SectionType> = OwnFields<T, SectionValues> & {
  readonly [F in keyof typeof COMMON_FIELDS]?: SectionValues[(typeof COMMON_FIELDS)[F]];
} & {
  /** Unique across the sections of the CV. */
  readonly external_unique_id?: string | null;
};

/**
 * The changed fields, and the `version` that was read. Without the current version, the service answers 409. For a
 * hard-linked project experience, the inherited fields may not be sent (spec, Project linking 7).
 */
export type SectionUpdate<T extends SectionType> = SectionFields<T> & { readonly version: number };

export function createCvSectionsReader(read: Reads) {
  return {
    /** Reads a section; null if there is no such section. */
    get<T extends SectionType>(
      { userId, cvId }: CvKey,
      type: T,
      sectionId: string,
      signal?: AbortSignal,
    ): Promise<WireSection<T> | null> {
      return read.record('getCvSection', sectionSchema(type), { path: [userId, cvId, type, sectionId], signal });
    },
  };
}

export function createCvSectionsWriter(send: Writes) {
  return {
    /** Only fields with a value are needed. */
    create<T extends SectionType>(
      { userId, cvId }: CvKey,
      type: T,
      section: SectionFields<T>,
      signal?: AbortSignal,
    ): Writing<WireSection<T>> {
      const body = wrapSection(type, section);
      return send.record('createCvSection', sectionSchema(type), { path: [userId, cvId, type], body, signal });
    },
    /** The service answers 409 if it has a newer version; the caller must then read the section again. */
    // biome-ignore lint/complexity/useMaxParams: public clients pass these parameters one by one
    update<T extends SectionType>(
      { userId, cvId }: CvKey,
      type: T,
      sectionId: string,
      section: SectionUpdate<T>,
      signal?: AbortSignal,
    ): Writing<WireSection<T>> {
      const body = wrapSection(type, section);
      return send.record('updateCvSection', sectionSchema(type), {
        path: [userId, cvId, type, sectionId],
        body,
        signal,
      });
    },
    delete: ({ userId, cvId }: CvKey, type: SectionType, sectionId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteCvSection', { path: [userId, cvId, type, sectionId], signal }),
  };
}

function wrapSection<T extends SectionType>(type: T, section: SectionFields<T>): Json {
  // Every field value is JSON, but TypeScript cannot derive that from a mapped type.
  return { [SECTIONS[type].wrapper]: section as unknown as Json };
}
