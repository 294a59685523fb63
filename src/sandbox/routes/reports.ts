import { MOST_CVS, REPORT_FORMATS, type ReportFormat } from '../../model/report-kinds.js';
import { describeAge } from '../answers/render-cv.js';
import { signUrl } from '../answers/signed-links.js';
import { toStamp } from '../answers/stamps.js';
import { isAdministrator, ownCountryOf, readParty } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { readLanguageCode } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { bodyOf, readListParameter, readParameter } from '../fields/values.js';
import { REPORT_TYPES } from '../reports/cv-report-types.js';
import type { CvReportRequest, ReferenceReportRequest } from '../reports/process-report.js';
import { countCvs, readCvCondition, type UserCondition } from '../search/search-cvs.js';
import { findReferences, readReferencePage } from '../search/search-references.js';
import type { ReportDocument } from '../store/documents.js';
import { createId } from '../store/store.js';

/** Requires the role Country Manager or Administrator (spec, Reports). */
function requireReporter(call: Call): void {
  const { role } = call.key;
  if (isAdministrator(call.key) || role === 'readonly_internationalmanager' || role === 'countrymanager') return;
  refuse(403, 'the CV report needs a Country Manager or Administrator role');
}

function readFormat(format: unknown): ReportFormat {
  return REPORT_FORMATS.find((one) => one === format) ?? refuse(400, 'output_format must be csv or xlsx');
}

export function startCvReport(call: Call): object {
  requireReporter(call);
  const report_type = readParameter(call.query, 'report_type') ?? '';
  if (!Object.hasOwn(REPORT_TYPES, report_type)) {
    refuse(400, `report_type must be one of ${Object.keys(REPORT_TYPES).join(', ')}`);
  }
  if ((readParameter(call.query, 'encoding') || 'UTF-8').toUpperCase() !== 'UTF-8') {
    refuse(400, 'encoding must be UTF-8');
  }
  const output_format = readFormat(readParameter(call.query, 'output_format'));
  const condition = limitCountry(call, readCvCondition(call, bodyOf(call)));
  const total = countCvs(call.world, condition);
  if (total > MOST_CVS) {
    refuse(400, `${total} CVs match, a report holds at most ${MOST_CVS}: split it with office_ids`);
  }
  const request: CvReportRequest = { report_type, output_format, ...readLanguages(call), mode: call.mode, condition };
  return renderCvReport(call, startReport(call, { kind: 'cvs', total, request: { ...request } }));
}

/** Limits a countrymanager's report to their own country. */
function limitCountry(call: Call, condition: UserCondition): UserCondition {
  if (call.key.role !== 'countrymanager') return condition;
  const country = call.world.store.countries.first('WHERE code = ?', [ownCountryOf(call) ?? '']);
  return { sql: `country_id = ? AND (${condition.sql})`, values: [country?.id ?? '', ...condition.values] };
}

/** Reads the languages of a report. The default is all languages of the account; titles show the codes as given. */
function readLanguages({ world, query, mode }: Call): Pick<CvReportRequest, 'languages' | 'titles'> {
  const titles: Record<string, string> = {};
  for (const code of readListParameter(query, 'lang')) {
    const iso = readLanguageCode(code, mode);
    if (iso === undefined || !world.account.languages.includes(iso)) {
      refuse(400, `lang ${code} is not a language of the account`);
    }
    titles[iso] ??= code;
  }
  const named = Object.keys(titles);
  return { languages: named.length === 0 ? world.account.languages : named, titles };
}

function startReport(call: Call, asked: Pick<ReportDocument, 'kind' | 'total' | 'request'>): ReportDocument {
  const { world } = call;
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

function requireReport({ world, params }: Call, kind: ReportDocument['kind']): ReportDocument {
  const report = world.store.reports.get(params.report_id);
  return report?.kind === kind ? report : refuse(404, 'report not found');
}

function countPercent({ state, processed, total }: ReportDocument): number {
  if (state === 'finished') return 100;
  return total === 0 ? 0 : Math.floor((processed / total) * 100);
}

/** Returns the link to a finished report, otherwise null. Every poll signs the link again. */
function linkTo(call: Call, { id, state }: ReportDocument): string | null {
  return state === 'finished' ? signUrl(call, id) : null;
}

function renderCvReport(call: Call, report: ReportDocument): object {
  const { world } = call;
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
    cv_report: { url: linkTo(call, report) },
  };
}

export function getCvReport(call: Call): object {
  requireReporter(call);
  return renderCvReport(call, requireReport(call, 'cvs'));
}

export function startReferenceReport(call: Call): object {
  const body = bodyOf(call);
  const output_format = readFormat(body.output_format);
  const { offset, size } = readReferencePage(body, Number.MAX_SAFE_INTEGER);
  const { inStage } = findReferences(call, body);
  const page = body.size === undefined ? inStage.slice(offset) : inStage.slice(offset, offset + size);
  const project_ids = page.map(({ id }) => id);
  const request: ReferenceReportRequest = { output_format, project_ids, mode: call.mode };
  const report = startReport(call, { kind: 'references', total: page.length, request: { ...request } });
  return renderReferenceReport(call, report);
}

function renderReferenceReport(call: Call, report: ReportDocument): object {
  const { id, processed, total, state } = report;
  return {
    _id: id,
    id,
    percentProcessed: countPercent(report),
    processed,
    total,
    state,
    file: { url: linkTo(call, report) },
  };
}

export function getReferenceReport(call: Call): object {
  return renderReferenceReport(call, requireReport(call, 'references'));
}
