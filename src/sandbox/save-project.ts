import { WORKFLOW_STAGES } from '../model/fields.js';
import { readCustomFields } from './custom-fields.js';
import type { CodeMode, Texts } from './languages.js';
import {
  ENTRIES,
  ENTRY_KINDS,
  type EntryDocument,
  type EntryKind,
  type EntryKindFields,
  PROJECT_STRINGS,
  PROJECT_TEXTS,
  type ProjectDocument,
} from './project-documents.js';
import { Refusal, type World } from './route.js';
import { createId } from './store.js';
import { type Body, isCurrencyCode, readRequiredTexts, readString, readTexts } from './values.js';

export function buildEntry(parts: Partial<EntryDocument> = {}): EntryDocument {
  return { texts: {}, strings: {}, disabled: false, version: 1, ...parts, id: createId() };
}

function buildEntries(): ProjectDocument['entries'] {
  const entries: Partial<Record<EntryKind, readonly EntryDocument[]>> = {};
  for (const kind of ENTRY_KINDS) {
    const fields: EntryKindFields = ENTRIES[kind];
    entries[kind] = fields.isGiven ? [buildEntry()] : [];
  }
  return entries as ProjectDocument['entries'];
}

/** A new project with its one empty entry of each kind (spec, Project rules 2); nothing of the body yet. */
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

/** The project with what the body sets; everything but offices, which only create takes. */
export function mergeProjectBody(world: World, project: ProjectDocument, body: Body, mode: CodeMode): ProjectDocument {
  if (Object.keys(body).length === 0) throw new Refusal(400, 'company_project needs at least one field');
  const texts: Record<string, Texts> = { ...project.texts };
  for (const field of PROJECT_TEXTS) {
    const sent = field === 'project_name' ? readRequiredTexts(body, field, mode) : readTexts(body, field, mode);
    if (sent !== undefined) texts[field] = sent;
  }
  const strings: Record<string, string | null> = { ...project.strings };
  for (const field of PROJECT_STRINGS) {
    const sent = readString(body, field);
    if (sent === undefined) continue;
    checkCode(field, sent);
    strings[field] = sent;
  }
  return {
    ...project,
    texts,
    strings,
    workflow_stage: readStage(body) ?? project.workflow_stage,
    custom_fields: readCustomFields(world, body, project, mode),
  };
}

/** Currency and country codes are lower case; upper case is 422 (spec, Project rules 5). */
function checkCode(field: string, value: string | null): void {
  if (value === null) return;
  const isCurrency = field === 'extent_currency' || field === 'total_extent_currency';
  if (isCurrency && !isCurrencyCode(value)) throw new Refusal(422, `${field} must be a lower case currency code`);
  if (field === 'location_country_code' && !/^[a-z]{2}$/.test(value)) {
    throw new Refusal(422, `${field} must be a lower case country code`);
  }
}

function readStage(body: Body): string | undefined {
  const stage = body.workflow_stage;
  if (stage === undefined) return undefined;
  const known = WORKFLOW_STAGES.find((name) => name === stage);
  if (known === undefined) throw new Refusal(422, `workflow_stage must be one of ${WORKFLOW_STAGES.join(', ')}`);
  return known;
}

/** On create any company language missing from project_name gets the first supplied value (spec, Project rules 2). */
export function fillProjectName(world: World, project: ProjectDocument): ProjectDocument {
  const name = project.texts.project_name;
  const first = name === undefined ? undefined : Object.values(name)[0];
  if (name === undefined || first === undefined) return project;
  const filled: Record<string, string> = { ...name };
  for (const language of world.account.languages) filled[language] ??= first;
  return { ...project, texts: { ...project.texts, project_name: filled } };
}
