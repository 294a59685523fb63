import type { Json } from '../model/json.js';
import { SECTIONS, type SectionType } from '../model/sections.js';
import type { Reads, Writes, Writing } from './answer.js';
import type { CvKey } from './record-keys.js';
import type { SectionFields, SectionUpdate } from './sections.js';
import { sectionSchema, type WireSection } from './wire-cv.js';

export function createCvSectionsReader(read: Reads) {
  return {
    /** null: no such section. */
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
    /** Only what has a value need be given. */
    create<T extends SectionType>(
      { userId, cvId }: CvKey,
      type: T,
      section: SectionFields<T>,
      signal?: AbortSignal,
    ): Writing<WireSection<T>> {
      const body = wrapSection(type, section);
      return send.record('createCvSection', sectionSchema(type), { path: [userId, cvId, type], body, signal });
    },
    /** 409: the version is not the one of the service any more; read it again. */
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
      send.only('deleteCvSection', { path: [userId, cvId, type, sectionId], signal }),
  };
}

function wrapSection<T extends SectionType>(type: T, section: SectionFields<T>): Json {
  // Every kind of field is JSON; TypeScript cannot tell of a type that follows a table.
  return { [SECTIONS[type].wrapper]: section as unknown as Json };
}
