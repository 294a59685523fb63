import * as z from 'zod';
import { collectRows, parseAnswer } from './answer.js';
import type { ReadCall } from './call.js';
import { readPages, type Slice } from './paging.js';
import type { WorkflowStage } from './project-fields.js';
import type { SearchClause } from './search-clauses.js';
import { count, externalId, identifier, multilingual, readId, text } from './wire-values.js';

export interface ProjectQuery {
  /** Clauses that must all match. */
  readonly must?: readonly SearchClause[];
  /** All stages by default. */
  readonly stage?: WorkflowStage | 'all';
  /** Only projects that the key's user owns. */
  readonly owned?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** An industry of the master data. Industries have no list of their own: they only appear here and in projects. */
const Industry = z.preprocess(
  readId,
  z.object({ id: identifier, values: multilingual, external_unique_id: externalId }),
);

/** A hit of the project search (spec, Search result item). */
export const WireProjectHit = z.preprocess(
  readId,
  z.object({
    id: identifier,
    external_unique_id: externalId,
    month_from: text,
    year_from: text,
    month_to: text,
    year_to: text,
    project_name: multilingual,
    project_introduction: multilingual,
    company_customer_id: text,
    customer_name: multilingual,
    industry: Industry.nullish(),
    extent: text,
    extent_hours: text,
    workflow_stage: text,
    image_count: count,
  }),
);
export type WireProjectHit = z.infer<typeof WireProjectHit>;

export interface ProjectHit {
  readonly project: WireProjectHit;
  readonly previewUrl: string | null;
}

export interface ProjectSearchPage {
  readonly projects: readonly ProjectHit[];
  /** Number of matching projects of the requested stage, on all pages. */
  readonly total: number | null;
  /** Number of matching projects per stage, for all stages. */
  readonly stageCounts: Readonly<Record<string, number>>;
}

/** The spec names no maximum for this search, but every list of the interface returns a hundred rows. */
const PAGE_SIZE = 100;

const Hit = z
  .object({ reference: WireProjectHit, preview_url: z.string().nullish() })
  .transform((hit): ProjectHit => ({ project: hit.reference, previewUrl: hit.preview_url ?? null }));
const Counts = z.object({
  references: z.array(z.unknown()),
  total: count,
  workflow_stage_counts: z.record(z.string(), z.number()).nullish(),
});

/** The clauses, stage and owner in the form that the search and the report accept. */
export function buildProjectFilter({ must, stage, owned }: ProjectQuery) {
  return { must, workflow_stage_filter: stage, filter_owned: owned };
}

export async function searchProjectPage(
  call: ReadCall,
  { offset, size, signal, ...filter }: ProjectQuery & Slice,
): Promise<ProjectSearchPage> {
  const body = { offset, size, ...buildProjectFilter(filter) };
  const answer = await call({ endpoint: 'searchProjects', body, signal });
  const { total, workflow_stage_counts: stageCounts } = parseAnswer(answer, Counts);
  const projects = await collectRows(answer, Hit, 'references');
  return { projects, total: total ?? null, stageCounts: stageCounts ?? {} };
}

/** Reads all pages; each project comes once. */
export async function* searchProjects(
  call: ReadCall,
  { size = PAGE_SIZE, ...query }: ProjectQuery & Partial<Slice>,
): AsyncGenerator<ProjectSearchPage, void, undefined> {
  let stageCounts: ProjectSearchPage['stageCounts'] = {};
  const pages = readPages<ProjectHit>({
    size,
    async readPage(offset) {
      const page = await searchProjectPage(call, { ...query, offset, size });
      stageCounts = page.stageCounts;
      return { rows: page.projects, total: page.total };
    },
    idOf: (hit) => hit.project.id,
  });
  for await (const { rows, total } of pages) yield { projects: rows, total, stageCounts };
}
