import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import { formatTemplate } from '../../service/endpoints.js';
import type { WireProjectHit } from '../../service/project-search.js';
import type { WireProject } from '../../service/wire.js';
import { claimCall } from '../reports/deliverable.js';
import { buildClauses } from '../reports/filter-clauses.js';
import type { DocumentKind, ListedRecord, Survey, SurveyTools } from './document-kind.js';

/**
 * Reference projects. The search does not show when a project changed. A survey therefore reads the projects of each
 * customer found, with one call per customer, and compares their contents. Because of these calls, such a delivery needs
 * a schedule.
 */
export const REFERENCE_DOCUMENTS: DocumentKind = {
  of: 'reference documents',
  entity: 'projects',
  endpoint: () => 'downloadProject',
  survey: surveyReferences,
  // A single project cannot be read without its customer.
  proveAbsence: async () => 'unproven',
};

async function surveyReferences(delivery: DocumentDelivery, tools: SurveyTools): Promise<Survey> {
  const { reader, signal } = tools;
  const hits = new Map<string, WireProjectHit[]>();
  let [found, pages, unknown] = [0, 0, 0];
  let count: number | null = null;
  const { stage, owned, at, filter } = delivery;
  const must = buildClauses(at, filter, tools.mirror);
  claimCall(tools);
  const query = { stage, owned, signal, ...(must.length === 0 ? {} : { must }) };
  for await (const { projects, total } of reader.projects.search(query)) {
    pages += 1;
    found += projects.length;
    count = total;
    for (const { project } of projects) {
      const customer = project.company_customer_id ?? '';
      hits.set(customer, [...(hits.get(customer) ?? []), project]);
    }
  }
  const listed: ListedRecord[] = [];
  for (const [customerId, ofCustomer] of hits) {
    claimCall(tools);
    const shown = new Map((await reader.projects.list(customerId, signal))?.map((project) => [project.id, project]));
    for (const hit of ofCustomer) {
      const project = shown.get(hit.id);
      if (project === undefined) unknown += 1;
      else listed.push(buildRecord(hit, { project, customerId }, delivery, tools));
    }
  }
  const calls = { [formatTemplate('searchProjects')]: Math.max(1, pages), [formatTemplate('listProjects')]: hits.size };
  return { listed, isWhole: count !== null && found >= count && unknown === 0, calls };
}

function buildRecord(
  hit: WireProjectHit,
  { project, customerId }: { readonly project: WireProject; readonly customerId: string },
  { language, format: filetype, template }: DocumentDelivery,
  { reader, signal }: SurveyTools,
): ListedRecord {
  const form = { language, filetype, signal, templateId: template ?? '' };
  return {
    key: project.id,
    stamp: `${project.updated_at ?? ''} ${digestProject(project, hit)}`,
    words: {
      name: inLanguage(hit.project_name, language),
      id: project.id,
      external_id: project.external_unique_id ?? '',
      customer: inLanguage(hit.customer_name, language),
    },
    fetch: () => reader.documents.downloadProject({ customerId, projectId: project.id }, form),
  };
}

/** Hashes everything shown except image addresses, which are signed again at each read. */
function digestProject(project: WireProject, { customer_name, industry }: WireProjectHit): string {
  const text = JSON.stringify([project, customer_name, industry], (name, value: unknown) =>
    name === 'url' ? undefined : value,
  );
  return sha256(canonicalJson(JSON.parse(text) as Json)).slice(0, 16);
}

/** Returns the text in the given language, or in the first available language. */
function inLanguage(texts: Readonly<Record<string, unknown>> | null | undefined, language: string): string {
  const text = texts?.[language] ?? Object.values(texts ?? {})[0];
  return typeof text === 'string' ? text : '';
}
