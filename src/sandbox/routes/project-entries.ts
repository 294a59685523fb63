import { requireReferenceManager } from '../access.js';
import type { EntryDocument, EntryKind, ProjectDocument } from '../documents.js';
import { renderEntry } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { buildEntry } from '../save-project.js';
import { type Body, readBoolean, readTexts, readWrapper } from '../values.js';
import { PROJECT, requireProject } from './projects.js';

/** Three sub-resources that behave alike: path and kind, and the wrapper of their bodies. */
const WRAPPERS: Readonly<Record<EntryKind, string>> = {
  project_challenges: 'project_challenge',
  project_solutions: 'project_solution',
  customer_value_propositions: 'customer_value_proposition',
};

export const PROJECT_ENTRY_ROUTES: readonly Route[] = (
  ['project_challenges', 'project_solutions', 'customer_value_propositions'] as const
).flatMap((kind): Route[] => [
  {
    method: 'POST',
    path: `${PROJECT}/${kind}`,
    access: 'write',
    handle: (world, call) => postEntry(world, call, kind),
  },
  {
    method: 'PUT',
    path: `${PROJECT}/${kind}/:entry_id`,
    access: 'write',
    handle: (world, call) => putEntry(world, call, kind),
  },
  {
    method: 'DELETE',
    path: `${PROJECT}/${kind}/:entry_id`,
    access: 'write',
    handle: (world, call) => deleteEntry(world, call, kind),
  },
]);

function readParts(body: Body, call: Call, before: Omit<EntryDocument, 'id'>): Omit<EntryDocument, 'id'> {
  return {
    label: readTexts(body, 'label', call.mode) ?? before.label,
    value: readTexts(body, 'value', call.mode) ?? before.value,
    disabled: readBoolean(body, 'disabled') ?? before.disabled,
    version: before.version,
  };
}

function saveEntries(world: World, project: ProjectDocument, kind: EntryKind, entries: readonly EntryDocument[]): void {
  world.store.projects.put({
    ...project,
    entries: { ...project.entries, [kind]: entries },
    updated_at: world.clock.now(),
  });
}

function postEntry(world: World, call: Call, kind: EntryKind): Answer {
  requireReferenceManager(call.key);
  const project = requireProject(world, call);
  const empty = buildEntry();
  const entry = { ...readParts(readWrapper(call, WRAPPERS[kind]), call, empty), id: empty.id };
  saveEntries(world, project, kind, [...project.entries[kind], entry]);
  return { status: 200, body: renderEntry(project.id, entry, call.mode) };
}

/** Partial across label, value and disabled; a given text is replaced whole (spec, Project rules 4). */
function putEntry(world: World, call: Call, kind: EntryKind): Answer {
  requireReferenceManager(call.key);
  const project = requireProject(world, call);
  const before = requireEntry(project, call, kind);
  const parts = readParts(readWrapper(call, WRAPPERS[kind]), call, before);
  const entry = { ...parts, id: before.id, version: before.version + 1 };
  saveEntries(
    world,
    project,
    kind,
    project.entries[kind].map((other) => (other.id === entry.id ? entry : other)),
  );
  return { status: 200, body: renderEntry(project.id, entry, call.mode) };
}

function deleteEntry(world: World, call: Call, kind: EntryKind): Answer {
  requireReferenceManager(call.key);
  const project = requireProject(world, call);
  const { id } = requireEntry(project, call, kind);
  saveEntries(
    world,
    project,
    kind,
    project.entries[kind].filter((other) => other.id !== id),
  );
  return NO_CONTENT;
}

function requireEntry(project: ProjectDocument, call: Call, kind: EntryKind): EntryDocument {
  const entry = project.entries[kind].find((candidate) => candidate.id === call.params.entry_id);
  if (!entry) throw new Refusal(404, `${WRAPPERS[kind]} not found`);
  return entry;
}
