import { isAdministrator, ownCountryOf, readParty } from '../access.js';
import type { ReportDocument } from '../documents.js';
import { readLanguageCode } from '../languages.js';
import { describeAge } from '../render-cv.js';
import { REPORT_TYPES } from '../reports/cv-report-types.js';
import type { CvReportRequest, ReferenceReportRequest } from '../reports/process-report.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { countCvs, readCvCondition, type UserCondition } from '../search-cvs.js';
import { findReferences, readReferencePage } from '../search-references.js';
import { signUrl } from '../signed-links.js';
import { toStamp } from '../stamps.js';
import { createId } from '../store.js';
import { isBody, readListParameter, readParameter } from '../values.js';

const CV_REPORT = '/api/v2/cv-report';
const REFERENCE_REPORT = '/api/v4/references/reports';

/** Reports change nothing of the account, so that keys which may only read may start them. */
export const REPORT_ROUTES: readonly Route[] = [
  { method: 'POST', path: CV_REPORT, access: 'read', handle: startCvReport },
  { method: 'GET', path: `${CV_REPORT}/:report_id`, access: 'read', handle: getCvReport },
  { method: 'POST', path: REFERENCE_REPORT, access: 'read', handle: startReferenceReport },
  { method: 'GET', path: `${REFERENCE_REPORT}/:report_id`, access: 'read', handle: getReferenceReport },
];

/** CVs per report result (spec, Limits). */
const MOST_CVS = 10_000;

/** Country Manager and Administrator roles only (spec, Reports). */
function requireReporter(call: Call): void {
  const { role } = call.key;
  if (isAdministrator(call.key) || role === 'readonly_internationalmanager' || role === 'countrymanager') return;
  throw new Refusal(403, 'the CV report needs a Country Manager or Administrator role');
}

function checkFormat(format: unknown): void {
  if (format === 'xlsx') throw new Refusal(501, 'this sandbox writes reports as csv only, not as xlsx');
  if (format !== 'csv') throw new Refusal(400, 'output_format must be csv or xlsx');
}

function startCvReport(world: World, call: Call): Answer {
  requireReporter(call);
  const type = readParameter(call.query, 'report_type') ?? '';
  if (!Object.hasOwn(REPORT_TYPES, type)) {
    throw new Refusal(400, `report_type must be one of ${Object.keys(REPORT_TYPES).join(', ')}`);
  }
  if ((readParameter(call.query, 'encoding') || 'UTF-8').toUpperCase() !== 'UTF-8') {
    throw new Refusal(400, 'encoding must be UTF-8');
  }
  checkFormat(readParameter(call.query, 'output_format'));
  const condition = limitCountry(world, call, readCvCondition(world, call, isBody(call.body) ? call.body : {}));
  const total = countCvs(world, condition);
  if (total > MOST_CVS) {
    throw new Refusal(400, `${total} CVs match, a report holds at most ${MOST_CVS}: split it with office_ids`);
  }
  const request: CvReportRequest = {
    report_type: type,
    ...readLanguages(world, call),
    mode: call.mode,
    condition,
  };
  return {
    status: 200,
    body: renderCvReport(world, call, startReport(world, call, { kind: 'cvs', total, request: { ...request } })),
  };
}

/** A countrymanager's report is about the own country. */
function limitCountry(world: World, call: Call, condition: UserCondition): UserCondition {
  if (call.key.role !== 'countrymanager') return condition;
  const country = world.store.countries.first('WHERE code = ?', [ownCountryOf(world, call) ?? '']);
  return { sql: `country_id = ? AND (${condition.sql})`, values: [country?.id ?? '', ...condition.values] };
}

/** None means all languages of the account; those that are named are in the titles as they were named. */
function readLanguages(world: World, call: Call): Pick<CvReportRequest, 'languages' | 'titles'> {
  const titles: Record<string, string> = {};
  for (const code of readListParameter(call.query, 'lang')) {
    const iso = readLanguageCode(code, call.mode);
    if (iso === undefined || !world.account.languages.includes(iso)) {
      throw new Refusal(400, `lang ${code} is not a language of the account`);
    }
    titles[iso] ??= code;
  }
  const named = Object.keys(titles);
  return { languages: named.length === 0 ? world.account.languages : named, titles };
}

function startReport(
  world: World,
  call: Call,
  asked: Pick<ReportDocument, 'kind' | 'total' | 'request'>,
): ReportDocument {
  const now = world.clock.now();
  const report = world.store.reports.put({
    id: createId(),
    ...asked,
    state: 'started',
    downloader_id: readParty(call).id,
    processed: 0,
    created_at: now,
    updated_at: now,
  });
  world.scheduleReport(report.id);
  return report;
}

function requireReport(world: World, call: Call, kind: ReportDocument['kind']): ReportDocument {
  const report = world.store.reports.get(call.params.report_id ?? '');
  if (report?.kind !== kind) throw new Refusal(404, 'report not found');
  return report;
}

function countPercent({ state, processed, total }: ReportDocument): number {
  if (state === 'finished') return 100;
  return total === 0 ? 0 : Math.floor((processed / total) * 100);
}

/** Null until the report is finished; signed again by every poll. */
function linkTo(world: World, call: Call, { id, state }: ReportDocument): string | null {
  return state === 'finished' ? signUrl(world, call.baseUrl, id) : null;
}

function renderCvReport(world: World, call: Call, report: ReportDocument): object {
  return {
    _id: report.id,
    created_at: toStamp(world, report.created_at),
    updated_at: toStamp(world, report.updated_at),
    updated_ago: describeAge(world.clock.now() - report.updated_at),
    downloader_id: report.downloader_id,
    percent_complete: countPercent(report),
    number_of_cvs: report.total,
    number_of_completed_cvs: report.processed,
    state: report.state,
    cv_report: { url: linkTo(world, call, report) },
  };
}

function getCvReport(world: World, call: Call): Answer {
  requireReporter(call);
  return { status: 200, body: renderCvReport(world, call, requireReport(world, call, 'cvs')) };
}

function startReferenceReport(world: World, call: Call): Answer {
  const body = isBody(call.body) ? call.body : {};
  checkFormat(body.output_format);
  const { offset, size } = readReferencePage(body, Number.MAX_SAFE_INTEGER);
  const { inStage } = findReferences(world, call, body);
  const page = body.size === undefined ? inStage.slice(offset) : inStage.slice(offset, offset + size);
  const request: ReferenceReportRequest = { project_ids: page.map((project) => project.id), mode: call.mode };
  const report = startReport(world, call, { kind: 'references', total: page.length, request: { ...request } });
  return { status: 200, body: renderReferenceReport(world, call, report) };
}

function renderReferenceReport(world: World, call: Call, report: ReportDocument): object {
  return {
    _id: report.id,
    id: report.id,
    percentProcessed: countPercent(report),
    processed: report.processed,
    total: report.total,
    state: report.state,
    file: { url: linkTo(world, call, report) },
  };
}

function getReferenceReport(world: World, call: Call): Answer {
  return { status: 200, body: renderReferenceReport(world, call, requireReport(world, call, 'references')) };
}
