import type { Json } from '../model/json.js';
import { SECTIONS, type SectionType } from '../model/sections.js';
import { readRecord, type Writing, writeOnly, writeRecord } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { type CvKey, fillCv } from './record-keys.js';
import type { SectionFields, SectionUpdate } from './sections.js';
import { sectionSchema, type WireSection } from './wire-cv.js';

export function createCvSectionsReader(call: ReadCall) {
  return {
    /** null: no such section. */
    get<T extends SectionType>(
      cv: CvKey,
      type: T,
      sectionId: string,
      signal?: AbortSignal,
    ): Promise<WireSection<T> | null> {
      const path = { ...fillCv(cv), section_type: type, section_id: sectionId };
      return readRecord(call, { endpoint: 'getCvSection', path, signal }, sectionSchema(type));
    },
  };
}

export function createCvSectionsWriter(call: WriteCall) {
  return {
    /** Only what has a value need be given. */
    create<T extends SectionType>(
      cv: CvKey,
      type: T,
      section: SectionFields<T>,
      signal?: AbortSignal,
    ): Writing<WireSection<T>> {
      const path = { ...fillCv(cv), section_type: type };
      const body = wrapSection(type, section);
      return writeRecord(call, { endpoint: 'createCvSection', path, body, signal }, sectionSchema(type));
    },
    /** 409: the version is not the one of the service any more; read it again. */
    update<T extends SectionType>(
      cv: CvKey,
      type: T,
      sectionId: string,
      section: SectionUpdate<T>,
      signal?: AbortSignal,
    ): Writing<WireSection<T>> {
      const path = { ...fillCv(cv), section_type: type, section_id: sectionId };
      const body = wrapSection(type, section);
      return writeRecord(call, { endpoint: 'updateCvSection', path, body, signal }, sectionSchema(type));
    },
    delete(cv: CvKey, type: SectionType, sectionId: string, signal?: AbortSignal): Writing<null> {
      const path = { ...fillCv(cv), section_type: type, section_id: sectionId };
      return writeOnly(call, { endpoint: 'deleteCvSection', path, signal });
    },
  };
}

function wrapSection<T extends SectionType>(type: T, section: SectionFields<T>): Json {
  // Every kind of field is JSON; TypeScript cannot tell of a type that follows a table.
  return { [SECTIONS[type].wrapper]: section as unknown as Json };
}
