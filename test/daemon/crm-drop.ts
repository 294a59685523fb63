import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CRM, merge, type Yaml } from '../scenarios/company.js';
import type { Fleet } from './fleet.js';

/** Additional configuration of a tenant whose customers and projects come from files. */
export function crmOf(tenant: string, more: Yaml = {}): { readonly [key: string]: Yaml } {
  const drop = { sources: { crm: { drop: `../drop/${tenant}-crm` } } };
  return merge(merge(CRM, drop), more) as { readonly [key: string]: Yaml };
}

/** Delivers a customer with these projects. @param delivery number of the delivery */
export function deliverProjects(
  { folder }: Fleet,
  tenant: string,
  delivery: number,
  projects: readonly string[],
): void {
  const drop = join(folder, 'drop', `${tenant}-crm`);
  mkdirSync(drop, { recursive: true });
  const put = (stream: string, rows: Yaml): void =>
    writeFileSync(join(drop, `${stream}-${delivery}.json`), JSON.stringify(rows));
  put('companies', [{ id: 'C1', name: 'Fjord Power' }]);
  put(
    'deals',
    projects.map((id) => ({ id, customer: 'C1', name: `Project ${id}` })),
  );
}
