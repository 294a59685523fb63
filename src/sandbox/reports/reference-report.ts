import type { World } from '../account/world.js';
import { type CodeMode, toWireCode } from '../fields/languages.js';
import type { ProjectDocument } from '../store/project-documents.js';
import type { ReportCell, TitledColumn } from './report-table.js';

const TEXT: { readonly holdsNumbers?: true } = {};
const NUMBER = { holdsNumbers: true } as const;

/** The spec does not list these columns. They show the fields of the records under the names of these fields. */
const STRINGS = {
  external_unique_id: TEXT,
  month_from: NUMBER,
  year_from: NUMBER,
  month_to: NUMBER,
  year_to: NUMBER,
  extent: TEXT,
  extent_amt: NUMBER,
  extent_currency: TEXT,
  extent_hours_new: NUMBER,
  location_country_code: TEXT,
} as const;
const TEXTS = ['project_name', 'project_introduction', 'project_description', 'type'] as const;

export function listReferenceColumns(languages: readonly string[], mode: CodeMode): readonly TitledColumn[] {
  return [
    ...['id', 'company_customer_id', 'workflow_stage'].map((title) => ({ title })),
    ...Object.entries(STRINGS).map(([title, kind]) => ({ title, ...kind })),
    ...['customer_name', ...TEXTS].flatMap((name) =>
      languages.map((code) => ({ title: `${name} (${toWireCode(code, mode)})` })),
    ),
  ];
}

export function readReferenceRow(world: World, project: ProjectDocument): readonly ReportCell[] {
  const customer = world.store.customers.get(project.company_customer_id);
  const texts = [customer?.customer_name ?? {}, ...TEXTS.map((field) => project.texts[field] ?? {})];
  return [
    project.id,
    project.company_customer_id,
    project.workflow_stage,
    ...Object.keys(STRINGS).map((field) => project.strings[field] ?? null),
    ...texts.flatMap((text) => world.account.languages.map((code) => text[code] ?? '')),
  ];
}
