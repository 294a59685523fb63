import * as z from 'zod';
import type { Json } from '../model/json.js';
import { collectRows, parseAnswer } from './answer.js';
import type { ReadCall } from './call.js';
import { readPages } from './paging.js';
import type { SearchClause } from './search-clauses.js';
import { WireCvPreview } from './wire-cv.js';
import { count } from './wire-values.js';

export interface CvQuery {
  /** Clauses that must all match; without any, every master CV. */
  readonly must?: readonly SearchClause[];
  /** Internal ids; all offices unless given. */
  readonly officeIds?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface CvHit {
  readonly cv: WireCvPreview;
  readonly previewUrl: string | null;
}

export interface CvSearchPage {
  readonly cvs: readonly CvHit[];
  /** Master CVs that match, on all pages. */
  readonly total: number | null;
}

/** The most that is not answered 400 (spec, Limits). */
const PAGE_SIZE = 500;

const Hit = z
  .object({ cv: WireCvPreview, preview_url: z.string().nullish() })
  .transform((hit): CvHit => ({ cv: hit.cv, previewUrl: hit.preview_url ?? null }));
const Counts = z.object({ cvs: z.array(z.unknown()), total: count });

/** One page (spec, CVs and sections): only master CVs are searched. */
export async function searchCvPage(
  call: ReadCall,
  query: CvQuery & { readonly offset: number; readonly size: number },
): Promise<CvSearchPage> {
  const body: Json = {
    offset: query.offset,
    size: query.size,
    ...(query.officeIds === undefined ? {} : { office_ids: query.officeIds }),
    ...(query.must === undefined ? {} : { must: query.must }),
  };
  const answer = await call({ endpoint: 'searchCvs', body, signal: query.signal });
  const { total } = parseAnswer(answer, Counts);
  return { cvs: await collectRows(answer, Hit, 'cvs'), total: total ?? null };
}

/** All pages; a CV that comes twice is delivered once. Its order is not the spec's: do not rely on it. */
export async function* searchCvs(
  call: ReadCall,
  query: CvQuery & { readonly size?: number },
): AsyncGenerator<CvSearchPage, void, undefined> {
  const size = query.size ?? PAGE_SIZE;
  const pages = readPages<CvHit>({
    size,
    async readPage(offset) {
      const page = await searchCvPage(call, { ...query, offset, size });
      return { rows: page.cvs, total: page.total };
    },
    idOf: (hit) => hit.cv.id,
  });
  for await (const page of pages) yield { cvs: page.rows, total: page.total };
}
