import { WORKFLOW_STAGES } from '../../model/fields.js';
import type { ProjectDocument } from '../documents.js';
import { type CodeMode, foldText, toWireTexts } from '../languages.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { type Body, checkInteger, isBody } from '../values.js';
import { renderIndustry } from './customers.js';
import { isReadable } from './projects.js';

export const REFERENCE_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/api/v4/references/search', access: 'read', handle: searchReferences },
];

/** Total honours the stage filter, the counts ignore it (spec, Customers and reference projects). */
function searchReferences(world: World, call: Call): Answer {
  const body = isBody(call.body) ? call.body : {};
  const offset = checkInteger(body.offset, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const size = checkInteger(body.size, 'size', { min: 1, max: 500, fallback: 100 });
  const stage = body.workflow_stage_filter ?? 'all';
  if (typeof stage !== 'string' || !['all', ...WORKFLOW_STAGES].includes(stage)) {
    throw new Refusal(400, 'workflow_stage_filter must be all, draft, ready_for_review or live');
  }
  const clauses = body.must ?? [];
  if (!Array.isArray(clauses)) throw new Refusal(400, 'must is a list of clauses');
  // An API key is no user and owns no project.
  const candidates = body.filter_owned === true ? [] : world.store.projects.all();
  const found = candidates.filter(
    (project) => isReadable(call, project) && clauses.every((clause) => isMatch(world, project, clause)),
  );
  const count = (name: string): number => found.filter((project) => project.workflow_stage === name).length;
  const filtered = stage === 'all' ? found : found.filter((project) => project.workflow_stage === stage);
  return {
    status: 200,
    body: {
      references: filtered.slice(offset, offset + size).map((project) => ({
        reference: renderReference(world, project, call.mode),
        preview_url: `${call.baseUrl}/references/${project.id}`,
      })),
      total: filtered.length,
      workflow_stage_counts: {
        all: found.length,
        draft: count('draft'),
        live: count('live'),
        ready_for_review: count('ready_for_review'),
      },
    },
  };
}

/** The clause kinds of the CV search, as far as they speak of projects. */
function isMatch(world: World, project: ProjectDocument, clause: unknown): boolean {
  if (!isBody(clause)) throw new Refusal(400, 'a clause of must is an object');
  const { bool, query, exact } = clause;
  if (isBody(bool)) {
    const should = Array.isArray(bool.should) ? bool.should : undefined;
    const must = Array.isArray(bool.must) ? bool.must : [];
    return (
      (should === undefined || should.some((inner) => isMatch(world, project, inner))) &&
      must.every((inner) => isMatch(world, project, inner))
    );
  }
  if (isBody(query)) return isTextMatch(world, project, query);
  if (isBody(exact) && exact.field === 'custom_tag_id') return project.custom_tag_ids.includes(String(exact.value));
  throw new Refusal(400, 'the clause of must is not supported');
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

function renderReference(world: World, project: ProjectDocument, mode: CodeMode): object {
  const customer = world.store.customers.get(project.company_customer_id);
  const string = (field: string): string | null => project.strings[field] ?? null;
  return {
    id: project.id,
    external_unique_id: string('external_unique_id'),
    month_from: string('month_from'),
    year_from: string('year_from'),
    month_to: string('month_to'),
    year_to: string('year_to'),
    project_name: toWireTexts(project.texts.project_name ?? {}, mode),
    project_introduction: toWireTexts(project.texts.project_introduction ?? {}, mode),
    company_customer_id: project.company_customer_id,
    customer_name: toWireTexts(customer?.customer_name ?? {}, mode),
    industry: renderIndustry(world, customer?.industry_id ?? null, mode),
    extent: string('extent'),
    extent_hours: string('extent_hours_new'),
    workflow_stage: project.workflow_stage,
    image_count: 0,
  };
}
