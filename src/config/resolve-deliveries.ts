import { itemsOf } from '../model/json.js';
import { isLanguage } from '../model/languages.js';
import type { ReportFormat } from '../model/report-kinds.js';
import { type DropPlace, resolveDrop } from '../settings/resolve-drop.js';
import type { Resolving, YamlPath } from '../settings/resolving.js';
import { checkCron } from './check-cron.js';
import type { ReportInput } from './delivery-schema.js';
import type { ConfigProblems } from './yaml/config-problems.js';

export interface DeliverySurroundings extends Resolving {
  /** Zone of the schedules. */
  readonly timezone: string;
  readonly report: ConfigProblems;
}

/** What one kind of report has and the other has not: where it stands, and what to do about it. */
const OF_CVS = ['type', 'languages'] as const;
const FILTERS = { cv: ['offices', 'skills'], reference: ['stage', 'owned'] } as const;
const KINDS = { cv: 'CV reports', reference: 'reference reports' } as const;

export function resolveDeliveries(
  inputs: Readonly<Record<string, ReportInput>>,
  surroundings: DeliverySurroundings,
): readonly DeliveredReport[] {
  const resolved = Object.entries(inputs).map(([name, input]) => resolveReport(name, input, surroundings));
  checkNames(resolved, surroundings.report);
  return resolved;
}

/** A report of the service that is run by a schedule of its own, and delivered as a file. */
export type DeliveredReport = Readonly<ReturnType<typeof resolveReport>>;
export type CvReportDelivery = Extract<DeliveredReport, { kind: 'cv' }>;
export type ReferenceReportDelivery = Extract<DeliveredReport, { kind: 'reference' }>;

function resolveReport(name: string, input: ReportInput, surroundings: DeliverySurroundings) {
  const { timezone, report } = surroundings;
  const path: YamlPath = ['reports', name];
  if (!/^[\w.-]+$/.test(name)) {
    const remedy = 'Name it with letters, digits, `-`, `_` and `.`: the name is in file names and commands.';
    report.add(path, `"${name}" cannot be the name of a report`, remedy, 'key');
  }
  checkKind(path, input, report);
  checkCron([...path, 'schedule'], input.schedule, report);
  const fileName = input.deliver.name ?? `{report}-{date}.${input.format}`;
  checkFileName([...path, 'deliver', 'name'], fileName, input.format, report);
  const basics = {
    name,
    format: input.format,
    filter: resolveFilter(input.filter),
    schedule: { every: input.schedule, timezone },
    place: resolveDrop([...path, 'deliver'], input.deliver, surroundings),
    /** With `{report}`, `{date}` and `{time}`. */
    fileName,
  };
  const { filter } = input;
  // A CV report without a type has been refused, and is not among them.
  if (input.kind === 'cv' && input.type !== undefined) {
    return {
      ...basics,
      kind: 'cv' as const,
      type: input.type,
      /** Empty: all languages of the account. */
      languages: checkLanguages([...path, 'languages'], input.languages ?? [], report),
      /** An office, or all of a country where `name` is null; empty: everybody. */
      offices: (filter.offices ?? []).map(({ country, name: office = null }) => ({ country, name: office })),
    };
  }
  return { ...basics, kind: 'reference' as const, stage: filter.stage ?? 'all', owned: filter.owned ?? false };
}

function checkKind(path: YamlPath, input: ReportInput, report: ConfigProblems): void {
  const other = input.kind === 'cv' ? 'reference' : 'cv';
  const refuse = (at: YamlPath, key: string): void =>
    report.add(
      at,
      `\`${key}\` is for ${KINDS[other]}, and this is one of the ${KINDS[input.kind]}`,
      'Remove it.',
      'key',
    );
  for (const key of OF_CVS) if (other === 'cv' && input[key] !== undefined) refuse([...path, key], key);
  for (const key of FILTERS[other]) if (input.filter[key] !== undefined) refuse([...path, 'filter', key], key);
}

function checkLanguages(path: YamlPath, languages: readonly string[], report: ConfigProblems): readonly string[] {
  for (const [index, code] of languages.entries()) {
    if (isLanguage(code)) continue;
    report.add([...path, index], `"${code}" is no language`, 'Write two small letters, as in `en` or `no`.');
  }
  return languages;
}

/** Folders are named by `drop` alone, and readers of the file go by its ending. */
function checkFileName(path: YamlPath, name: string, format: ReportFormat, report: ConfigProblems): void {
  const unknown = [...name.matchAll(/\{([^}]*)\}/g)].find(([, word = '']) => !/^(report|date|time)$/.test(word));
  if (unknown !== undefined) {
    report.add(path, `${unknown[0]} stands for nothing here`, 'There are {report}, {date} and {time}.');
  } else if (/[/\\\s]|^\./.test(name)) {
    const remedy = 'Write a file name without folders and blanks, as in "skills-{date}.csv"; `drop` names the folder.';
    report.add(path, `"${name}" is no name of a delivered file`, remedy);
  } else if (!name.endsWith(`.${format}`)) {
    report.add(
      path,
      `"${name}" does not end with the format of the report`,
      `End it with .${format}, or set \`format\`.`,
    );
  }
}

/** One would take the place of the other. */
function checkNames(reports: readonly DeliveredReport[], report: ConfigProblems): void {
  const seen = new Map<string, string>();
  for (const { name, place, fileName } of reports) {
    const target = JSON.stringify([describePlace(place), fileName.replaceAll('{report}', name)]);
    const first = seen.get(target);
    seen.set(target, name);
    if (first === undefined) continue;
    const remedy = 'Give each a file name of its own, as with {report} in it.';
    report.add(['reports', name, 'deliver'], `the report "${first}" is delivered under the same name`, remedy, 'key');
  }
}

function describePlace({ drop, sftp }: DropPlace): readonly unknown[] {
  return sftp === null ? [drop] : [sftp.host, sftp.port, sftp.path];
}

/** All of it must match. */
export type DeliveryFilter = Readonly<ReturnType<typeof resolveFilter>>;

function resolveFilter({ text, any_field: anyField = {}, skills, tags = {} }: ReportInput['filter']) {
  return {
    text: itemsOf(text),
    anyField,
    skills: itemsOf(skills),
    tags: Object.entries(tags).flatMap(([category, tag]) => itemsOf(tag).map((one) => ({ category, tag: one }))),
  };
}
