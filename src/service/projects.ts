import * as z from 'zod';
import type { Json } from '../model/json.js';
import {
  buildWriteResult,
  collectRows,
  nullIfUnknown,
  parseAnswer,
  parseRows,
  parseWrite,
  type Rows,
  type WriteResult,
} from './answer.js';
import type { CallAnswer, QueryValue, ReadCall, WriteCall } from './call.js';
import { createProjectEntriesWriter, ENTRY_KINDS, type ProjectEntriesWriter } from './project-entries.js';
import type { ProjectCreate, ProjectFields } from './project-fields.js';
import { type ProjectQuery, type ProjectSearchPage, searchProjectPage, searchProjects } from './project-search.js';
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
  create(customerId: string, project: ProjectCreate, signal?: AbortSignal): Promise<WriteResult<WireProject>>;
  update(
    customerId: string,
    projectId: string,
    project: ProjectFields,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireProject>>;
  /** Refused with 409 and `details.reason` `linked-project-experiences` while CVs hold hard links. */
  delete(customerId: string, projectId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
  /** By user ids; one who is an owner already makes it 422. */
  addOwners(
    customerId: string,
    projectId: string,
    userIds: readonly string[],
    signal?: AbortSignal,
  ): Promise<WriteResult<WireProject>>;
  /** `replace`: the owners become exactly these. One unknown e-mail makes it 422 and changes nothing. */
  syncOwners(
    customerId: string,
    projectId: string,
    owners: { readonly emails: readonly string[]; readonly replace: boolean },
    signal?: AbortSignal,
  ): Promise<WriteResult<WireProject | null>>;
  /** One who is no owner makes it 500. */
  removeOwner(customerId: string, projectId: string, userId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
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
    async get(customerId, projectId, { sections, customFields, signal } = {}) {
      const path = { customer_id: customerId, project_id: projectId };
      // Only the exact word `true` includes custom fields, only `false` leaves sections out.
      const query = {
        include_project_sections: sections === false ? false : null,
        include_custom_fields: customFields === false ? null : true,
      };
      const answer = await nullIfUnknown(call({ endpoint: 'getProject', path, query, signal }));
      return answer === null ? null : parseAnswer(answer, WireProject);
    },
    async find(externalId, signal) {
      const query = { external_unique_id: externalId };
      try {
        const answer = await nullIfUnknown(call({ endpoint: 'findProject', query, signal }));
        return answer === null ? null : { kind: 'one', project: parseAnswer(answer, WireProject) };
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
  const parsed = Duplicates.safeParse(error.details);
  return parsed.success ? parsed.data.duplicate_project_ids : null;
}

export function createProjectsWriter(call: WriteCall): ProjectsWriter {
  return {
    async create(customerId, project, signal) {
      const path = { customer_id: customerId };
      const body = { company_project: { ...project } };
      // As a list shows it: else the new project would look as if somebody had changed it since, and be read once more.
      const query = { include_custom_fields: true };
      return parseWrite(await call({ endpoint: 'createProject', path, query, body, signal }), WireProject);
    },
    async update(customerId, projectId, project, signal) {
      const path = { customer_id: customerId, project_id: projectId };
      const body = { company_project: { ...project } };
      const query = showFields(project);
      return parseWrite(await call({ endpoint: 'updateProject', path, query, body, signal }), WireProject);
    },
    async delete(customerId, projectId, signal) {
      const path = { customer_id: customerId, project_id: projectId };
      return buildWriteResult(await call({ endpoint: 'deleteProject', path, signal }), null);
    },
    // Bodies of owners have no wrapper (spec, Customers and reference projects).
    async addOwners(customerId, projectId, userIds, signal) {
      const path = { customer_id: customerId, project_id: projectId };
      const body: Json = { user_ids: userIds };
      return parseWrite(await call({ endpoint: 'addProjectOwners', path, body, signal }), WireProject);
    },
    async syncOwners(customerId, projectId, owners, signal) {
      const path = { customer_id: customerId, project_id: projectId };
      const body: Json = { emails: owners.emails, replace: owners.replace };
      const answer = await call({ endpoint: 'syncProjectOwners', path, body, signal });
      return isProject(answer) ? parseWrite(answer, WireProject) : buildWriteResult(answer, null);
    },
    async removeOwner(customerId, projectId, userId, signal) {
      const path = { customer_id: customerId, project_id: projectId, user_id: userId };
      return buildWriteResult(await call({ endpoint: 'removeProjectOwner', path, signal }), null);
    },
    challenges: createProjectEntriesWriter(call, ENTRY_KINDS.challenges),
    solutions: createProjectEntriesWriter(call, ENTRY_KINDS.solutions),
    valuePropositions: createProjectEntriesWriter(call, ENTRY_KINDS.valuePropositions),
  };
}

/** What became of custom fields is only shown when asked for; of other writes the answer stays as short as it is. */
function showFields({ custom_fields: fields }: ProjectFields): Readonly<Record<string, QueryValue>> {
  return { include_custom_fields: fields === undefined ? null : true };
}

/** What the e-mail list of owners is answered with is not shown in the spec: the project, or something else. */
function isProject(answer: CallAnswer): boolean {
  return WireProject.safeParse(answer.body).success;
}
