import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { objectOf, textOf } from '../../model/json.js';
import { isSettledStamp } from '../../model/settled-stamp.js';
import { formatTemplate } from '../../service/endpoints.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { WireCvPreview } from '../../service/wire-cv.js';
import { claimCall } from '../reports/deliverable.js';
import { buildClauses } from '../reports/filter-clauses.js';
import { listOffices } from '../reports/split-by-office.js';
import type { DocumentKind, ListedRecord, Survey, SurveyTools } from './document-kind.js';

/**
 * CVs of active people. The search returns 500 CVs per call with the time of their last change, so a survey needs no
 * other calls. The mirror shows who is active and supplies the words for the file names.
 */
export const CV_DOCUMENTS: DocumentKind = {
  of: 'cv documents',
  entity: 'users',
  endpoint: ({ template }) => (template === null ? 'downloadCv' : 'downloadCvFromTemplate'),
  survey: surveyCvs,
  async proveAbsence(key, delivery, tools) {
    const { reader, mirror, signal } = tools;
    claimCall(tools);
    const user = await reader.users.get(key, signal);
    if (user === null || user.deactivated === true) return 'gone';
    const { limited, ids } = listOffices(delivery, mirror);
    if (limited && user.office_id != null && !ids.includes(user.office_id)) return 'gone';
    return isNarrowed(delivery) ? 'unproven' : 'there';
  },
};

async function surveyCvs(delivery: DocumentDelivery, tools: SurveyTools): Promise<Survey> {
  const { reader, mirror, signal } = tools;
  const must = buildClauses(delivery.at, delivery.filter, mirror);
  const { limited, ids: officeIds } = listOffices(delivery, mirror);
  const query = { signal, ...(limited ? { officeIds } : {}), ...(must.length === 0 ? {} : { must }) };
  const listed: ListedRecord[] = [];
  let [hits, pages, unknown] = [0, 0, 0];
  let count: number | null = null;
  claimCall(tools);
  for await (const { cvs, total } of reader.cvs.search(query)) {
    pages += 1;
    hits += cvs.length;
    count = total;
    for (const { cv } of cvs) {
      const known = cv.user_id == null ? null : mirror.get('users', cv.user_id);
      // A person who is not in the mirror yet may be active or not.
      if (known === null) unknown += 1;
      else if (known.active) listed.push(buildRecord(cv, known.id, known.values, { delivery, tools }));
    }
  }
  const isWhole = count !== null && hits >= count && unknown === 0;
  return { listed, isWhole, calls: { [formatTemplate('searchCvs')]: Math.max(1, pages) } };
}

function buildRecord(
  cv: WireCvPreview,
  key: string,
  values: Readonly<Record<string, unknown>>,
  { delivery, tools }: { readonly delivery: DocumentDelivery; readonly tools: SurveyTools },
): ListedRecord {
  const { country, name: office } = objectOf(values.office as never);
  const updated = cv.updated_at ?? '';
  return {
    key,
    // If the timestamp may hide a later change, a different stamp is stored, so that the document is fetched once more.
    stamp: isSettledStamp(updated, tools.serviceTime()) ? updated : `${updated} or later`,
    words: {
      name: cv.name ?? wordOf(values.name),
      id: key,
      external_id: wordOf(values.external_unique_id),
      email: cv.email ?? wordOf(values.email),
      country: textOf(country),
      office: textOf(office),
    },
    fetch: () => fetchCv({ userId: key, cvId: cv.id }, delivery, tools),
  };
}

function fetchCv(
  key: { readonly userId: string; readonly cvId: string },
  { language, format: filetype, template }: DocumentDelivery,
  { reader: { documents }, signal }: SurveyTools,
): Promise<ServiceFile> {
  const form = { language, filetype, signal };
  return template === null
    ? documents.downloadCv(key, form)
    : documents.downloadCvFromTemplate(key, { ...form, templateId: template });
}

function wordOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** True if the filter contains conditions other than offices, which no read of the person can check. */
function isNarrowed({ filter: { text, anyField, skills, tags } }: DocumentDelivery): boolean {
  return text.length + skills.length + tags.length + Object.keys(anyField).length > 0;
}
