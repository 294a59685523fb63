import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART } from './chart.js';
import { readAt } from './manifest.js';

export interface ValueSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly items?: ValueSchema;
  readonly definitions?: Readonly<Record<string, ValueSchema>>;
}

export function readChartFile(file: string): string {
  return readFileSync(join(CHART, file), 'utf8');
}

export const VALUES_SCHEMA = JSON.parse(readChartFile('values.schema.json')) as ValueSchema;
export const DEFAULT_VALUES: unknown = parse(readChartFile('values.yaml'));

export function followValue(node: ValueSchema): ValueSchema {
  const name = node.$ref?.replace('#/definitions/', '');
  return name === undefined ? node : (VALUES_SCHEMA.definitions?.[name] ?? {});
}

export interface ChartValue {
  readonly path: string;
  readonly byDefault: string;
  readonly meaning: string;
}

/**
 * Every value of the chart except `global`. A value that tenants share with the release appears once, without its
 * prefix.
 */
export function listChartValues(): readonly ChartValue[] {
  const known = listValues(VALUES_SCHEMA).filter(({ path }) => path !== 'global');
  const shared = new Set(known.map(({ path }) => path));
  return known.filter(({ path }) => !path.startsWith('tenants[].') || !shared.has(path.replace(/^tenants\[\]\./, '')));
}

/** A value without described keys is a leaf, because its keys are Kubernetes' own or need no description. */
function listValues(node: ValueSchema, path = '', isRequired = false): readonly ChartValue[] {
  const here = followValue(node);
  const item = here.items === undefined ? here : followValue(here.items);
  const below = Object.entries(item.properties ?? {});
  if (below.length > 0 && below.every(([, one]) => followValue(one).description !== undefined)) {
    const prefix = path === '' ? '' : `${path}${here.items === undefined ? '' : '[]'}.`;
    return below.flatMap(([key, one]) => listValues(one, `${prefix}${key}`, item.required?.includes(key)));
  }
  const found = readAt(DEFAULT_VALUES, path);
  const text = typeof found === 'string' && found !== '' ? found : JSON.stringify(found);
  const byDefault = isRequired ? '*required*' : found === undefined ? '—' : `\`${text}\``;
  return [{ path, byDefault, meaning: here.description ?? '' }];
}
