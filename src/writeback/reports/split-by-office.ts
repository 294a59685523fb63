import { SyncError } from '../../base/errors.js';
import type { CvReportDelivery } from '../../config/resolve-deliveries.js';
import { foldKey } from '../../model/observed.js';
import { MOST_CVS } from '../../model/report-kinds.js';
import type { SearchClause } from '../../service/search-clauses.js';
import type { MirrorStore } from '../../store/mirror/mirror-store.js';
import { claimCall, type DeliveryTools } from './deliverable.js';
import { unknownFilterError } from './filter-clauses.js';

export interface OfficeChoice {
  /** The internal ids, ordered by country and name. */
  readonly ids: readonly string[];
  /** True if the configuration limits the report to these offices. Otherwise the list contains all offices. */
  readonly limited: boolean;
  /** Internal id → `no/Oslo`. */
  readonly nameOf: (id: string) => string;
}

/** @throws SyncError SYNC_REFERENCE_UNKNOWN */
export function listOffices(
  { at, offices: wanted }: Pick<CvReportDelivery, 'at' | 'offices'>,
  mirror: MirrorStore,
): OfficeChoice {
  const all = [...mirror.all('offices')]
    .map(({ id, values }) => ({ id, country: String(values.country ?? ''), name: String(values.name ?? '') }))
    .sort((a, b) => compare(`${a.country}/${a.name}`, `${b.country}/${b.name}`));
  const names = new Map(all.map(({ id, country, name }) => [id, `${country}/${name}`]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  if (wanted.length === 0) return { ids: all.map(({ id }) => id), limited: false, nameOf };
  const chosen = new Set<string>();
  for (const [index, { country, name }] of wanted.entries()) {
    const inCountry = all.filter((office) => foldKey(office.country) === foldKey(country));
    const found = inCountry.filter((office) => name === null || foldKey(office.name) === foldKey(name));
    const place = `${at}.filter.offices[${index}]`;
    if (inCountry.length === 0) {
      throw unknownFilterError(
        'office in the country',
        country,
        [...new Set(all.map((office) => office.country))],
        place,
      );
    }
    if (found.length === 0) {
      throw unknownFilterError(
        `office in ${country}`,
        name ?? '',
        inCountry.map((office) => office.name),
        place,
      );
    }
    for (const { id } of found) chosen.add(id);
  }
  return { ids: all.flatMap(({ id }) => (chosen.has(id) ? [id] : [])), limited: true, nameOf };
}

interface Split extends OfficeChoice {
  /** The path of the delivery in the configuration. */
  readonly at: string;
  readonly must: readonly SearchClause[];
}

/**
 * Returns the office filters of the reports that together cover the delivery; null for one report of all offices.
 *
 * It counts CVs first, with a search for one row, because a report does not show if it was truncated. It halves the
 * offices until each part fits, which takes few calls. A count equal to the limit may be capped too, so the part is
 * split if possible.
 *
 * @throws SyncError SYNC_REPORT_TOO_LARGE if splitting by office cannot make the parts small enough
 */
export async function splitByOffice(
  split: Split,
  tools: DeliveryTools,
): Promise<readonly (readonly string[] | null)[]> {
  const { ids, limited } = split;
  const total = await countCvs(limited ? ids : null, split, tools);
  if (total < MOST_CVS || (total === MOST_CVS && ids.length < 2)) return [limited ? ids : null];
  const lots = await halve(ids, total, split, tools);
  const found = lots.reduce((sum, { count }) => sum + count, 0);
  if (!limited && found < total && total > MOST_CVS) throw refuseOfficeless(split, total - found);
  const filled = lots.filter(({ count }) => count > 0).map(({ officeIds }) => officeIds);
  return filled.length === 0 ? [ids] : filled;
}

interface Lot {
  readonly officeIds: readonly string[];
  readonly count: number;
}

async function halve(
  officeIds: readonly string[],
  count: number,
  split: Split,
  tools: DeliveryTools,
): Promise<readonly Lot[]> {
  if (count < MOST_CVS) return [{ officeIds, count }];
  if (officeIds.length < 2) {
    if (count <= MOST_CVS && officeIds.length === 1) return [{ officeIds, count }];
    throw refuseTooLarge(split, officeIds, count);
  }
  const middle = Math.ceil(officeIds.length / 2);
  const lots: Lot[] = [];
  for (const half of [officeIds.slice(0, middle), officeIds.slice(middle)]) {
    lots.push(...(await halve(half, await countCvs(half, split, tools), split, tools)));
  }
  return lots;
}

async function countCvs(officeIds: readonly string[] | null, { must }: Split, tools: DeliveryTools): Promise<number> {
  claimCall(tools);
  const { reader, signal } = tools;
  const query = { ...(officeIds === null ? {} : { officeIds }), ...(must.length === 0 ? {} : { must }) };
  const page = await reader.cvs.searchPage({ ...query, offset: 0, size: 1, signal });
  // If the service returns no count, the report is assumed to fit.
  return page.total ?? 0;
}

function refuseTooLarge({ at, nameOf }: Split, [office]: readonly string[], count: number): SyncError {
  const where = office === undefined ? 'The account has no offices, and' : `The office ${nameOf(office)} alone`;
  return new SyncError('SYNC_REPORT_TOO_LARGE', {
    message: `${where} has ${count} CVs that match; a report holds at most ${MOST_CVS}, and can only be split by office.`,
    place: at,
    remedy: 'Narrow it with `filter`: configure one report for each of several tags or skills.',
  });
}

/** The error for CVs without an office, which would be missing from every part without notice. */
function refuseOfficeless({ at }: Split, missing: number): SyncError {
  return new SyncError('SYNC_REPORT_TOO_LARGE', {
    message: `It must be split by office, but ${missing} CVs that match belong to no office: they would be missing.`,
    place: at,
    remedy: 'Give these people an office in the service, or list the required offices under `filter.offices`.',
  });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
