import { compareTexts } from '../../model/compare-texts.js';
import { html, value } from '../../report/writers/page/html-text.js';
import type { Body } from '../fields/values.js';
import { changes, creates } from '../routes/resource.js';
import { CATEGORIES, deleteCategory, deleteTag, TAGS } from '../routes/tags.js';
import type { CategoryDocument, TagDocument } from '../store/documents.js';
import { calls, requireRecord, writeAs } from './as-colleague.js';
import {
  type FormField,
  linesOf,
  type RecordForm,
  readChanges,
  renderForm,
  renderRemoval,
  saveChanges,
  textsOf,
} from './form-fields.js';
import { renderTable } from './lists.js';
import type { PageRequest, PageRoute } from './page.js';
import { renderFold, renderSection } from './record-parts.js';
import { nameField, nameOf, pathTo, renderLink, renderTexts } from './words.js';

const USES = ['can_be_used_for_cvs', 'can_be_used_for_references', 'can_be_used_for_customers'] as const;

function categoryForm(category?: CategoryDocument): RecordForm {
  const flags = category ? USES : [...USES, 'allow_filtering', 'lock_for_integrations'];
  return {
    action: category ? 'save' : 'add',
    button: category ? 'Save' : 'Add the category',
    fields: [
      ...textsOf('values'),
      ...linesOf('external_unique_id'),
      ...flags.map((name): FormField => ({ name, is: 'flag' })),
    ],
    record: category === undefined ? Object.fromEntries(USES.map((name) => [name, true])) : { ...category },
  };
}

function tagForm(tag?: TagDocument): RecordForm {
  return {
    action: tag ? 'save_tag' : 'add_tag',
    button: tag ? 'Save' : 'Add the tag',
    fields: [...textsOf('values'), ...linesOf('external_unique_id')],
    record: { ...tag },
    hidden: tag ? { tag_id: tag.id } : {},
  };
}

/** Reads a new category. It contains every flag, because missing flags default to on. */
function readCategory(form: URLSearchParams): Body {
  return {
    values: {},
    ...readChanges(categoryForm(), form),
    ...Object.fromEntries(USES.map((name) => [name, form.has(name)])),
  };
}

export const TAGS_PAGE: PageRoute = {
  path: '/tags',
  show: (page) => {
    const { categories, tags } = page.world.store;
    const { languages } = page.world.account;
    const rows = categories
      .all()
      .map((category) => ({ category, name: nameOf(category.values, languages) }))
      .sort((a, b) => compareTexts(a.name, b.name))
      .map(({ category, name }) => {
        const held = tags.find('WHERE category_id = ?', [category.id]).map(({ values }) => nameOf(values, languages));
        const more = held.length > 12 ? ` … and ${held.length - 12} more` : '';
        return [
          renderLink(pathTo('tags', category.id), name),
          value(category.external_unique_id ?? ''),
          html`${held.length}`,
          html`<bdi>${held.sort(compareTexts).slice(0, 12).join(', ')}</bdi>${more}`,
        ];
      });
    const columns = [
      { name: 'Category' },
      { name: 'External id' },
      { name: 'Tags', isNumber: true },
      { name: 'Names' },
    ] as const;
    return {
      title: 'Tags',
      under: '/tags',
      body: html`<div data-fresh>${rows.length === 0 ? html`<p class="muted">No categories yet.</p>` : renderTable(columns, rows)}</div>${renderFold(page, 'add', 'Add a category', renderForm(page, categoryForm()))}`,
    };
  },
  actions: {
    add: (page) => {
      const { id } = writeAs(page, creates(CATEGORIES), { body: { masterdata: readCategory(page.form) } });
      return pathTo('tags', String(id));
    },
  },
};

function requireCategory({ world, params }: PageRequest): CategoryDocument {
  return requireRecord(world.store.categories.get(params.category_id));
}

function requireTag({ world, form }: PageRequest): TagDocument {
  return requireRecord(world.store.tags.get(form.get('tag_id') ?? ''));
}

export const CATEGORY_PAGE: PageRoute = {
  path: '/tags/:category_id',
  show: (page) => {
    const category = requireCategory(page);
    const { languages } = page.world.account;
    const tags = page.world.store.tags
      .find('WHERE category_id = ?', [category.id])
      .map((tag) => ({ tag, name: nameOf(tag.values, languages) }))
      .sort((a, b) => compareTexts(a.name, b.name));
    const rows = tags.map(({ tag, name }) => {
      const isOpen = page.refusal?.form.get('tag_id') === tag.id;
      const edit = html`<details${isOpen ? html` open` : null}><summary>Change</summary>${renderForm(page, tagForm(tag))}${renderRemoval('remove_tag', 'Remove', { tag_id: tag.id })}</details>`;
      return [value(name), renderTexts(tag.values), value(tag.external_unique_id ?? ''), edit];
    });
    const columns = ['Tag', 'In all languages', 'External id', 'Change'].map((name) => ({ name }));
    const flags = [...USES, 'lock_for_integrations' as const].filter((name) => category[name]);
    return {
      title: nameOf(category.values, languages),
      under: '/tags',
      lead: html`Tag category. ${flags.map((name) => nameField(name)).join(' · ')}`,
      body: html`${rows.length === 0 ? html`<p class="muted">No tags yet.</p>` : renderTable(columns, rows)}${renderFold(page, 'add_tag', 'Add a tag', renderForm(page, tagForm()))}
${renderSection('The category', html`${renderForm(page, categoryForm(category))}${renderRemoval('remove', 'Remove the category and its tags')}`)}`,
    };
  },
  actions: {
    save: (page) =>
      saveChanges(page, categoryForm(requireCategory(page)), (masterdata) =>
        writeAs(page, changes(CATEGORIES), { params: page.params, body: { masterdata } }),
      ),
    remove: calls(deleteCategory, { next: '/tags?done=remove' }),
    add_tag: calls(creates(TAGS), {
      body: ({ form, params }) => ({
        masterdata: { ...readChanges(tagForm(), form), category_ids: [params.category_id] },
      }),
    }),
    save_tag: (page) => {
      const tag = requireTag(page);
      return saveChanges(page, tagForm(tag), (sent) => {
        const masterdata = { ...sent, custom_tag_category_id: tag.category_id };
        writeAs(page, changes(TAGS), { params: { tag_id: tag.id }, body: { masterdata } });
      });
    },
    remove_tag: (page) => {
      const { id, category_id } = requireTag(page);
      writeAs(page, deleteTag, { params: { tag_id: id }, query: { category_ids: category_id } });
    },
  },
};
