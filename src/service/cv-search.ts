import * as z from 'zod';
import { collectRows, parseAnswer } from './answer.js';
import type { ReadCall } from './call.js';
import { readPages, type Slice } from './paging.js';
import type { SearchClause } from './search-clauses.js';
import { WireCvPreview } from './wire-cv.js';
import { count } from './wire-values.js';

export interface CvQuery {
  /** Clauses that must all match; without any, the search returns every master CV. */
  readonly must?: readonly SearchClause[];
  /** Internal ids; all offices by default. */
  readonly officeIds?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface CvHit {
  readonly cv: WireCvPreview;
  readonly previewUrl: string | null;
}

export interface CvSearchPage {
  readonly cvs: readonly CvHit[];
  /** Number of matching master CVs on all pages. */
  readonly total: number | null;
}

/** The largest page size that the service does not reject with 400 (spec, Limits). */
const PAGE_SIZE = 500;

const Hit = z
  .object({ cv: WireCvPreview, preview_url: z.string().nullish() })
  .transform((hit): CvHit => ({ cv: hit.cv, previewUrl: hit.preview_url ?? null }));
const Counts = z.object({ cvs: z.array(z.unknown()), total: count });

/** Reads one page (spec, CVs and sections). */
export async function searchCvPage(
  call: ReadCall,
  { offset, size, officeIds, must, signal }: CvQuery & Slice,
): Promise<CvSearchPage> {
  const body = { offset, size, office_ids: officeIds, must };
  const answer = await call({ endpoint: 'searchCvs', body, signal });
  const { total } = parseAnswer(answer, Counts);
  return { cvs: await collectRows(answer, Hit, 'cvs'), total: total ?? null };
}

/** Reads all pages; each CV comes once. The spec does not define the order, so callers must not rely on it. */
export async function* searchCvs(
  call: ReadCall,
  { size = PAGE_SIZE, ...query }: CvQuery & Partial<Slice>,
): AsyncGenerator<CvSearchPage, void, undefined> {
  const pages = readPages<CvHit>({
    size,
    async readPage(offset) {
      const { cvs, total } = await searchCvPage(call, { ...query, offset, size });
      return { rows: cvs, total };
    },
    idOf: (hit) => hit.cv.id,
  });
  for await (const { rows, total } of pages) yield { cvs: rows, total };
}
