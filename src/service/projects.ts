import * as z from 'zod';
import { collectRows, nullIfUnknown, parseRows, type Reads, type Rows, type Writes, type Writing } from './answer.js';
import type { CallAnswer } from './call.js';
import type { Slice } from './paging.js';
import { createProjectEntriesWriter, ENTRY_KINDS } from './project-entries.js';
import type { ProjectCreate, ProjectFields } from './project-fields.js';
import { type ProjectQuery, searchProjectPage, searchProjects } from './project-search.js';
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

const Duplicates = z.object({ duplicate_project_ids: z.array(z.string()) });

export function createProjectsReader(read: Reads) {
  function askList(customerId: string, signal: AbortSignal | undefined): Promise<CallAnswer | null> {
    const query = { company_customer_id: customerId, include_custom_fields: true };
    return nullIfUnknown(read.call({ endpoint: 'listProjects', query, signal }));
  }

  return {
    /** Reads every matching project of any customer, page by page, as the search shows it. */
    search: (query: ProjectQuery & { readonly size?: number } = {}) => searchProjects(read.call, query),
    searchPage: (query: ProjectQuery & Slice) => searchProjectPage(read.call, query),
    /**
     * Reads the complete project, 20 KB or more; null if there is no such project. `sections: false` leaves out its
     * nested objects; `customFields: false` leaves out its custom fields.
     */
    get(
      customerId: string,
      projectId: string,
      { sections, customFields, signal }: ProjectReading = {},
    ): Promise<WireProject | null> {
      // Only the exact word `true` includes custom fields, and only `false` leaves sections out.
      const query = {
        include_project_sections: sections === false ? false : null,
        include_custom_fields: customFields === false ? null : true,
      };
      return read.record('getProject', WireProject, { path: [customerId, projectId], query, signal });
    },
    /** Searches all customers; null if no project has this external id. */
    async find(externalId: string, signal?: AbortSignal): Promise<ProjectLookup | null> {
      const query = { external_unique_id: externalId };
      try {
        const project = await read.record('findProject', WireProject, { query, signal });
        return project === null ? null : { kind: 'one', project };
      } catch (error) {
        const projectIds = readDuplicates(error);
        if (projectIds === null) throw error;
        return { kind: 'several', projectIds };
      }
    },
    /** Reads every project of one customer, with custom fields; null if there is no such customer. */
    async list(customerId: string, signal?: AbortSignal): Promise<readonly WireProject[] | null> {
      const answer = await askList(customerId, signal);
      return answer === null ? null : collectRows(answer, WireProject, 'projects');
    },
    /** Like `list`, but in batches if the list is very long. */
    async listInPieces(customerId: string, signal?: AbortSignal): Promise<Rows<WireProject> | null> {
      const answer = await askList(customerId, signal);
      return answer === null ? null : parseRows(answer, WireProject, 'projects');
    },
  };
}

function readDuplicates(error: unknown): readonly string[] | null {
  if (!(error instanceof ServiceError) || error.status !== 409) return null;
  return Duplicates.safeParse(error.details).data?.duplicate_project_ids ?? null;
}

export function createProjectsWriter(send: Writes) {
  return {
    create(customerId: string, project: ProjectCreate, signal?: AbortSignal): Writing<WireProject> {
      const body = { company_project: { ...project } };
      // Requests the same form as in a list. Otherwise the new project would look changed, and the next run would read
      // it again.
      const query = { include_custom_fields: true };
      return send.record('createProject', WireProject, { path: [customerId], query, body, signal });
    },
    update(customerId: string, projectId: string, project: ProjectFields, signal?: AbortSignal): Writing<WireProject> {
      const body = { company_project: { ...project } };
      // The answer shows custom fields only on request; other writes keep it short.
      const query = { include_custom_fields: project.custom_fields === undefined ? null : true };
      return send.record('updateProject', WireProject, { path: [customerId, projectId], query, body, signal });
    },
    /** The service rejects the deletion with 409 and `details.reason` `linked-project-experiences` while CVs hold hard links. */
    delete: (customerId: string, projectId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteProject', { path: [customerId, projectId], signal }),
    // Bodies of owners have no wrapper (spec, Customers and reference projects).
    /** Adds owners by user id; a user who is already an owner causes 422. */
    addOwners(
      customerId: string,
      projectId: string,
      userIds: readonly string[],
      signal?: AbortSignal,
    ): Writing<WireProject> {
      const body = { user_ids: userIds };
      return send.record('addProjectOwners', WireProject, { path: [customerId, projectId], body, signal });
    },
    /** `replace`: the owners become exactly these. One unknown e-mail causes 422 and changes nothing. */
    syncOwners: (
      customerId: string,
      projectId: string,
      owners: { readonly emails: readonly string[]; readonly replace: boolean },
      signal?: AbortSignal,
    ): Writing<WireProject | null> =>
      send.shown('syncProjectOwners', WireProject, { path: [customerId, projectId], body: { ...owners }, signal }),
    /** A user who is not an owner causes 500. */
    removeOwner: (customerId: string, projectId: string, userId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('removeProjectOwner', { path: [customerId, projectId, userId], signal }),
    challenges: createProjectEntriesWriter(send, ENTRY_KINDS.challenges),
    solutions: createProjectEntriesWriter(send, ENTRY_KINDS.solutions),
    valuePropositions: createProjectEntriesWriter(send, ENTRY_KINDS.valuePropositions),
  };
}
