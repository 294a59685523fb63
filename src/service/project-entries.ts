import type { Multilingual } from '../model/json.js';
import { buildWriteResult, parseWrite, type WriteResult } from './answer.js';
import type { WriteCall } from './call.js';
import type { WriteEndpointName } from './endpoints.js';
import type { ProjectKey } from './record-tags.js';
import { WireProjectEntry } from './wire-project-parts.js';

/** Of a challenge, a solution or a value proposition; given texts are replaced whole (spec, Project rules 4). */
export interface ProjectEntryFields {
  /** Tells the variants of one text apart. */
  readonly label?: Multilingual;
  readonly value?: Multilingual;
  /** True keeps it out of published references. */
  readonly disabled?: boolean;
}

export interface ProjectEntriesWriter {
  /** A new project has an empty one of each kind already: update that first (spec, Project rules 2). */
  create(
    project: ProjectKey,
    entry: ProjectEntryFields & { readonly value: Multilingual },
    signal?: AbortSignal,
  ): Promise<WriteResult<WireProjectEntry>>;
  update(
    project: ProjectKey,
    entryId: string,
    entry: ProjectEntryFields,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireProjectEntry>>;
  delete(project: ProjectKey, entryId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

interface EntryEndpoints {
  readonly wrapper: string;
  /** Of the entry, in the paths. */
  readonly parameter: string;
  readonly create: WriteEndpointName;
  readonly update: WriteEndpointName;
  readonly delete: WriteEndpointName;
}

/** Three kinds that behave alike. */
export const ENTRY_KINDS = {
  challenges: {
    wrapper: 'project_challenge',
    parameter: 'challenge_id',
    create: 'createProjectChallenge',
    update: 'updateProjectChallenge',
    delete: 'deleteProjectChallenge',
  },
  solutions: {
    wrapper: 'project_solution',
    parameter: 'solution_id',
    create: 'createProjectSolution',
    update: 'updateProjectSolution',
    delete: 'deleteProjectSolution',
  },
  valuePropositions: {
    wrapper: 'customer_value_proposition',
    parameter: 'customer_value_proposition_id',
    create: 'createValueProposition',
    update: 'updateValueProposition',
    delete: 'deleteValueProposition',
  },
} as const satisfies Readonly<Record<string, EntryEndpoints>>;

export function createProjectEntriesWriter(call: WriteCall, kind: EntryEndpoints): ProjectEntriesWriter {
  const fill = ({ customerId, projectId }: ProjectKey) => ({ customer_id: customerId, project_id: projectId });
  return {
    async create(project, entry, signal) {
      const body = { [kind.wrapper]: { ...entry } };
      return parseWrite(await call({ endpoint: kind.create, path: fill(project), body, signal }), WireProjectEntry);
    },
    async update(project, entryId, entry, signal) {
      const path = { ...fill(project), [kind.parameter]: entryId };
      const body = { [kind.wrapper]: { ...entry } };
      return parseWrite(await call({ endpoint: kind.update, path, body, signal }), WireProjectEntry);
    },
    async delete(project, entryId, signal) {
      const path = { ...fill(project), [kind.parameter]: entryId };
      return buildWriteResult(await call({ endpoint: kind.delete, path, signal }), null);
    },
  };
}
