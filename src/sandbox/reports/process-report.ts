import type { ReportDocument } from '../documents.js';
import { resolveSection } from '../inherited-values.js';
import { type CodeMode, toWireCode } from '../languages.js';
import type { ProjectDocument } from '../project-documents.js';
import type { World } from '../route.js';
import { findCvs, type UserCondition } from '../search-cvs.js';
import { isSectionType } from '../section-kinds.js';
import { expandColumns, type ReportColumn, type ReportContext, type ReportLine } from './columns.js';
import { REPORT_TYPES, type ReportType } from './cv-report-types.js';

/** What the file of a report is made from; kept with it, so that a restart can go on. */
export interface CvReportRequest {
  readonly report_type: string;
  readonly languages: readonly string[];
  readonly titles: ReportContext['titles'];
  readonly mode: CodeMode;
  readonly condition: UserCondition;
}

export interface ReferenceReportRequest {
  readonly project_ids: readonly string[];
  readonly mode: CodeMode;
}

/** Records per step: between them other requests are answered, and progress can be seen. */
const STEP = 500;

/** Makes the file; the report stays `started` until it is finished. */
export async function processReport(world: World, reportId: string, isStopped: () => boolean): Promise<void> {
  const report = world.store.reports.get(reportId);
  if (report?.state !== 'started') return;
  const lines = report.kind === 'cvs' ? writeCvLines(world, report) : writeReferenceLines(world, report);
  const texts: string[] = [];
  let processed = 0;
  for (const step of lines) {
    if (isStopped()) return;
    texts.push(...step.lines);
    processed += step.records;
    world.store.reports.put({ ...report, processed, updated_at: world.clock.now() });
    await new Promise((resolve) => setImmediate(resolve));
  }
  const name = report.kind === 'cvs' ? String(report.request.report_type) : 'references';
  world.store.files.put({
    id: report.id,
    file_name: `${name}.csv`,
    content_type: 'text/csv; charset=utf-8',
    base64: Buffer.from(`${texts.join('\r\n')}\r\n`).toString('base64'),
  });
}

export function finishReport(world: World, reportId: string): void {
  const report = world.store.reports.get(reportId);
  if (!report || !world.store.files.get(reportId)) return;
  const now = world.clock.now();
  world.store.reports.put({ ...report, state: 'finished', processed: report.total, updated_at: now });
}

interface WrittenLines {
  readonly lines: readonly string[];
  readonly records: number;
}

function* writeCvLines(world: World, report: ReportDocument): Generator<WrittenLines> {
  const request = report.request as unknown as CvReportRequest;
  const type = REPORT_TYPES[request.report_type];
  if (!type) return;
  const { languages, titles, mode, condition } = request;
  const context: ReportContext = { world, languages, titles, mode, ownerIds: listOwners(world) };
  const columns = expandColumns(type.columns, context);
  yield { lines: [writeLine(columns.map(({ title }) => title))], records: 0 };
  for (let offset = 0; offset < report.total; offset += STEP) {
    const found = findCvs(world, condition, offset, Math.min(STEP, report.total - offset));
    const lines = found.flatMap((owned) => listLines(world, type, { owned }));
    yield { lines: lines.map((line) => writeCells(columns, line, context)), records: found.length };
  }
}

function writeCells(columns: readonly ReportColumn[], line: ReportLine, context: ReportContext): string {
  return writeLine(columns.map((column) => column.read(line, context)));
}

function listOwners(world: World): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const project of world.store.projects.each()) for (const id of project.owner_ids) ids.add(id);
  return ids;
}

/** The lines that one CV gives a report. */
function listLines(world: World, { lines }: ReportType, { owned }: ReportLine): readonly ReportLine[] {
  const { sections } = owned.cv;
  if (isSectionType(lines)) {
    return (sections[lines] ?? []).map((section) => ({ owned, section: resolveSection(world, section) }));
  }
  if (lines === 'cv') return [{ owned }];
  const [type, part] = lines === 'skill' ? (['technologies', 'technology_skills'] as const) : ROLES;
  return (sections[type] ?? []).flatMap((section) =>
    (section.parts[part] ?? []).map((entry) => ({ owned, section, part: entry })),
  );
}

const ROLES = ['project_experiences', 'roles'] as const;

const REFERENCE_STRINGS = [
  'external_unique_id',
  'month_from',
  'year_from',
  'month_to',
  'year_to',
  'extent',
  'extent_amt',
  'extent_currency',
  'extent_hours_new',
  'location_country_code',
] as const;
const REFERENCE_TEXTS = ['project_name', 'project_introduction', 'project_description', 'type'] as const;

/** Columns are not shown in the spec: the fields of the records by their own names. */
function* writeReferenceLines(world: World, report: ReportDocument): Generator<WrittenLines> {
  const { project_ids: ids, mode } = report.request as unknown as ReferenceReportRequest;
  const { languages } = world.account;
  const inLanguages = (name: string): string[] => languages.map((code) => `${name} (${toWireCode(code, mode)})`);
  const titles = ['id', 'company_customer_id', 'workflow_stage', ...REFERENCE_STRINGS];
  const textTitles = ['customer_name', ...REFERENCE_TEXTS].flatMap(inLanguages);
  yield { lines: [writeLine([...titles, ...textTitles])], records: 0 };
  for (let offset = 0; offset < ids.length; offset += STEP) {
    const page = ids.slice(offset, offset + STEP);
    const found = page.flatMap((id) => world.store.projects.get(id) ?? []);
    yield { lines: found.map((project) => writeLine(readReference(world, project))), records: page.length };
  }
}

function readReference(world: World, project: ProjectDocument): readonly (string | null)[] {
  const customer = world.store.customers.get(project.company_customer_id);
  const texts = [customer?.customer_name ?? {}, ...REFERENCE_TEXTS.map((field) => project.texts[field] ?? {})];
  return [
    project.id,
    project.company_customer_id,
    project.workflow_stage,
    ...REFERENCE_STRINGS.map((field) => project.strings[field] ?? null),
    ...texts.flatMap((text) => world.account.languages.map((code) => text[code] ?? '')),
  ];
}

/** RFC 4180: quoted where it has to be. */
function writeLine(cells: readonly (string | number | null)[]): string {
  return cells
    .map((cell) => {
      const text = cell === null ? '' : String(cell);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(',');
}
