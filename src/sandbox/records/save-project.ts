import { WORKFLOW_STAGES } from '../../model/fields.js';
import type { World } from '../account/world.js';
import type { CodeMode } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { mergeTextFields } from '../fields/text-fields.js';
import { type Body, readRequiredTexts } from '../fields/values.js';
import {
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKindFields,
  PROJECT_FIELDS,
  type ProjectDocument,
} from '../store/project-documents.js';
import { createId } from '../store/store.js';
import { readCustomFields } from './custom-fields.js';

export function buildEntry(parts: Partial<EntryDocument> = {}): EntryDocument {
  return { texts: {}, strings: {}, disabled: false, version: 1, ...parts, id: createId() };
}

function buildEntries(): ProjectDocument['entries'] {
  const isGiven = (fields: EntryKindFields): boolean => fields.isGiven === true;
  const entries = ENTRY_KINDS.map((kind) => [kind, isGiven(ENTRIES[kind]) ? [buildEntry()] : []]);
  return Object.fromEntries(entries) as ProjectDocument['entries'];
}

/** Builds a new project with one empty entry of each kind (spec, Project rules 2), before the body is read. */
export function buildProject(world: World, customerId: string): ProjectDocument {
  const now = world.clock.now();
  return {
    id: createId(),
    company_customer_id: customerId,
    texts: {},
    strings: {},
    workflow_stage: 'draft',
    version: 1,
    entries: buildEntries(),
    attachments: [],
    owner_ids: [],
    office_ids: [],
    custom_tag_ids: [],
    custom_fields: {},
    created_at: now,
    updated_at: now,
  };
}

/** Returns the project after the update. Offices do not change, because only create accepts them. */
export function mergeProjectBody(world: World, project: ProjectDocument, body: Body, mode: CodeMode): ProjectDocument {
  if (Object.keys(body).length === 0) refuse(400, 'company_project needs at least one field');
  readRequiredTexts(body, 'project_name', mode);
  return {
    ...project,
    ...mergeTextFields(project, PROJECT_FIELDS, body, mode),
    workflow_stage: readStage(body) ?? project.workflow_stage,
    custom_fields: readCustomFields(world, body, project, mode),
  };
}

function readStage({ workflow_stage: stage }: Body): string | undefined {
  if (stage === undefined) return undefined;
  const known = WORKFLOW_STAGES.find((name) => name === stage);
  return known ?? refuse(422, `workflow_stage must be one of ${WORKFLOW_STAGES.join(', ')}`);
}

/** Fills project_name on create: company languages that it lacks get the first given value (spec, Project rules 2). */
export function fillProjectName(world: World, project: ProjectDocument): ProjectDocument {
  const name = project.texts.project_name ?? {};
  const first = Object.values(name)[0];
  if (first === undefined) return project;
  const everywhere = Object.fromEntries(world.account.languages.map((language) => [language, first]));
  return { ...project, texts: { ...project.texts, project_name: { ...name, ...everywhere, ...name } } };
}
