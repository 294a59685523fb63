import { compareTexts } from '../../model/compare-texts.js';
import { renderInput, renderPost, renderSelect, type SelectOption } from '../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import type { CallHandler } from '../calls/call.js';
import { calls } from './as-colleague.js';
import { renderButton, renderLineForm } from './form-fields.js';
import type { PageAction, PageRequest } from './page.js';
import { nameLanguage, nameOf, pathTo, renderBadge } from './words.js';

export interface RecordFact {
  readonly name: string;
  readonly is: Html | string;
  /** True if the fact takes the full width. */
  readonly isLong?: boolean;
}

/** Renders read-only facts in two or more columns. Empty ones are left out. */
export function renderFacts(facts: readonly RecordFact[]): Html {
  const rows = facts
    .filter(({ is }) => (typeof is === 'string' ? is : is.html) !== '')
    .map(
      ({ name, is, isLong }) =>
        html`<div${isLong ? html` class="wide"` : null}><dt>${name}</dt><dd>${typeof is === 'string' ? value(is) : is}</dd></div>`,
    );
  return html`<dl class="facts">${rows}</dl>`;
}

export function renderSection(title: string, body: Html, id = title.toLowerCase().replace(/\W+/g, '-')): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`;
}

/** Renders a collapsed form. It is open after a rejected submit. */
export function renderFold(page: PageRequest, action: string, title: string, body: Html): Html {
  const isOpen = page.refusal?.form.get('do') === action;
  return html`<details class="group"${isOpen ? html` open` : null}><summary>${title}</summary>${body}</details>`;
}

export function listTagOptions({ store, account }: World): readonly SelectOption[] {
  const categories = new Map(store.categories.all().map(({ id, values }) => [id, nameOf(values, account.languages)]));
  return store.tags
    .all()
    .map(({ id, values, category_id }) => ({
      value: id,
      text: nameOf(values, account.languages),
      group: categories.get(category_id) ?? '',
    }))
    .sort((a, b) => compareTexts(a.group, b.group) || compareTexts(a.text, b.text));
}

/** Renders the tags of a record, with buttons to remove them and a form to add others. */
export function renderTags({ world }: PageRequest, tagIds: readonly string[]): Html {
  const options = listTagOptions(world);
  const chips = tagIds.map((id) => {
    const { text, group } = options.find((option) => option.value === id) ?? { value: id, text: id };
    const under = group === undefined ? null : html`<span class="muted">${group}</span> `;
    return html`<li><span class="badge">${under}${value(text)}</span> ${renderButton('untag', 'Remove', { tag_id: id })}</li>`;
  });
  const others = options.filter((option) => !tagIds.includes(option.value));
  const add =
    others.length === 0
      ? html`<p class="muted">${options.length === 0 ? 'The account has no tags.' : 'The record has all tags.'}</p>`
      : renderLineForm('tag', 'Add the tag', renderSelect({ name: 'tag_id', 'aria-label': 'Tag' }, others));
  return html`${chips.length === 0 ? html`<p class="muted">No tags.</p>` : html`<ul class="chips">${chips}</ul>`}${add}`;
}

/** Returns the two actions of `renderTags` for a kind of record. */
export function tagActions(
  { attach, detach }: { readonly attach: CallHandler; readonly detach: CallHandler },
  paramsOf: (page: PageRequest) => Readonly<Record<string, string>>,
): Readonly<Record<'tag' | 'untag', PageAction>> {
  return {
    tag: calls(attach, {
      params: paramsOf,
      body: ({ world, form }) => {
        const tag = world.store.tags.get(form.get('tag_id') ?? '');
        return { custom_tag_category_id: tag?.category_id, custom_tag_id: tag?.id };
      },
    }),
    untag: calls(detach, { params: paramsOf }),
  };
}

export function renderUpload(action: string, label: string, accept = ''): Html {
  const own = { type: 'file', name: 'file', 'aria-label': label, accept: accept === '' ? null : accept };
  const body = [renderInput({ ...own, required: true }), html`<button>${label}</button>`];
  return renderPost({ look: 'line', hidden: { do: action }, hasFile: true }, body);
}

const FILE_NAMES = { pdf: 'PDF', docx: 'Word', pptx: 'slides' } as const;

/** Renders links to the documents of a record, one line per language. */
export function renderDocuments({ world }: PageRequest, ...place: readonly string[]): Html {
  const lines = world.account.languages.map((language) => {
    const links = Object.entries(FILE_NAMES).map(
      ([filetype, name]) => html` <a href="${pathTo('documents', ...place, language, filetype)}">${name}</a>`,
    );
    return html`<li>${nameLanguage(language)}:${links}</li>`;
  });
  return html`<ul class="documents">${lines}</ul>`;
}

export function renderState(deactivatedAt: unknown): Html {
  return deactivatedAt === null ? renderBadge('active', 'good') : renderBadge('deactivated', 'warn');
}
