import * as z from 'zod';
import {
  collectRows,
  nullIfUnknown,
  parseRows,
  type Rows,
  readRecord,
  type Written,
  writeOnly,
  writeRecord,
  writeShown,
} from './answer.js';
import type { CallAnswer, ReadCall, WriteCall } from './call.js';
import { createProjectEntriesWriter, ENTRY_KINDS, type ProjectEntriesWriter } from './project-entries.js';
import type { ProjectCreate, ProjectFields } from './project-fields.js';
import { type ProjectQuery, type ProjectSearchPage, searchProjectPage, searchProjects } from './project-search.js';
import { fillProject } from './record-keys.js';
import { ServiceError } from './service-error.js';
import { WireProject } from './wire.js';

/** External ids of projects are not unique (spec, 409 with `duplicate_project_ids`). */
export type ProjectLookup =
  | { readonly kind: 'one'; readonly project: WireProject }
  | { readonly kind: 'several'; readonly projectIds: readonly string[] };

export interface ProjectReading {
  readonly sections?: boolean;
  readonly customFields?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface ProjectsReader {
  /** Every project that matches, of any customer, page by page, as search shows it. */
  search(query?: ProjectQuery & { readonly size?: number }): AsyncGenerator<ProjectSearchPage, void, undefined>;
  searchPage(query: ProjectQuery & { readonly offset: number; readonly size: number }): Promise<ProjectSearchPage>;
  /**
   * The whole project, 20 KB and more; null: no such project. `sections: false` leaves out what is nested in it,
   * `customFields: false` its custom fields.
   */
  get(customerId: string, projectId: string, options?: ProjectReading): Promise<WireProject | null>;
  /** Of any customer; null: no project has this external id. */
  find(externalId: string, signal?: AbortSignal): Promise<ProjectLookup | null>;
  /** Every project of one customer, with custom fields; null: no such customer. */
  list(customerId: string, signal?: AbortSignal): Promise<readonly WireProject[] | null>;
  /** The same, all at once or so many at a time where there are very many. */
  listInPieces(customerId: string, signal?: AbortSignal): Promise<Rows<WireProject> | null>;
}

export interface ProjectsWriter {
  create(customerId: string, project: ProjectCreate, signal?: AbortSignal): Written<WireProject>;
  update(customerId: string, projectId: string, project: ProjectFields, signal?: AbortSignal): Written<WireProject>;
  /** Refused with 409 and `details.reason` `linked-project-experiences` while CVs hold hard links. */
  delete(customerId: string, projectId: string, signal?: AbortSignal): Written<null>;
  /** By user ids; one who is an owner already makes it 422. */
  addOwners(
    customerId: string,
    projectId: string,
    userIds: readonly string[],
    signal?: AbortSignal,
  ): Written<WireProject>;
  /** `replace`: the owners become exactly these. One unknown e-mail makes it 422 and changes nothing. */
  syncOwners(
    customerId: string,
    projectId: string,
    owners: { readonly emails: readonly string[]; readonly replace: boolean },
    signal?: AbortSignal,
  ): Written<WireProject | null>;
  /** One who is no owner makes it 500. */
  removeOwner(customerId: string, projectId: string, userId: string, signal?: AbortSignal): Written<null>;
  readonly challenges: ProjectEntriesWriter;
  readonly solutions: ProjectEntriesWriter;
  readonly valuePropositions: ProjectEntriesWriter;
}

const Duplicates = z.object({ duplicate_project_ids: z.array(z.string()) });

export function createProjectsReader(call: ReadCall): ProjectsReader {
  function askList(customerId: string, signal: AbortSignal | undefined): Promise<CallAnswer | null> {
    const query = { company_customer_id: customerId, include_custom_fields: true };
    return nullIfUnknown(call({ endpoint: 'listProjects', query, signal }));
  }

  return {
    search: (query = {}) => searchProjects(call, query),
    searchPage: (query) => searchProjectPage(call, query),
    get(customerId, projectId, { sections, customFields, signal } = {}) {
      const path = fillProject({ customerId, projectId });
      // Only the exact word `true` includes custom fields, only `false` leaves sections out.
      const query = {
        include_project_sections: sections === false ? false : null,
        include_custom_fields: customFields === false ? null : true,
      };
      return readRecord(call, { endpoint: 'getProject', path, query, signal }, WireProject);
    },
    async find(externalId, signal) {
      const query = { external_unique_id: externalId };
      try {
        const project = await readRecord(call, { endpoint: 'findProject', query, signal }, WireProject);
        return project === null ? null : { kind: 'one', project };
      } catch (error) {
        const projectIds = readDuplicates(error);
        if (projectIds === null) throw error;
        return { kind: 'several', projectIds };
      }
    },
    async list(customerId, signal) {
      const answer = await askList(customerId, signal);
      return answer === null ? null : collectRows(answer, WireProject, 'projects');
    },
    async listInPieces(customerId, signal) {
      const answer = await askList(customerId, signal);
      return answer === null ? null : parseRows(answer, WireProject, 'projects');
    },
  };
}

function readDuplicates(error: unknown): readonly string[] | null {
  if (!(error instanceof ServiceError) || error.status !== 409) return null;
  return Duplicates.safeParse(error.details).data?.duplicate_project_ids ?? null;
}

export function createProjectsWriter(call: WriteCall): ProjectsWriter {
  return {
    create(customerId, project, signal) {
      const path = { customer_id: customerId };
      const body = { company_project: { ...project } };
      // As a list shows it: else the new project would look as if somebody had changed it since, and be read once more.
      const query = { include_custom_fields: true };
      return writeRecord(call, { endpoint: 'createProject', path, query, body, signal }, WireProject);
    },
    update(customerId, projectId, project, signal) {
      const path = fillProject({ customerId, projectId });
      const body = { company_project: { ...project } };
      // What became of custom fields is only shown when asked for; of other writes the answer stays as short as it is.
      const query = { include_custom_fields: project.custom_fields === undefined ? null : true };
      return writeRecord(call, { endpoint: 'updateProject', path, query, body, signal }, WireProject);
    },
    delete(customerId, projectId, signal) {
      return writeOnly(call, { endpoint: 'deleteProject', path: fillProject({ customerId, projectId }), signal });
    },
    // Bodies of owners have no wrapper (spec, Customers and reference projects).
    addOwners(customerId, projectId, userIds, signal) {
      const path = fillProject({ customerId, projectId });
      const body = { user_ids: userIds };
      return writeRecord(call, { endpoint: 'addProjectOwners', path, body, signal }, WireProject);
    },
    syncOwners(customerId, projectId, owners, signal) {
      const path = fillProject({ customerId, projectId });
      return writeShown(call, { endpoint: 'syncProjectOwners', path, body: { ...owners }, signal }, WireProject);
    },
    removeOwner(customerId, projectId, userId, signal) {
      const path = { ...fillProject({ customerId, projectId }), user_id: userId };
      return writeOnly(call, { endpoint: 'removeProjectOwner', path, signal });
    },
    challenges: createProjectEntriesWriter(call, ENTRY_KINDS.challenges),
    solutions: createProjectEntriesWriter(call, ENTRY_KINDS.solutions),
    valuePropositions: createProjectEntriesWriter(call, ENTRY_KINDS.valuePropositions),
  };
}
