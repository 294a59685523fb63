import { type Html, html, value } from '../../report/writers/page/html-text.js';
import { listPartTypes, PARTS, SECTION_TYPES, SECTIONS, type SectionName } from '../fields/section-kinds.js';
import type { TextFields, TextValues } from '../fields/text-fields.js';
import { listCvTags, type OwnedCv, profileOf, readMasterCv } from '../records/cvs.js';
import { findLinkedProject, resolveSection } from '../records/inherited-values.js';
import { getCv, putCvFields } from '../routes/cvs.js';
import { attaches, detaches, TAGGED_CVS } from '../routes/record-tags.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import { readAs, requireRecord, writeAs } from './as-colleague.js';
import { linesOf, type RecordForm, renderForm, saveChanges, textsOf } from './form-fields.js';
import type { PageRequest, PageRoute } from './page.js';
import {
  type RecordFact,
  renderDocuments,
  renderFacts,
  renderFold,
  renderSection,
  renderTags,
  tagActions,
} from './record-parts.js';
import { formatTime, nameField, nameOf, pathTo, renderBadge, renderLink, renderTexts } from './words.js';

export function requireOwnedCv({ world, params }: PageRequest): OwnedCv {
  const { users, cvs } = world.store;
  const { cv_id = '' } = params;
  const holder = users.first('WHERE cv_id = ?', [cv_id]);
  if (holder) return { user: holder, cv: readMasterCv(world, holder) };
  const cv = requireRecord(cvs.get(cv_id));
  return { cv, user: requireRecord(users.get(cv.user_id)) };
}

export function paramsOf(page: PageRequest): Readonly<Record<string, string>> {
  const { user, cv } = requireOwnedCv(page);
  return { ...page.params, user_id: user.id, cv_id: cv.id };
}

/** Builds the form for the personal part, with the field names of the update (spec, CV update body fields). */
function editForm(page: PageRequest): RecordForm {
  return {
    action: 'save',
    button: 'Save',
    fields: [
      ...linesOf('navn'),
      ...textsOf('name_multilang', 'title', 'place_of_residence'),
      ...linesOf('telefon', 'landline'),
      { name: 'born_year', is: 'number' },
    ],
    record: readAs(page, getCv, { params: paramsOf(page) }),
  };
}

export const CV_PAGE: PageRoute = {
  path: '/cvs/:cv_id',
  show: (page) => {
    const { world } = page;
    const owned = requireOwnedCv(page);
    const { cv, user } = owned;
    const proposal = world.store.proposals.get(cv.proposal_id ?? '');
    const name = profileOf(owned).name;
    const of = proposal ? html` · tailored for ${renderLink(pathTo('proposals', proposal.id), proposal.name)}` : null;
    const facts = renderFacts([
      { name: 'Id', is: cv.id },
      { name: 'Version', is: String(cv.version) },
      { name: 'Changed', is: formatTime(cv.updated_at) },
      { name: 'Last changed by', is: cv.last_modified_by?.name ?? '' },
    ]);
    const filled = SECTION_TYPES.filter((type) => (cv.sections[type] ?? []).length > 0);
    const empty = SECTION_TYPES.filter((type) => !filled.includes(type));
    const adds = empty.map(
      (type) => html`<li><a href="${pathTo('cvs', cv.id, type, 'new')}">${nameKind(type)}</a></li>`,
    );
    return {
      title: `CV of ${name === '' ? user.email : name}`,
      under: '/users',
      lead: html`${renderLink(pathTo('users', user.id), user.email)}${of}`,
      body: html`${facts}
${renderFold(page, 'save', 'Personal part', renderForm(page, editForm(page)))}
${filled.map((type) => renderKind(page, owned, type))}
${empty.length === 0 ? null : renderSection('Add a section', html`<ul class="chips">${adds}</ul>`)}
${renderSection('Tags', renderTags(page, listCvTags(world, owned)))}
${renderSection('Documents', renderDocuments(page, 'cvs', cv.id))}`,
    };
  },
  actions: {
    save: (page) =>
      saveChanges(page, editForm(page), (cv) => writeAs(page, putCvFields, { params: paramsOf(page), body: { cv } })),
    ...tagActions({ attach: attaches(TAGGED_CVS), detach: detaches(TAGGED_CVS) }, paramsOf),
  },
};

/** Converts `key_qualifications` to `Key qualification`. */
export function nameKind(type: SectionName): string {
  return nameField(SECTIONS[type].wrapper);
}

function renderKind(page: PageRequest, { cv }: OwnedCv, type: SectionName): Html {
  const sections = cv.sections[type] ?? [];
  const add = html`<p><a href="${pathTo('cvs', cv.id, type, 'new')}">Add: ${nameKind(type).toLowerCase()}</a></p>`;
  const cards = sections.map((section) => renderCard(page, type, section, pathTo('cvs', cv.id, type, section.id)));
  return renderSection(`${nameField(type)} (${sections.length})`, html`${cards}${add}`, type);
}

function renderCard({ world }: PageRequest, type: SectionName, section: SectionDocument, address: string): Html {
  const project = findLinkedProject(world, section);
  const badges = [
    section.starred ? renderBadge('starred', 'good') : null,
    section.disabled ? renderBadge('disabled', 'warn') : null,
    project ? html`<a href="${pathTo('projects', project.id)}">${renderBadge('linked to the project')}</a>` : null,
  ];
  const values = resolveSection(world, section);
  const parts = listPartTypes(type).flatMap((part) => {
    const held = section.parts[part] ?? [];
    if (held.length === 0) return [];
    const names = held.map((one) => html`<li>${namePart(one, PARTS[part])}</li>`);
    return [{ name: nameField(part), isLong: true, is: html`<ul class="plain">${names}</ul>` }];
  });
  const title = nameSection(type, values, world.account.languages);
  return html`<article class="card"><h3><a href="${address}"><bdi>${title}</bdi></a> ${badges}</h3>${renderFacts([...listFacts(values, SECTIONS[type]), ...parts])}</article>`;
}

export function nameSection(type: SectionName, values: TextValues, languages: readonly string[]): string {
  const names = ['name', 'description', 'employer', 'school', 'category', 'label', 'recommender', 'context'];
  const { texts } = SECTIONS[type];
  const first = [...names, ...texts].find((name) =>
    Object.values(values.texts[name] ?? {}).some((text) => text !== ''),
  );
  return nameOf(values.texts[first ?? ''], languages);
}

function namePart({ texts, strings, numbers }: PartDocument, kind: TextFields): Html {
  const said = kind.texts.map((name) => renderTexts(texts[name] ?? {}));
  const plain = kind.strings.filter((name) => name !== 'origin_id').map((name) => strings[name] ?? '');
  const level = numbers.proficiency ? html` <span class="muted">${numbers.proficiency} of 5</span>` : null;
  return html`${said}${value(plain.filter((text) => text !== '').join(', '))}${level}`;
}

/** Lists the filled fields in all languages. */
export function listFacts({ texts, strings }: TextValues, fields: TextFields): readonly RecordFact[] {
  return [
    ...fields.texts.map((name) => {
      const said = texts[name] ?? {};
      const isLong = Object.values(said).some((text) => text.length > 60);
      return { name: nameField(name), is: renderTexts(said), isLong };
    }),
    ...fields.strings.map((name) => ({ name: nameField(name), is: strings[name] ?? '' })),
  ];
}
