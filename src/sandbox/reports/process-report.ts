import type { ReportFormat } from '../../model/report-kinds.js';
import type { World } from '../account/world.js';
import { toStamp } from '../answers/stamps.js';
import type { CodeMode } from '../fields/languages.js';
import { isSectionType } from '../fields/section-kinds.js';
import { resolveSection } from '../records/inherited-values.js';
import { listCvOwners, readCvs, type UserCondition } from '../search/search-cvs.js';
import type { ReportDocument } from '../store/documents.js';
import { createFileWriter } from '../store/stored-files.js';
import { expandColumns, type ReportContext, type ReportLine } from './columns.js';
import { CSV } from './csv-format.js';
import { REPORT_TYPES, type ReportType } from './cv-report-types.js';
import { listReferenceColumns, readReferenceRow } from './reference-report.js';
import type { ReportCell, ReportTable, TableFormat } from './report-table.js';
import { XLSX } from './xlsx-format.js';

/** The input of a report. It is stored, so that the report can continue after a restart. */
export interface CvReportRequest {
  readonly report_type: string;
  readonly output_format: ReportFormat;
  readonly languages: readonly string[];
  readonly titles: ReportContext['titles'];
  readonly mode: CodeMode;
  readonly condition: UserCondition;
}

export interface ReferenceReportRequest {
  readonly output_format: ReportFormat;
  readonly project_ids: readonly string[];
  readonly mode: CodeMode;
}

const FORMATS: Readonly<Record<ReportFormat, TableFormat>> = { csv: CSV, xlsx: XLSX };

/** Number of records that are in memory at the same time. */
const STEP = 25;
/** Number of records after which other requests are answered and the progress is updated. */
const PAUSE_AFTER = 500;

/** Writes the file of a report. The report remains `started` until it is finished. */
export async function processReport(world: World, reportId: string, isStopped: () => boolean): Promise<void> {
  const report = world.store.reports.get(reportId);
  if (report?.state !== 'started') return;
  const { name, columns, steps } = report.kind === 'cvs' ? readCvReport(world, report) : readReferences(world, report);
  const { extension, contentType, write } = FORMATS[report.request.output_format as ReportFormat];
  const file = { id: report.id, file_name: `${name}.${extension}`, content_type: contentType };
  const writer = createFileWriter(world.store, file);
  const pages = followSteps(world, report, steps, isStopped);
  const table: ReportTable = { name, columns, pages, writeTime: (time) => toStamp(world, time.getTime()) };
  for await (const chunk of write(table)) writer.write(chunk);
  // A report that was interrupted is written again at the next start.
  if (!isStopped()) writer.finish();
}

export function finishReport(world: World, reportId: string): void {
  const report = world.store.reports.get(reportId);
  if (!report || !world.store.files.get(reportId)) return;
  const now = world.clock.now();
  world.store.reports.put({ ...report, state: 'finished', processed: report.total, updated_at: now });
}

interface ReportStep {
  readonly rows: readonly (readonly ReportCell[])[];
  readonly records: number;
}

type ReportContent = Pick<ReportTable, 'name' | 'columns'> & { readonly steps: Iterable<ReportStep> };

async function* followSteps(
  world: World,
  report: ReportDocument,
  steps: Iterable<ReportStep>,
  isStopped: () => boolean,
): AsyncGenerator<ReportStep['rows'], void, undefined> {
  let processed = 0;
  for (const { rows, records } of steps) {
    yield rows;
    processed += records;
    if (processed % PAUSE_AFTER !== 0) continue;
    world.store.reports.put({ ...report, processed, updated_at: world.clock.now() });
    world.store.releaseMemory();
    await new Promise((resolve) => setImmediate(resolve));
    if (isStopped()) return;
  }
}

function readCvReport(world: World, report: ReportDocument): ReportContent {
  const request = report.request as unknown as CvReportRequest;
  const { report_type: name, languages, titles, mode, condition } = request;
  const type = REPORT_TYPES[name];
  if (type === undefined) return { name, columns: [], steps: [] };
  const context: ReportContext = { world, languages, titles, mode, ownerIds: listOwners(world) };
  const columns = expandColumns(type.columns, context);
  const owners = listCvOwners(world, condition).slice(0, report.total);
  const steps = listSteps(owners, (page) => {
    const lines = readCvs(world, page).flatMap((owned) => listLines(world, type, { owned }));
    return lines.map((line) => columns.map((column) => column.read(line, context)));
  });
  return { name, columns, steps };
}

function* listSteps(
  ids: readonly string[],
  readRows: (page: readonly string[]) => ReportStep['rows'],
): Generator<ReportStep> {
  for (let offset = 0; offset < ids.length; offset += STEP) {
    const page = ids.slice(offset, offset + STEP);
    yield { rows: readRows(page), records: page.length };
  }
}

function listOwners(world: World): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const project of world.store.projects.each()) for (const id of project.owner_ids) ids.add(id);
  return ids;
}

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

function readReferences(world: World, report: ReportDocument): ReportContent {
  const { project_ids: ids, mode } = report.request as unknown as ReferenceReportRequest;
  const columns = listReferenceColumns(world.account.languages, mode);
  const find = (id: string) => world.store.projects.get(id) ?? [];
  const steps = listSteps(ids, (page) => page.flatMap(find).map((project) => readReferenceRow(world, project)));
  return { name: 'references', columns, steps };
}
