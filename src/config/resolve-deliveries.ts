import { type DropPlace, resolveDrop } from '../base/settings/resolve-drop.js';
import type { YamlPath } from '../base/settings/resolving.js';
import { REPORT_FORMATS, type ReportFormat } from '../model/report-kinds.js';
import { checkCron } from './check-cron.js';
import {
  checkFormat,
  checkLanguage,
  type DeliverySurroundings,
  listWantedOffices,
  resolveFilter,
} from './delivery-parts.js';
import type { DeliveryInput } from './delivery-schema.js';
import { type DocumentDelivery, resolveDocuments } from './resolve-documents.js';
import type { ConfigProblems } from './yaml/config-problems.js';

/** The sections with deliveries. `reports` is the older name. */
export const DELIVERY_SECTIONS = ['deliveries', 'reports'] as const;
type DeliverySections = Readonly<
  Partial<Record<(typeof DELIVERY_SECTIONS)[number], Readonly<Record<string, DeliveryInput>> | undefined>>
>;

type DeliveryKind = DeliveryInput['kind'];

/** Key → the kinds of delivery that have it. Other keys belong to every kind. */
const KEYS_OF: Readonly<Record<string, readonly DeliveryKind[]>> = {
  type: ['cv'],
  languages: ['cv'],
  language: ['cv_documents', 'reference_documents'],
  template: ['cv_documents', 'reference_documents'],
  at_most: ['cv_documents', 'reference_documents'],
  gone: ['cv_documents', 'reference_documents'],
  'filter.offices': ['cv', 'cv_documents'],
  'filter.skills': ['cv', 'cv_documents'],
  'filter.stage': ['reference', 'reference_documents'],
  'filter.owned': ['reference', 'reference_documents'],
};

/** Kind → its name in messages. */
const KINDS: Readonly<Record<DeliveryKind, string>> = {
  cv: 'CV reports',
  reference: 'reference reports',
  cv_documents: 'documents of CVs',
  reference_documents: 'documents of references',
};

interface ResolvedDeliveries {
  readonly reports: readonly DeliveredReport[];
  readonly documents: readonly DocumentDelivery[];
}

export function resolveDeliveries(sections: DeliverySections, surroundings: DeliverySurroundings): ResolvedDeliveries {
  const { report } = surroundings;
  const reports: DeliveredReport[] = [];
  const documents: DocumentDelivery[] = [];
  const seen = new Set<string>();
  for (const section of DELIVERY_SECTIONS) {
    for (const [name, input] of Object.entries(sections[section] ?? {})) {
      const path = [section, name];
      if (seen.has(name)) report.add(path, `"${name}" is in \`deliveries\` too`, 'Give it another name.', 'key');
      seen.add(name);
      checkCommon({ name, path, input }, report);
      const { kind } = input;
      if (kind === 'cv_documents' || kind === 'reference_documents')
        documents.push(resolveDocuments({ name, path, kind, input }, surroundings));
      else reports.push(resolveReport({ name, path, input }, surroundings));
    }
  }
  checkNames([...reports, ...documents], report);
  return { reports, documents };
}

function checkCommon({ name, path, input }: WrittenDelivery, report: ConfigProblems): void {
  if (!/^[\w.-]+$/.test(name)) {
    const remedy = 'Name it with letters, digits, `-`, `_` and `.`: the name is in file names and commands.';
    report.add(path, `"${name}" cannot be the name of a delivery`, remedy, 'key');
  }
  checkKind(path, input, report);
  if (input.schedule !== undefined) checkCron([...path, 'schedule'], input.schedule, report);
}

/** A report of the service that is created on its own schedule and delivered as a file. */
export type DeliveredReport = Readonly<ReturnType<typeof resolveReport>>;
export type CvReportDelivery = Extract<DeliveredReport, { kind: 'cv' }>;
export type ReferenceReportDelivery = Extract<DeliveredReport, { kind: 'reference' }>;

interface WrittenDelivery {
  readonly name: string;
  readonly path: YamlPath;
  readonly input: DeliveryInput;
}

function resolveReport({ name, path, input }: WrittenDelivery, surroundings: DeliverySurroundings) {
  const { timezone, report } = surroundings;
  const format = checkFormat(path, input.format ?? 'csv', REPORT_FORMATS, report);
  const fileName = input.deliver.name ?? `{report}-{date}.${format}`;
  for (const [index, code] of (input.languages ?? []).entries())
    checkLanguage([...path, 'languages', index], code, report);
  if (input.format === undefined || input.format === format)
    checkFileName([...path, 'deliver', 'name'], fileName, format, report);
  const basics = {
    name,
    /** Path in the configuration, for messages: `reports.skills`. */
    at: path.join('.'),
    format,
    filter: resolveFilter(input.filter),
    schedule: { every: input.schedule ?? '', timezone },
    place: resolveDrop([...path, 'deliver'], input.deliver, surroundings),
    /** May contain `{report}`, `{date}` and `{time}`. */
    fileName,
  };
  const { filter } = input;
  // A CV report without a type has already been reported.
  if (input.kind === 'cv' && input.type !== undefined) {
    return {
      ...basics,
      kind: 'cv' as const,
      type: input.type,
      /** Empty for all languages of the account. */
      languages: input.languages ?? [],
      offices: listWantedOffices(filter),
    };
  }
  return { ...basics, kind: 'reference' as const, stage: filter.stage ?? 'all', owned: filter.owned ?? false };
}

function checkKind(path: YamlPath, input: DeliveryInput, report: ConfigProblems): void {
  for (const [key, kinds] of Object.entries(KEYS_OF)) {
    const steps = key.split('.');
    const value = steps.reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], input);
    if (value === undefined || kinds.includes(input.kind)) continue;
    const last = steps.at(-1) ?? '';
    const message = `\`${last}\` is only for ${kinds.map((kind) => KINDS[kind]).join(' and ')}, not for ${KINDS[input.kind]}`;
    report.add([...path, ...steps], message, 'Remove it.', 'key');
  }
}

/** Checks a file name. Only `drop` may name folders, and readers of the file depend on its extension. */
function checkFileName(path: YamlPath, name: string, format: ReportFormat, report: ConfigProblems): void {
  const unknown = [...name.matchAll(/\{([^}]*)\}/g)].find(([, word = '']) => !/^(report|date|time)$/.test(word));
  if (unknown !== undefined) {
    report.add(path, `${unknown[0]} has no meaning here`, 'Accepted: {report}, {date} and {time}.');
  } else if (/[/\\\s]|^\./.test(name)) {
    const remedy = 'Write a file name without folders and blanks, as in "skills-{date}.csv"; `drop` names the folder.';
    report.add(path, `"${name}" cannot be the name of a delivered file`, remedy);
  } else if (!name.endsWith(`.${format}`)) {
    report.add(
      path,
      `"${name}" does not end with the format of the report`,
      `End it with .${format}, or set \`format\`.`,
    );
  }
}

/** Rejects deliveries with the same file name, because one would replace the other. */
function checkNames(deliveries: readonly (DeliveredReport | DocumentDelivery)[], report: ConfigProblems): void {
  const seen = new Map<string, string>();
  for (const { name, at, place, fileName } of deliveries) {
    const target = JSON.stringify([describePlace(place), fileName.replaceAll('{report}', name)]);
    const first = seen.get(target);
    seen.set(target, name);
    if (first === undefined) continue;
    const remedy =
      'Give each its own file name: put {report} into that of a report, and a folder into that of documents.';
    report.add([...splitPath(at, name), 'deliver'], `"${first}" is delivered under the same name`, remedy, 'key');
  }
}

function splitPath(at: string, name: string): YamlPath {
  return [at.slice(0, -name.length - 1), name];
}

function describePlace({ drop, sftp }: DropPlace): readonly unknown[] {
  return sftp === null ? [drop] : [sftp.host, sftp.port, sftp.path];
}
