import type { Json } from '../model/json.js';
import { SECTIONS, type SectionType } from '../model/sections.js';
import { buildWriteResult, nullIfUnknown, parseAnswer, parseWrite, type WriteResult } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import type { SectionFields, SectionUpdate } from './sections.js';
import { sectionSchema, type WireSection } from './wire-cv.js';

/** A CV is named by both ids (spec, CVs and sections). */
export interface CvKey {
  readonly userId: string;
  readonly cvId: string;
}

export interface CvSectionsReader {
  /** null: no such section. */
  get<T extends SectionType>(
    cv: CvKey,
    type: T,
    sectionId: string,
    signal?: AbortSignal,
  ): Promise<WireSection<T> | null>;
}

export interface CvSectionsWriter {
  /** Only what has a value need be given. */
  create<T extends SectionType>(
    cv: CvKey,
    type: T,
    section: SectionFields<T>,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireSection<T>>>;
  /** 409: the version is not the one of the service any more; read it again. */
  update<T extends SectionType>(
    cv: CvKey,
    type: T,
    sectionId: string,
    section: SectionUpdate<T>,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireSection<T>>>;
  delete(cv: CvKey, type: SectionType, sectionId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

export function createCvSectionsReader(call: ReadCall): CvSectionsReader {
  return {
    async get(cv, type, sectionId, signal) {
      const path = { ...fillSection(cv, type), section_id: sectionId };
      const answer = await nullIfUnknown(call({ endpoint: 'getCvSection', path, signal }));
      return answer === null ? null : parseAnswer(answer, sectionSchema(type));
    },
  };
}

export function createCvSectionsWriter(call: WriteCall): CvSectionsWriter {
  return {
    async create(cv, type, section, signal) {
      const body = wrapSection(type, section);
      const answer = await call({ endpoint: 'createCvSection', path: fillSection(cv, type), body, signal });
      return parseWrite(answer, sectionSchema(type));
    },
    async update(cv, type, sectionId, section, signal) {
      const path = { ...fillSection(cv, type), section_id: sectionId };
      const body = wrapSection(type, section);
      return parseWrite(await call({ endpoint: 'updateCvSection', path, body, signal }), sectionSchema(type));
    },
    async delete(cv, type, sectionId, signal) {
      const path = { ...fillSection(cv, type), section_id: sectionId };
      return buildWriteResult(await call({ endpoint: 'deleteCvSection', path, signal }), null);
    },
  };
}

function fillSection(cv: CvKey, type: SectionType) {
  return { user_id: cv.userId, cv_id: cv.cvId, section_type: type };
}

function wrapSection<T extends SectionType>(type: T, section: SectionFields<T>): Json {
  // Every kind of field is JSON; TypeScript cannot tell of a type that follows a table.
  return { [SECTIONS[type].wrapper]: section as unknown as Json };
}
