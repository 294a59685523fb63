import { WORKFLOW_STAGES } from '../../model/fields.js';
import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { renderIndustry } from '../answers/render-customer.js';
import { canReadProject } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { foldText, toWireTexts } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { type Body, bodyOf, checkInteger } from '../fields/values.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { readClauses } from './search-cvs.js';

interface FoundReferences {
  readonly inAnyStage: readonly ProjectDocument[];
  readonly inStage: readonly ProjectDocument[];
}

/**
 * Searches reference projects. The stage filter applies to the total but not to the counts (spec, Customers and reference
 * projects).
 */
export function searchReferences(call: Call): object {
  const body = bodyOf(call);
  const { offset, size } = readReferencePage(body);
  const { inAnyStage, inStage } = findReferences(call, body);
  const count = (name: string): number => inAnyStage.filter((project) => project.workflow_stage === name).length;
  return {
    references: inStage.slice(offset, offset + size).map((project) => ({
      reference: renderReference(call, project),
      preview_url: `${call.baseUrl}/references/${project.id}`,
    })),
    total: inStage.length,
    workflow_stage_counts: {
      all: inAnyStage.length,
      draft: count('draft'),
      live: count('live'),
      ready_for_review: count('ready_for_review'),
    },
  };
}

const SHOWN = ['external_unique_id', 'month_from', 'year_from', 'month_to', 'year_to', 'extent'];

function renderReference({ world, mode }: Call, { id, texts, strings, ...project }: ProjectDocument): object {
  const customer = world.store.customers.get(project.company_customer_id);
  return {
    id,
    ...Object.fromEntries(SHOWN.map((field) => [field, strings[field] ?? null])),
    project_name: toWireTexts(texts.project_name ?? {}, mode),
    project_introduction: toWireTexts(texts.project_introduction ?? {}, mode),
    company_customer_id: project.company_customer_id,
    customer_name: toWireTexts(customer?.customer_name ?? {}, mode),
    industry: renderIndustry(world, customer, mode),
    extent_hours: strings.extent_hours_new ?? null,
    workflow_stage: project.workflow_stage,
    image_count: Object.values(project.images ?? {}).flat().length,
  };
}

/** Reads the page. A report accepts any size, but its default limit is that of a search page. */
export function readReferencePage(body: Body, most = 500): { readonly offset: number; readonly size: number } {
  return {
    offset: checkInteger(body.offset, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 }),
    size: checkInteger(body.size, 'size', { min: 1, max: most, fallback: 100 }),
  };
}

/** Finds reference projects for the search and the report, by `must`, `workflow_stage_filter` and `filter_owned`. */
export function findReferences(call: Call, body: Body): FoundReferences {
  const stage = body.workflow_stage_filter ?? 'all';
  if (typeof stage !== 'string' || !['all', ...WORKFLOW_STAGES].includes(stage)) {
    refuse(400, 'workflow_stage_filter must be all, draft, ready_for_review or live');
  }
  const clauses = readClauses(body) ?? [];
  // The clauses are validated even if there is nothing to search.
  for (const clause of clauses) checkClause(clause, 0);
  const owner = call.userId ?? '';
  const inAnyStage = call.world.store.projects
    .all()
    .filter(
      (project) =>
        (body.filter_owned !== true || project.owner_ids.includes(owner)) &&
        canReadProject(call, project) &&
        clauses.every((clause) => isMatch(call.world, project, clause)),
    );
  const inStage = stage === 'all' ? inAnyStage : inAnyStage.filter((project) => project.workflow_stage === stage);
  return { inAnyStage, inStage };
}

/** Validates a clause. Only the clause kinds of the CV search that apply to projects are allowed. */
function checkClause(clause: unknown, depth: number): void {
  if (!isJsonObject(clause) || depth > 8)
    refuse(400, 'each clause of must has to be an object, nested at most nine levels deep');
  if (isJsonObject(clause.bool)) {
    const inner = [clause.bool.should, clause.bool.must].filter((list) => list !== undefined);
    if (inner.length === 0 || !inner.every((list) => Array.isArray(list))) {
      refuse(400, 'bool needs lists of clauses in should or must');
    }
    for (const one of inner.flat()) checkClause(one, depth + 1);
    return;
  }
  const isTag = isJsonObject(clause.exact) && clause.exact.field === 'custom_tag_id';
  if (isJsonObject(clause.query) || isJsonObject(clause.technology_skill) || isTag) return;
  refuse(400, 'each clause of must has to be bool, query, technology_skill, or exact on custom_tag_id');
}

function isMatch(world: World, project: ProjectDocument, clause: unknown): boolean {
  const { bool, query, technology_skill: skill, exact } = clause as Body;
  if (isJsonObject(bool)) {
    const [should, must] = [bool.should, bool.must] as readonly (readonly unknown[] | undefined)[];
    return (
      (should === undefined || should.length === 0 || should.some((inner) => isMatch(world, project, inner))) &&
      (must ?? []).every((inner) => isMatch(world, project, inner))
    );
  }
  if (isJsonObject(query)) return isTextMatch(world, project, query);
  if (isJsonObject(skill)) {
    const skills = project.entries.company_project_skills.flatMap((entry) => Object.values(entry.texts.tags ?? {}));
    return skills.some((name) => name === skill.tag);
  }
  return isJsonObject(exact) && project.custom_tag_ids.includes(String(exact.value));
}

function isTextMatch(world: World, project: ProjectDocument, query: Body): boolean {
  const wanted = foldText(String(query.value ?? ''));
  const customer = world.store.customers.get(project.company_customer_id);
  const fields: Record<string, readonly string[]> = {
    customer_name: Object.values(customer?.customer_name ?? {}),
    external_unique_id: [project.strings.external_unique_id ?? ''],
  };
  for (const [field, texts] of Object.entries(project.texts)) fields[field] = Object.values(texts);
  const searched = typeof query.field === 'string' ? (fields[query.field] ?? []) : Object.values(fields).flat();
  return searched.some((text) => foldText(text).includes(wanted));
}
