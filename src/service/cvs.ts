import type { Multilingual } from '../model/json.js';
import { readRecord, type Written, writeRecord } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { type CvQuery, type CvSearchPage, searchCvPage, searchCvs } from './cv-search.js';
import {
  type CvSectionsReader,
  type CvSectionsWriter,
  createCvSectionsReader,
  createCvSectionsWriter,
} from './cv-sections.js';
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

export interface CvsReader {
  /** Every master CV that matches, page by page, as previews. */
  search(query?: CvQuery & { readonly size?: number }): AsyncGenerator<CvSearchPage, void, undefined>;
  searchPage(query: CvQuery & { readonly offset: number; readonly size: number }): Promise<CvSearchPage>;
  /** The whole CV with its sections; null: no such CV. */
  get(cv: CvKey, signal?: AbortSignal): Promise<WireCv | null>;
  /** When and by whom it was last changed; `detailed` adds the times of its kinds of section. */
  getMetadata(
    cv: CvKey,
    options?: { readonly detailed?: boolean; readonly signal?: AbortSignal | undefined },
  ): Promise<WireCvMetadata | null>;
  readonly sections: CvSectionsReader;
  /** A role within a project experience. */
  getRole(cv: CvKey, experienceId: string, roleId: string, signal?: AbortSignal): Promise<WireCvRole | null>;
}

export interface CvsWriter {
  /** Only what is given changes; a multilingual value is replaced whole. */
  update(cv: CvKey, changes: CvUpdate, signal?: AbortSignal): Written<WireCv>;
  readonly sections: CvSectionsWriter;
  createRole(cv: CvKey, experienceId: string, role: CvRoleCreate, signal?: AbortSignal): Written<WireCvRole>;
}

export function createCvsReader(call: ReadCall): CvsReader {
  return {
    search: (query = {}) => searchCvs(call, query),
    searchPage: (query) => searchCvPage(call, query),
    get: (cv, signal) => readRecord(call, { endpoint: 'getCv', path: fillCv(cv), signal }, WireCv),
    getMetadata(cv, { detailed = false, signal } = {}) {
      const query = detailed ? { detailed } : {};
      return readRecord(call, { endpoint: 'getCvMetadata', path: fillCv(cv), query, signal }, WireCvMetadata);
    },
    sections: createCvSectionsReader(call),
    getRole(cv, experienceId, roleId, signal) {
      const path = { ...fillCv(cv), project_experience_id: experienceId, role_id: roleId };
      return readRecord(call, { endpoint: 'getCvRole', path, signal }, WireCvRole);
    },
  };
}

export function createCvsWriter(call: WriteCall): CvsWriter {
  return {
    update(cv, changes, signal) {
      const body = { cv: { ...changes } };
      return writeRecord(call, { endpoint: 'updateCv', path: fillCv(cv), body, signal }, WireCv);
    },
    sections: createCvSectionsWriter(call),
    createRole(cv, experienceId, role, signal) {
      const path = { ...fillCv(cv), project_experience_id: experienceId };
      const body = { role: { ...role } };
      return writeRecord(call, { endpoint: 'createCvRole', path, body, signal }, WireCvRole);
    },
  };
}
