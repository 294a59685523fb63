import { type Html, html, value } from '../../report/writers/page/html-text.js';
import { renderPart, renderSection as renderSectionBody } from '../answers/render-section.js';
import { refuse } from '../fields/refusal.js';
import {
  isSectionType,
  listPartTypes,
  PART_TYPES,
  PARTS,
  type PartType,
  SECTIONS,
  type SectionName,
} from '../fields/section-kinds.js';
import type { Body } from '../fields/values.js';
import { findLinkedProject, INHERITED_FIELDS } from '../records/inherited-values.js';
import { buildSection } from '../records/read-section.js';
import { deleteSection, postSection, putSection } from '../routes/cv-sections.js';
import { changes, creates, removes } from '../routes/resource.js';
import { partsOf } from '../routes/section-parts.js';
import type { SectionDocument } from '../store/cv-documents.js';
import { buildCall, requireRecord, writeAs } from './as-colleague.js';
import { nameKind, nameSection, paramsOf, requireOwnedCv } from './cv-page.js';
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
import type { PageRequest, PageRoute } from './page.js';
import { renderSection } from './record-parts.js';
import { nameField, nameOf, pathTo, renderLink } from './words.js';

interface SectionPlace {
  readonly type: SectionName;
  readonly section: SectionDocument;
  readonly isNew: boolean;
}

function findPlace(page: PageRequest): SectionPlace {
  const { section_type: type = '', section_id: id } = page.params;
  if (!isSectionType(type)) return refuse(404, 'there is no such kind of section');
  const isNew = id === 'new';
  const section = requireOwnedCv(page).cv.sections[type]?.find((one) => one.id === id);
  return { type, isNew, section: isNew ? buildSection(0, 0) : requireRecord(section) };
}

/** Lists the fields of the form. A hard link has no input for values that it reads from its project. */
function listFields(page: PageRequest, { type, section, isNew }: SectionPlace): readonly FormField[] {
  const { texts, strings } = SECTIONS[type];
  const own: readonly FormField[] = [
    ...textsOf(...texts),
    ...linesOf(...strings),
    ...linesOf('external_unique_id'),
    ...(isNew ? [] : [{ name: 'order', is: 'number' } as const]),
    { name: 'starred', is: 'flag' },
    { name: 'disabled', is: 'flag', hint: 'Left out of documents' },
  ];
  const isLinked = findLinkedProject(page.world, section) !== undefined;
  return isLinked ? own.filter(({ name }) => !INHERITED_FIELDS.includes(name)) : own;
}

function editForm(page: PageRequest, place: SectionPlace): RecordForm {
  const record = renderSectionBody(buildCall(page), place.type, place.section) as Body;
  const [action, button] = place.isNew ? ['add', 'Add'] : ['save', 'Save'];
  return { action, button, record, fields: listFields(page, place) };
}

function partForm(page: PageRequest, type: PartType, { section }: SectionPlace, id: string): RecordForm {
  const known = section.parts[type]?.find((part) => part.id === id);
  const { texts, strings, numbers } = PARTS[type];
  return {
    action: 'save_part',
    button: known ? 'Save' : 'Add',
    fields: [
      ...textsOf(...texts),
      ...linesOf(...strings.filter((name) => name !== 'origin_id')),
      ...numbers.map((name): FormField => ({ name, is: 'number' })),
    ],
    record: known ? (renderPart(buildCall(page), type, known) as Body) : {},
    hidden: { part: type, part_id: known?.id ?? '' },
  };
}

function renderParts(page: PageRequest, place: SectionPlace, type: PartType): Html {
  const languages = page.world.account.languages;
  const isRefused = (id: string): boolean =>
    page.refusal?.form.get('part') === type && page.refusal.form.get('part_id') === id;
  const fold = (id: string, title: string, body: Html): Html =>
    html`<details class="group"${isRefused(id) ? html` open` : null}><summary>${value(title)}</summary>${body}</details>`;
  const held = (place.section.parts[type] ?? []).map(({ id, texts, strings }) => {
    const name = strings.name ?? nameOf(texts.name ?? texts.tags, languages);
    const removal = renderRemoval('remove_part', 'Remove', { part: type, part_id: id });
    return fold(id, name, html`${renderForm(page, partForm(page, type, place, id))}${removal}`);
  });
  const add = fold(
    '',
    `Add: ${nameField(PARTS[type].wrapper).toLowerCase()}`,
    renderForm(page, partForm(page, type, place, '')),
  );
  return renderSection(nameField(type), html`${held}${add}`);
}

function readPart({ form }: PageRequest): { readonly type: PartType; readonly id: string } {
  const type = PART_TYPES.find((name) => name === form.get('part')) ?? refuse(404, 'there is no such part');
  return { type, id: form.get('part_id') ?? '' };
}

export const CV_SECTION_PAGE: PageRoute = {
  path: '/cvs/:cv_id/:section_type/:section_id',
  show: (page) => {
    const place = findPlace(page);
    const { cv, user } = requireOwnedCv(page);
    const { type, section, isNew } = place;
    const project = findLinkedProject(page.world, section);
    const linked = project
      ? html`<p class="notice">All other fields come from the project ${renderLink(pathTo('projects', project.id), nameOf(project.texts.project_name, page.world.account.languages))}.</p>`
      : null;
    const parts = isNew ? [] : listPartTypes(type).map((part) => renderParts(page, place, part));
    const title = isNew
      ? `Add: ${nameKind(type).toLowerCase()}`
      : nameSection(type, section, page.world.account.languages);
    return {
      title,
      under: '/users',
      lead: html`${nameKind(type)} of the ${renderLink(pathTo('cvs', cv.id), `CV of ${user.name}`)}`,
      body: html`${linked}${renderForm(page, editForm(page, place))}${parts}${isNew ? null : renderRemoval('remove', `Remove: ${nameKind(type).toLowerCase()}`)}`,
    };
  },
  actions: {
    add: (page) => {
      const place = findPlace(page);
      const { wrapper } = SECTIONS[place.type];
      const body = { [wrapper]: readChanges(editForm(page, place), page.form) };
      const { _id } = writeAs(page, postSection, { params: paramsOf(page), body });
      return pathTo('cvs', page.params.cv_id ?? '', place.type, String(_id));
    },
    save: (page) => {
      const place = findPlace(page);
      return saveChanges(page, editForm(page, place), (sent) => {
        const body = { [SECTIONS[place.type].wrapper]: { ...sent, version: place.section.version } };
        writeAs(page, putSection, { params: paramsOf(page), body });
      });
    },
    remove: (page) => {
      const { cv_id = '', section_type = '' } = page.params;
      writeAs(page, deleteSection, { params: paramsOf(page) });
      return `${pathTo('cvs', cv_id)}?done=remove#${section_type}`;
    },
    save_part: (page) => {
      const { type, id } = readPart(page);
      return saveChanges(page, partForm(page, type, findPlace(page), id), (sent) => {
        const params = { ...paramsOf(page), part_id: id };
        const handle = id === '' ? creates(partsOf(type)) : changes(partsOf(type));
        writeAs(page, handle, { params, body: { [PARTS[type].wrapper]: sent } });
      });
    },
    remove_part: (page) => {
      const { type, id } = readPart(page);
      writeAs(page, removes(partsOf(type)), { params: { ...paramsOf(page), part_id: id } });
    },
  },
};
