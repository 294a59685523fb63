import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Yaml } from './company.js';
import type { Story } from './kit.js';

const optional = { type: 'string', optional: true };

function stream(name: string, columns: { readonly [column: string]: Yaml }, key = 'id'): Yaml {
  return {
    pattern: `${name}-*.json`,
    key,
    settle: '0s',
    columns: key === 'id' ? { ...columns, id: 'string' } : columns,
  };
}

/** Feeds of the organisation itself: countries, offices, tag categories and tags, with one JSON file each. */
export const ORG: { readonly [key: string]: Yaml } = {
  sources: {
    org: {
      type: 'crm',
      drop: './drop/org',
      streams: {
        countries: stream(
          'countries',
          { code: 'string', language: 'string', ui: optional, template: optional, kind: optional },
          'code',
        ),
        offices: stream('offices', { country: 'string', name: 'string', language: optional, gone: optional }),
        categories: stream('categories', {
          id: 'string',
          name: 'string',
          navn: optional,
          cvs: { type: 'bool', optional: true },
        }),
        tags: stream('tags', { id: 'string', category: 'string', name: 'string', navn: optional, gone: optional }),
      },
    },
  },
};

export const COUNTRIES: Yaml = {
  from: ['org.countries'],
  fields: {
    code: 'record.code',
    native_language_code: 'record.language',
    override_ui_language_code: 'record.?ui',
    cv_template_id: 'record.?template',
    cv_template_type: 'record.?kind',
  },
};

export const OFFICES: Yaml = {
  from: ['org.offices'],
  remove: { when: 'record.?gone.orValue("") == "yes"' },
  fields: { country: 'record.country', name: 'record.name', override_language_code: 'record.?language' },
};

export const CATEGORIES: Yaml = {
  from: ['org.categories'],
  match: ['external_unique_id', 'values'],
  fields: {
    external_unique_id: 'record.id',
    values: { en: 'record.name', no: 'record.?navn' },
    can_be_used_for_cvs: 'record.?cvs',
  },
};

export const TAGS: Yaml = {
  from: ['org.tags'],
  match: ['external_unique_id', 'values'],
  remove: { when: 'record.?gone.orValue("") == "yes"', after_missing_reads: 1 },
  fields: {
    category: 'record.category',
    external_unique_id: 'record.id',
    values: { en: 'record.name', no: 'record.?navn' },
  },
};

const deliveries = new WeakMap<Story, number>();

/** Delivers a new file of one of the streams. */
export function deliverOrg(
  story: Story,
  name: 'countries' | 'offices' | 'categories' | 'tags',
  rows: readonly Yaml[],
): string {
  const number = (deliveries.get(story) ?? 0) + 1;
  deliveries.set(story, number);
  const file = `${name}-${String(number).padStart(3, '0')}.json`;
  mkdirSync(join(story.folder, 'drop', 'org'), { recursive: true });
  writeFileSync(join(story.folder, 'drop', 'org', file), JSON.stringify(rows));
  return file;
}
