import { CRM, merge, type Yaml } from '../../scenarios/company.js';
import { COLUMNS } from './staff.js';

/**
 * A typical configuration: HR decides who exists, a CRM has customers and projects, and the guards are the built-in
 * ones.
 */
export function describeMonths(guards: Yaml | undefined): { readonly [key: string]: Yaml } {
  return merge(CRM, {
    // Nobody else changes anything in the service.
    schedule: { full_read: '0 3 1 * *' },
    sources: { hr: { key: 'id', columns: Object.fromEntries(COLUMNS.map((column) => [column, 'string'])) } },
    users: {
      leaver: { when: 'record.status in ["left", "inactive"]', after_missing_reads: 3 },
      fields: {
        title: { en: 'record.title' },
        telephone: 'record.phone',
        born_year: 'int(record.birthYear)',
        tags: { unit: 'record.unit' },
      },
    },
    ...(guards === undefined ? {} : { guards }),
  }) as { readonly [key: string]: Yaml };
}
