import type { Multilingual } from '../model/json.js';
import type { Writes, Writing } from './answer.js';
import type { WriteEndpointName } from './endpoints.js';
import type { ProjectKey } from './record-keys.js';
import { WireProjectEntry } from './wire-project-parts.js';

/**
 * Fields of a challenge, a solution or a value proposition. A given text replaces the texts in all languages (spec,
 * Project rules 4).
 */
export interface ProjectEntryFields {
  /** Distinguishes the variants of one text. */
  readonly label?: Multilingual;
  readonly value?: Multilingual;
  /** True keeps the entry out of published references. */
  readonly disabled?: boolean;
}

interface EntryEndpoints {
  readonly wrapper: string;
  readonly create: WriteEndpointName;
  readonly update: WriteEndpointName;
  readonly delete: WriteEndpointName;
}

/** The three kinds of entry, which behave alike. */
export const ENTRY_KINDS = {
  challenges: {
    wrapper: 'project_challenge',
    create: 'createProjectChallenge',
    update: 'updateProjectChallenge',
    delete: 'deleteProjectChallenge',
  },
  solutions: {
    wrapper: 'project_solution',
    create: 'createProjectSolution',
    update: 'updateProjectSolution',
    delete: 'deleteProjectSolution',
  },
  valuePropositions: {
    wrapper: 'customer_value_proposition',
    create: 'createValueProposition',
    update: 'updateValueProposition',
    delete: 'deleteValueProposition',
  },
} as const satisfies Readonly<Record<string, EntryEndpoints>>;

export type ProjectEntriesWriter = ReturnType<typeof createProjectEntriesWriter>;

export function createProjectEntriesWriter(send: Writes, kind: EntryEndpoints) {
  return {
    /** A new project already has an empty entry of each kind, which should be updated first (spec, Project rules 2). */
    create(
      { customerId, projectId }: ProjectKey,
      entry: ProjectEntryFields & { readonly value: Multilingual },
      signal?: AbortSignal,
    ): Writing<WireProjectEntry> {
      const body = { [kind.wrapper]: { ...entry } };
      return send.record(kind.create, WireProjectEntry, { path: [customerId, projectId], body, signal });
    },
    update(
      { customerId, projectId }: ProjectKey,
      entryId: string,
      entry: ProjectEntryFields,
      signal?: AbortSignal,
    ): Writing<WireProjectEntry> {
      const body = { [kind.wrapper]: { ...entry } };
      return send.record(kind.update, WireProjectEntry, { path: [customerId, projectId, entryId], body, signal });
    },
    delete: ({ customerId, projectId }: ProjectKey, entryId: string, signal?: AbortSignal): Writing<null> =>
      send.empty(kind.delete, { path: [customerId, projectId, entryId], signal }),
  };
}
