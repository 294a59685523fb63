import { type CodeMode, toWireTexts } from '../languages.js';
import type { ProjectDocument } from '../project-documents.js';
import type { Answer, Call, Route, World } from '../route.js';
import { findReferences, readReferencePage } from '../search-references.js';
import { isBody } from '../values.js';
import { renderIndustry } from './customers.js';

export const REFERENCE_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/api/v4/references/search', access: 'read', handle: searchReferences },
];

/** Total honours the stage filter, the counts ignore it (spec, Customers and reference projects). */
function searchReferences(world: World, call: Call): Answer {
  const body = isBody(call.body) ? call.body : {};
  const { offset, size } = readReferencePage(body);
  const { inAnyStage, inStage } = findReferences(world, call, body);
  const count = (name: string): number => inAnyStage.filter((project) => project.workflow_stage === name).length;
  return {
    status: 200,
    body: {
      references: inStage.slice(offset, offset + size).map((project) => ({
        reference: renderReference(world, project, call.mode),
        preview_url: `${call.baseUrl}/references/${project.id}`,
      })),
      total: inStage.length,
      workflow_stage_counts: {
        all: inAnyStage.length,
        draft: count('draft'),
        live: count('live'),
        ready_for_review: count('ready_for_review'),
      },
    },
  };
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
