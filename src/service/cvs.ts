import type { Multilingual } from '../model/json.js';
import type { Reads, Writes, Writing } from './answer.js';
import { type CvQuery, searchCvPage, searchCvs } from './cv-search.js';
import { createCvSectionsReader, createCvSectionsWriter } from './cv-sections.js';
import type { Slice } from './paging.js';
import type { CvKey } from './record-keys.js';
import { WireCv, WireCvMetadata, WireCvRole } from './wire-cv.js';

/** The fields of a CV under the service's names, some of them Norwegian (spec, CV update body fields). */
export interface CvUpdate {
  /** The name of the person. */
  readonly navn?: string | null;
  readonly name_multilang?: Multilingual;
  readonly born_year?: number | null;
  readonly title?: Multilingual;
  /** The telephone number. */
  readonly telefon?: string | null;
  readonly landline?: string | null;
  readonly place_of_residence?: Multilingual;
}

export interface CvRoleCreate {
  readonly name: Multilingual;
  readonly long_description?: Multilingual;
  readonly summary?: Multilingual;
  readonly order?: number;
  readonly origin_id?: string | null;
  readonly starred?: boolean;
}

export function createCvsReader(read: Reads) {
  return {
    /** Reads every matching master CV, page by page, as previews. */
    search: (query: CvQuery & { readonly size?: number } = {}) => searchCvs(read.call, query),
    searchPage: (query: CvQuery & Slice) => searchCvPage(read.call, query),
    /** Reads the complete CV with its sections; null if there is no such CV. */
    get: ({ userId, cvId }: CvKey, signal?: AbortSignal): Promise<WireCv | null> =>
      read.record('getCv', WireCv, { path: [userId, cvId], signal }),
    /** Reads the time and author of the last change; `detailed` adds the times per kind of section. */
    getMetadata(
      { userId, cvId }: CvKey,
      { detailed = false, signal }: { readonly detailed?: boolean; readonly signal?: AbortSignal | undefined } = {},
    ): Promise<WireCvMetadata | null> {
      const query = detailed ? { detailed } : {};
      return read.record('getCvMetadata', WireCvMetadata, { path: [userId, cvId], query, signal });
    },
    sections: createCvSectionsReader(read),
    /** Reads a role within a project experience. */
    getRole: (
      { userId, cvId }: CvKey,
      experienceId: string,
      roleId: string,
      signal?: AbortSignal,
    ): Promise<WireCvRole | null> =>
      read.record('getCvRole', WireCvRole, { path: [userId, cvId, experienceId, roleId], signal }),
  };
}

export function createCvsWriter(send: Writes) {
  return {
    /** Changes only the given fields; a multilingual value is replaced with all its languages. */
    update: ({ userId, cvId }: CvKey, changes: CvUpdate, signal?: AbortSignal): Writing<WireCv> =>
      send.record('updateCv', WireCv, { path: [userId, cvId], body: { cv: { ...changes } }, signal }),
    sections: createCvSectionsWriter(send),
    createRole(
      { userId, cvId }: CvKey,
      experienceId: string,
      role: CvRoleCreate,
      signal?: AbortSignal,
    ): Writing<WireCvRole> {
      const body = { role: { ...role } };
      return send.record('createCvRole', WireCvRole, { path: [userId, cvId, experienceId], body, signal });
    },
  };
}
