import { renderEntry } from '../answers/render-project.js';
import type { Call } from '../calls/call.js';
import { refuse } from '../fields/refusal.js';
import { mergeTextFields } from '../fields/text-fields.js';
import { type Body, readBoolean } from '../fields/values.js';
import { buildEntry } from '../records/save-project.js';
import { ENTRIES, type EntryDocument, type EntryKind, type ProjectDocument } from '../store/project-documents.js';
import { putProject, requireOwnProject } from './projects.js';
import type { Resource } from './resource.js';

/** Returns the calls for sub-resources of a project that behave in the same way. ENTRIES lists their fields. */
export function entriesOf(kind: EntryKind): Resource<ProjectDocument, EntryDocument> {
  const { wrapper } = ENTRIES[kind];
  const put = (call: Call, project: ProjectDocument, entries: readonly EntryDocument[]): ProjectDocument =>
    putProject(call, { ...project, entries: { ...project.entries, [kind]: entries } });
  return {
    wrapper,
    place: requireOwnProject,
    find: ({ params }, project) =>
      project.entries[kind].find(({ id }) => id === params.entry_id) ?? refuse(404, `${wrapper} not found`),
    render: ({ params, mode }, entry) => renderEntry(params.project_id ?? '', kind, entry, mode),
    save: (call, project, body, before) => {
      const merged = mergeEntryBody(before ?? buildEntry(), kind, body, call);
      const entry = before ? { ...merged, version: before.version + 1 } : merged;
      const others = project.entries[kind];
      put(call, project, before ? others.map((other) => (other === before ? entry : other)) : [...others, entry]);
      return entry;
    },
    remove: (call, entry, project) => {
      const left = project.entries[kind].filter((other) => other !== entry);
      put(call, project, left);
    },
  };
}

/** Updates only the given fields. A given text replaces the stored one completely (spec, Project rules 4). */
function mergeEntryBody(before: EntryDocument, kind: EntryKind, body: Body, { mode }: Call): EntryDocument {
  const fields = mergeTextFields(before, ENTRIES[kind], body, mode);
  if (kind === 'project_links' && !isFullUrl(fields.strings.url)) {
    refuse(422, 'url must be a full URL, like https://example.com/page');
  }
  return { ...before, ...fields, disabled: readBoolean(body, 'disabled') ?? before.disabled };
}

/** True for a full URL, which is required (spec, Sub-resource entries). */
function isFullUrl(url: string | null | undefined): boolean {
  return typeof url === 'string' && /^https?:\/\/[^\s/]/i.test(url) && URL.canParse(url);
}
