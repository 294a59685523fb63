import { collect } from '../desk.js';
import { type CallCase, none } from './call-case.js';

const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const tag = { categoryId: 'k', tagId: 't' };
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';

export const TAG_CASES: readonly CallCase[] = [
  {
    name: 'listTagCategories',
    make: (s) => s.reader.tags.listCategories(),
    line: `GET ${CATEGORY}?use_legacy_codes=false`,
    reply: { body: [] },
  },
  {
    name: 'createTagCategory',
    make: (s) => s.writer.tags.createCategory({ values: { en: 'Unit' }, external_unique_id: 'unit' }),
    line: `POST ${CATEGORY}?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Unit' }, external_unique_id: 'unit' } },
    reply: { body: { id: 'k' } },
  },
  {
    name: 'updateTagCategory',
    make: (s) => s.writer.tags.updateCategory('k', { can_be_used_for_cvs: true }),
    line: `PUT ${CATEGORY}/k?use_legacy_codes=false`,
    body: { masterdata: { can_be_used_for_cvs: true } },
    reply: { body: { id: 'k' } },
  },
  {
    name: 'deleteTagCategory',
    make: (s) => s.writer.tags.deleteCategory('k'),
    line: `DELETE ${CATEGORY}/k`,
    reply: none,
  },
  {
    name: 'listTags',
    make: (s) => collect(s.reader.tags.list('k')),
    line: `GET ${TAG}?category_ids=k&offset=0&limit=100&use_legacy_codes=false`,
    reply: { body: [] },
  },
  {
    name: 'createTag',
    make: (s) => s.writer.tags.create('k', { values: { en: 'Cloud' } }),
    line: `POST ${TAG}?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Cloud' }, category_ids: ['k'] } },
    reply: { body: { id: 't' } },
  },
  {
    name: 'updateTag',
    make: (s) => s.writer.tags.update('k', 't', { values: { en: 'Clouds' } }),
    line: `PUT ${TAG}/t?use_legacy_codes=false`,
    body: { masterdata: { values: { en: 'Clouds' }, custom_tag_category_id: 'k' } },
    reply: { body: { id: 't' } },
  },
  {
    name: 'deleteTag',
    make: (s) => s.writer.tags.delete('k', 't'),
    line: `DELETE ${TAG}/t?category_ids=k`,
    reply: none,
  },
  {
    name: 'deleteTags',
    make: (s) => s.writer.tags.deleteMany('k', ['t1', 't2']),
    line: `DELETE ${CATEGORY}/k/bulk_delete?tag_ids%5B%5D=t1&tag_ids%5B%5D=t2`,
    reply: none,
  },
  {
    name: 'addCvTag',
    make: (s) => s.writer.tags.addToCv({ userId: 'u1', cvId: 'v1' }, tag),
    line: 'POST /api/v3/cvs/u1/v1/custom_tags?use_legacy_codes=false',
    body: { custom_tag_category_id: 'k', custom_tag_id: 't' },
    reply: { body: { _id: 'v1', custom_tag_ids: ['t'] } },
    gives: { value: { id: 'v1', custom_tag_ids: ['t'] } },
  },
  {
    name: 'removeCvTag',
    make: (s) => s.writer.tags.removeFromCv({ userId: 'u1', cvId: 'v1' }, 't'),
    line: 'DELETE /api/v3/cvs/u1/v1/custom_tags/t',
    reply: none,
  },
  {
    name: 'addCustomerTag',
    make: (s) => s.writer.tags.addToCustomer('c1', tag),
    line: 'POST /api/v2/company/cv/customers/c1/custom_tags?use_legacy_codes=false',
    body: { custom_tag_category_id: 'k', custom_tag_id: 't' },
    reply: { body: { id: 'c1', custom_tags: [{ id: 't', category_ids: ['k'] }] } },
    gives: { value: { custom_tags: [{ id: 't', custom_tag_category_id: 'k' }] } },
  },
  {
    name: 'removeCustomerTag',
    make: (s) => s.writer.tags.removeFromCustomer('c1', 't'),
    line: 'DELETE /api/v2/company/cv/customers/c1/custom_tags/t',
    reply: none,
  },
  {
    name: 'addProjectTag',
    make: (s) => s.writer.tags.addToProject({ customerId: 'c1', projectId: 'p1' }, tag),
    line: 'POST /api/v2/company/cv/customers/c1/projects/p1/custom_tags?use_legacy_codes=false',
    body: { custom_tag_category_id: 'k', custom_tag_id: 't' },
    reply: { body: { id: 'p1', custom_tags: [{ id: 't' }] } },
    gives: { value: { id: 'p1', custom_tags: [{ id: 't' }] } },
  },
  {
    name: 'removeProjectTag',
    make: (s) => s.writer.tags.removeFromProject({ customerId: 'c1', projectId: 'p1' }, 't'),
    line: 'DELETE /api/v2/company/cv/customers/c1/projects/p1/custom_tags/t',
    reply: none,
  },
];
