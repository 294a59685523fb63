import type { Multilingual } from '../model/json.js';
import { type Writing, writeOnly, writeRecord } from './answer.js';
import type { WriteCall } from './call.js';
import type { WriteEndpointName } from './endpoints.js';
import { fillProject, type ProjectKey } from './record-keys.js';
import { WireProjectEntry } from './wire-project-parts.js';

/** Of a challenge, a solution or a value proposition; given texts are replaced whole (spec, Project rules 4). */
export interface ProjectEntryFields {
  /** Tells the variants of one text apart. */
  readonly label?: Multilingual;
  readonly value?: Multilingual;
  /** True keeps it out of published references. */
  readonly disabled?: boolean;
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

export type ProjectEntriesWriter = ReturnType<typeof createProjectEntriesWriter>;

export function createProjectEntriesWriter(call: WriteCall, kind: EntryEndpoints) {
  const pathOf = (project: ProjectKey, entryId: string) => ({ ...fillProject(project), [kind.parameter]: entryId });
  return {
    /** A new project has an empty one of each kind already: update that first (spec, Project rules 2). */
    create(
      project: ProjectKey,
      entry: ProjectEntryFields & { readonly value: Multilingual },
      signal?: AbortSignal,
    ): Writing<WireProjectEntry> {
      const body = { [kind.wrapper]: { ...entry } };
      return writeRecord(call, { endpoint: kind.create, path: fillProject(project), body, signal }, WireProjectEntry);
    },
    update(
      project: ProjectKey,
      entryId: string,
      entry: ProjectEntryFields,
      signal?: AbortSignal,
    ): Writing<WireProjectEntry> {
      const body = { [kind.wrapper]: { ...entry } };
      const request = { endpoint: kind.update, path: pathOf(project, entryId), body, signal };
      return writeRecord(call, request, WireProjectEntry);
    },
    delete: (project: ProjectKey, entryId: string, signal?: AbortSignal): Writing<null> =>
      writeOnly(call, { endpoint: kind.delete, path: pathOf(project, entryId), signal }),
  };
}
