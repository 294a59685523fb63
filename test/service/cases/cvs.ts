import { matchAllTexts, matchAnyField, matchSkill, matchTag, matchText } from '../../../src/service/search-clauses.js';
import { collect } from '../desk.js';
import { type CallCase, none } from './call-case.js';

const cv = { userId: 'u1', cvId: 'v1' };
const CV = '/api/v3/cvs/u1/v1';

export const CV_CASES: readonly CallCase[] = [
  {
    name: 'searchCvs',
    make: (s) =>
      collect(
        s.reader.cvs.search({
          must: [
            matchText('rust'),
            matchAllTexts('bridge', 'dam'),
            matchAnyField({ name: 'Ann', email: 'ann@' }),
            matchSkill('TypeScript'),
            matchTag('t1'),
          ],
          officeIds: ['o1'],
        }),
      ),
    line: 'POST /api/v4/search?use_legacy_codes=false',
    body: {
      offset: 0,
      size: 500,
      office_ids: ['o1'],
      must: [
        { query: { value: 'rust' } },
        { bool: { must: [{ query: { value: 'bridge' } }, { query: { value: 'dam' } }] } },
        {
          bool: {
            should: [{ query: { field: 'name', value: 'Ann' } }, { query: { field: 'email', value: 'ann@' } }],
          },
        },
        { technology_skill: { tag: 'TypeScript' } },
        { exact: { field: 'custom_tag_id', value: 't1' } },
      ],
    },
    reply: {
      body: {
        cvs: [{ id: 7, cv: { id: 'v1', user_id: 'u1', title: 'Engineer', updated_at: 'U' }, preview_url: 'P' }],
        total: 1,
        facets: {},
      },
    },
    gives: [
      { cvs: [{ cv: { id: 'v1', user_id: 'u1', title: 'Engineer', updated_at: 'U' }, previewUrl: 'P' }], total: 1 },
    ],
  },
  {
    name: 'getCv',
    make: (s) => s.reader.cvs.get(cv),
    line: `GET ${CV}?use_legacy_codes=false`,
    reply: {
      body: {
        _id: 'v1',
        bruker_id: 'u1',
        default: true,
        educations: [{ _id: 's1', school: { en: 'NTNU' }, version: 2 }],
        cv_roles: [{ anything: 1 }],
      },
    },
    gives: {
      id: 'v1',
      user_id: 'u1',
      default: true,
      educations: [{ id: 's1', school: { en: 'NTNU' }, version: 2 }],
      cv_roles: [{ anything: 1 }],
    },
  },
  {
    name: 'getCvMetadata',
    make: (s) => s.reader.cvs.getMetadata(cv, { detailed: true }),
    line: `GET ${CV}/metadata?detailed=true`,
    reply: {
      body: { _id: 'v1', updated_at: 'U', last_modified_by: { id: 'u1', name: 'A' }, owner_updated: { blogs: 'O' } },
    },
    gives: { id: 'v1', updated_at: 'U', last_modified_by: { id: 'u1' }, owner_updated: { blogs: 'O' } },
  },
  {
    name: 'updateCv',
    make: (s) => s.writer.cvs.update(cv, { navn: 'Anna', place_of_residence: { no: 'Oslo' } }),
    line: `PUT ${CV}?use_legacy_codes=false`,
    body: { cv: { navn: 'Anna', place_of_residence: { no: 'Oslo' } } },
    reply: { body: { _id: 'v1', name: 'Anna' } },
    gives: { value: { id: 'v1', name: 'Anna' } },
  },
  {
    name: 'getCvSection',
    make: (s) => s.reader.cvs.sections.get(cv, 'languages', 's1'),
    line: `GET ${CV}/languages/s1?use_legacy_codes=false`,
    reply: { body: { _id: 's1', name: { en: 'Norwegian' }, level: { en: 'Fluent' }, version: 1 } },
    gives: { id: 's1', name: { en: 'Norwegian' }, level: { en: 'Fluent' }, version: 1, starred: false },
  },
  {
    name: 'createCvSection',
    make: (s) => s.writer.cvs.sections.create(cv, 'honors_awards', { name: { en: 'Prize' }, year: '2025' }),
    line: `POST ${CV}/honors_awards?use_legacy_codes=false`,
    body: { honors_award: { name: { en: 'Prize' }, year: '2025' } },
    reply: { body: { _id: 's1', name: { en: 'Prize' }, year: 2025, version: 1 } },
    gives: { value: { id: 's1', year: '2025' } },
  },
  {
    name: 'updateCvSection',
    make: (s) => s.writer.cvs.sections.update(cv, 'technologies', 's1', { uncategorized: true, order: 3, version: 4 }),
    line: `PUT ${CV}/technologies/s1?use_legacy_codes=false`,
    body: { technology: { uncategorized: true, order: 3, version: 4 } },
    reply: { body: { _id: 's1', uncategorized: true, version: 5 } },
    gives: { value: { id: 's1', uncategorized: true, version: 5 } },
  },
  {
    name: 'deleteCvSection',
    make: (s) => s.writer.cvs.sections.delete(cv, 'courses', 's1'),
    line: `DELETE ${CV}/courses/s1`,
    reply: none,
  },
  {
    name: 'createCvRole',
    make: (s) => s.writer.cvs.createRole(cv, 'x1', { name: { en: 'Lead' }, order: 1 }),
    line: `POST ${CV}/project_experiences/x1/roles?use_legacy_codes=false`,
    body: { role: { name: { en: 'Lead' }, order: 1 } },
    reply: { body: { _id: 'r1', cv_role_id: 'cr1', name: { en: 'Lead' }, origin_id: null } },
    gives: { value: { id: 'r1', cv_role_id: 'cr1', origin_id: null } },
  },
  {
    name: 'getCvRole',
    make: (s) => s.reader.cvs.getRole(cv, 'x1', 'r1'),
    line: `GET ${CV}/project_experiences/x1/roles/r1?use_legacy_codes=false`,
    reply: { body: { _id: 'r1', name: { en: 'Lead' } } },
    gives: { id: 'r1', name: { en: 'Lead' } },
  },
];
