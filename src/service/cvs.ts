import type { Multilingual } from '../model/json.js';
import { readRecord, type Writing, writeRecord } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { type CvQuery, searchCvPage, searchCvs } from './cv-search.js';
import { createCvSectionsReader, createCvSectionsWriter } from './cv-sections.js';
import type { Slice } from './paging.js';
import { type CvKey, fillCv } from './record-keys.js';
import { WireCv, WireCvMetadata, WireCvRole } from './wire-cv.js';

/** What a CV can be given: the names the service takes, some of them Norwegian (spec, CV update body fields). */
export interface CvUpdate {
  /** The name. */
  readonly navn?: string | null;
  readonly name_multilang?: Multilingual;
  readonly born_year?: number | null;
  readonly title?: Multilingual;
  /** The telephone. */
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

export function createCvsReader(call: ReadCall) {
  return {
    /** Every master CV that matches, page by page, as previews. */
    search: (query: CvQuery & { readonly size?: number } = {}) => searchCvs(call, query),
    searchPage: (query: CvQuery & Slice) => searchCvPage(call, query),
    /** The whole CV with its sections; null: no such CV. */
    get: (cv: CvKey, signal?: AbortSignal): Promise<WireCv | null> =>
      readRecord(call, { endpoint: 'getCv', path: fillCv(cv), signal }, WireCv),
    /** When and by whom it was last changed; `detailed` adds the times of its kinds of section. */
    getMetadata(
      cv: CvKey,
      { detailed = false, signal }: { readonly detailed?: boolean; readonly signal?: AbortSignal | undefined } = {},
    ): Promise<WireCvMetadata | null> {
      const query = detailed ? { detailed } : {};
      return readRecord(call, { endpoint: 'getCvMetadata', path: fillCv(cv), query, signal }, WireCvMetadata);
    },
    sections: createCvSectionsReader(call),
    /** A role within a project experience. */
    getRole(cv: CvKey, experienceId: string, roleId: string, signal?: AbortSignal): Promise<WireCvRole | null> {
      const path = { ...fillCv(cv), project_experience_id: experienceId, role_id: roleId };
      return readRecord(call, { endpoint: 'getCvRole', path, signal }, WireCvRole);
    },
  };
}

export function createCvsWriter(call: WriteCall) {
  return {
    /** Only what is given changes; a multilingual value is replaced whole. */
    update(cv: CvKey, changes: CvUpdate, signal?: AbortSignal): Writing<WireCv> {
      const body = { cv: { ...changes } };
      return writeRecord(call, { endpoint: 'updateCv', path: fillCv(cv), body, signal }, WireCv);
    },
    sections: createCvSectionsWriter(call),
    createRole(cv: CvKey, experienceId: string, role: CvRoleCreate, signal?: AbortSignal): Writing<WireCvRole> {
      const path = { ...fillCv(cv), project_experience_id: experienceId };
      const body = { role: { ...role } };
      return writeRecord(call, { endpoint: 'createCvRole', path, body, signal }, WireCvRole);
    },
  };
}
