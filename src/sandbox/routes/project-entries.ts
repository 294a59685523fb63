import { requireProjectEditor } from '../access.js';
import type { Texts } from '../languages.js';
import {
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKind,
  type EntryKindFields,
  type ProjectDocument,
} from '../project-documents.js';
import { renderEntry } from '../render-project.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { buildEntry } from '../save-project.js';
import { type Body, readBoolean, readString, readTexts, readWrapper } from '../values.js';
import { PROJECT, requireProject } from './projects.js';

/** Sub-resources that behave alike: the table of their fields is ENTRIES. */
export const PROJECT_ENTRY_ROUTES: readonly Route[] = ENTRY_KINDS.flatMap((kind): Route[] => [
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

/** Partial across the fields; a given text is replaced whole (spec, Project rules 4). */
function mergeEntryBody(before: EntryDocument, kind: EntryKind, body: Body, call: Call): EntryDocument {
  const fields: EntryKindFields = ENTRIES[kind];
  const texts: Record<string, Texts> = { ...before.texts };
  for (const field of fields.texts) texts[field] = readTexts(body, field, call.mode) ?? texts[field] ?? {};
  const strings: Record<string, string | null> = { ...before.strings };
  for (const field of fields.strings) {
    const sent = readString(body, field);
    if (sent !== undefined) strings[field] = sent;
  }
  if (kind === 'project_links' && !isFullUrl(strings.url)) {
    throw new Refusal(422, 'url must be a full URL, like https://example.com/page');
  }
  return { ...before, texts, strings, disabled: readBoolean(body, 'disabled') ?? before.disabled };
}

/** A full URL is required (spec, Sub-resource entries). */
function isFullUrl(url: string | null | undefined): boolean {
  return typeof url === 'string' && /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url);
}

function saveEntries(world: World, project: ProjectDocument, kind: EntryKind, entries: readonly EntryDocument[]): void {
  world.store.projects.put({
    ...project,
    entries: { ...project.entries, [kind]: entries },
    updated_at: world.clock.now(),
  });
}

function postEntry(world: World, call: Call, kind: EntryKind): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const entry = mergeEntryBody(buildEntry(), kind, readWrapper(call, ENTRIES[kind].wrapper), call);
  saveEntries(world, project, kind, [...project.entries[kind], entry]);
  return { status: 200, body: renderEntry(project.id, kind, entry, call.mode) };
}

function putEntry(world: World, call: Call, kind: EntryKind): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
  const before = requireEntry(project, call, kind);
  const merged = mergeEntryBody(before, kind, readWrapper(call, ENTRIES[kind].wrapper), call);
  const entry = { ...merged, version: before.version + 1 };
  saveEntries(
    world,
    project,
    kind,
    project.entries[kind].map((other) => (other.id === entry.id ? entry : other)),
  );
  return { status: 200, body: renderEntry(project.id, kind, entry, call.mode) };
}

function deleteEntry(world: World, call: Call, kind: EntryKind): Answer {
  const project = requireProject(world, call);
  requireProjectEditor(world, call, project);
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
  if (!entry) throw new Refusal(404, `${ENTRIES[kind].wrapper} not found`);
  return entry;
}
