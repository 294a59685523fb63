import { WORKFLOW_STAGES } from '../../model/fields.js';
import { renderInput, renderSelect } from '../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../report/writers/page/html-text.js';
import { hasHardLinks, renderEntry } from '../answers/render-project.js';
import { refuse } from '../fields/refusal.js';
import type { Body } from '../fields/values.js';
import { entriesOf } from '../routes/project-entries.js';
import * as lists from '../routes/project-lists.js';
import { changeProject, deleteProject, getProject } from '../routes/projects.js';
import { attaches, detaches, TAGGED_PROJECTS } from '../routes/record-tags.js';
import { changes, creates, removes } from '../routes/resource.js';
import {
  ENTRIES,
  ENTRY_KINDS,
  type EntryKind,
  PROJECT_FIELDS,
  type ProjectDocument,
} from '../store/project-documents.js';
import { calls, readAs, requireRecord, writeAs } from './as-colleague.js';
import { customFieldsForm, readCustomFields } from './custom-fields-form.js';
import {
  type FormField,
  linesOf,
  type RecordForm,
  renderButton,
  renderForm,
  renderLineForm,
  renderRemoval,
  saveChanges,
  textsOf,
} from './form-fields.js';
import type { PageRequest, PageRoute } from './page.js';
import { renderStage } from './projects-page.js';
import { renderDocuments, renderFacts, renderSection, renderTags, renderUpload, tagActions } from './record-parts.js';
import { listOfficeOptions, listRoleOptions } from './users-page.js';
import { formatTime, nameField, nameOf, pathTo, renderLink } from './words.js';

function requireProject({ world, params }: PageRequest): ProjectDocument {
  return requireRecord(world.store.projects.get(params.project_id));
}

function paramsOf(page: PageRequest): Readonly<Record<string, string>> {
  const { id, company_customer_id } = requireProject(page);
  return { customer_id: company_customer_id, project_id: id };
}

function editForm(page: PageRequest): RecordForm {
  return {
    action: 'save',
    button: 'Save',
    fields: [
      ...textsOf('project_name'),
      { name: 'workflow_stage', is: 'choice', options: listRoleOptions(WORKFLOW_STAGES) },
      ...textsOf(...PROJECT_FIELDS.texts.filter((name) => name !== 'project_name')),
      ...linesOf(...PROJECT_FIELDS.strings),
    ],
    record: readAs(page, getProject, { params: paramsOf(page) }),
  };
}

function entryForm(project: ProjectDocument, kind: EntryKind, id: string): RecordForm {
  const entry = project.entries[kind].find((one) => one.id === id);
  const { texts, strings } = ENTRIES[kind];
  const disabled: FormField = { name: 'disabled', is: 'flag', hint: 'Left out of documents' };
  return {
    action: 'save_entry',
    button: entry ? 'Save' : 'Add',
    fields: [...textsOf(...texts), ...linesOf(...strings), disabled],
    record: entry ? (renderEntry(project.id, kind, entry, 'iso') as Body) : {},
    hidden: { kind, entry_id: entry?.id ?? '' },
  };
}

function renderEntries(page: PageRequest, project: ProjectDocument, kind: EntryKind): Html {
  const { refusal, world } = page;
  const isRefused = (id: string): boolean => refusal?.form.get('kind') === kind && refusal.form.get('entry_id') === id;
  const fold = (id: string, title: Html, more: Html | null): Html =>
    html`<details class="group"${isRefused(id) ? html` open` : null}><summary>${title}</summary>${renderForm(page, entryForm(project, kind, id))}${more}</details>`;
  const held = project.entries[kind].map(({ id, texts, strings, disabled }) => {
    const name = strings.name ?? nameOf({ ...texts.value, ...texts.tags, ...texts.label }, world.account.languages);
    const title = html`${value(name)}${disabled ? html` <span class="muted">disabled</span>` : null}`;
    return fold(id, title, renderRemoval('remove_entry', 'Remove', { kind, entry_id: id }));
  });
  const add = fold('', html`Add: ${nameField(ENTRIES[kind].wrapper).toLowerCase()}`, null);
  return renderSection(`${nameField(kind)} (${held.length})`, html`${held}${add}`, kind);
}

function renderPeople(page: PageRequest, project: ProjectDocument): Html {
  const { users, links } = page.world.store;
  const owners = project.owner_ids.flatMap((id) => users.get(id) ?? []);
  const rows = owners.map(
    ({ id, name, email }) =>
      html`<li>${renderLink(pathTo('users', id), name === '' ? email : name)} ${renderButton('remove_owner', 'Remove', { user_id: id })}</li>`,
  );
  const typed = page.refusal?.form.get('email') ?? '';
  const add = renderLineForm(
    'add_owner',
    'Add the owner',
    renderInput({ name: 'email', value: typed, 'aria-label': 'E-mail of an owner', placeholder: 'E-mail' }),
  );
  const linked = links.find('WHERE project_id = ? ORDER BY id LIMIT 50', [project.id]).map(({ cv_id, id }) => {
    const cv = page.world.store.cvs.get(cv_id);
    const name = users.get(cv?.user_id ?? '')?.name ?? cv_id;
    return html`<li>${renderLink(pathTo('cvs', cv_id, 'project_experiences', id), name)}</li>`;
  });
  const more = linked.length === 0 ? null : html`<h3>On the CVs of</h3><ul class="chips">${linked}</ul>`;
  return html`<ul class="chips">${rows}</ul>${add}${more}`;
}

function renderOffices({ world }: PageRequest, { office_ids }: ProjectDocument): Html {
  const options = listOfficeOptions(world);
  const rows = office_ids.map((id) => {
    const name = world.store.offices.get(id)?.name ?? id;
    return html`<li><span class="badge">${value(name)}</span> ${renderButton('remove_office', 'Remove', { office_id: id })}</li>`;
  });
  const others = options.filter(({ value: id }) => !office_ids.includes(id));
  const select = renderSelect({ name: 'office_id', 'aria-label': 'Office' }, others);
  const add = renderLineForm('add_office', 'Add the office', select);
  return html`<ul class="chips">${rows}</ul>${others.length === 0 ? null : add}`;
}

function renderFiles({ attachments }: ProjectDocument): Html {
  const rows = attachments.map(
    ({ id, file_name, size }) =>
      html`<li>${renderLink(pathTo('stored', id), file_name)} <span class="muted">${size} bytes</span> ${renderButton('remove_file', 'Remove', { attachment_id: id })}</li>`,
  );
  const held = rows.length === 0 ? html`<p class="muted">No attachments.</p>` : html`<ul>${rows}</ul>`;
  return html`${held}${renderUpload('add_file', 'Add the file')}`;
}

export const PROJECT_PAGE: PageRoute = {
  path: '/projects/:project_id',
  show: (page) => {
    const project = requireProject(page);
    const { store, account, customFields } = page.world;
    const customer = store.customers.get(project.company_customer_id);
    const facts = renderFacts([
      { name: 'Id', is: project.id },
      { name: 'Version', is: String(project.version) },
      { name: 'Created', is: formatTime(project.created_at) },
      { name: 'Changed', is: formatTime(project.updated_at) },
      { name: 'Linked on CVs', is: hasHardLinks(page.world, project) ? 'yes' : 'no' },
    ]);
    const hasCustomFields = account.features.custom_fields && customFields.length > 0;
    return {
      title: nameOf(project.texts.project_name, account.languages),
      under: '/projects',
      lead: html`${renderStage(project.workflow_stage)} Reference project for ${renderLink(pathTo('customers', project.company_customer_id), nameOf(customer?.customer_name, account.languages))}`,
      body: html`${facts}
${renderSection('Fields', renderForm(page, editForm(page)))}
${hasCustomFields ? renderSection('Custom fields', renderForm(page, customFieldsForm(page.world, project))) : null}
${renderSection('Tags', renderTags(page, project.custom_tag_ids))}
${renderSection('Owners', renderPeople(page, project))}
${renderSection('Offices', renderOffices(page, project))}
${ENTRY_KINDS.map((kind) => renderEntries(page, project, kind))}
${renderSection('Attachments', renderFiles(project))}
${renderSection('Documents', renderDocuments(page, 'projects', project.id))}
${renderRemoval('remove', 'Remove the project')}`,
    };
  },
  actions: {
    save: (page) =>
      saveChanges(page, editForm(page), (company_project) =>
        writeAs(page, changeProject, { params: paramsOf(page), body: { company_project } }),
      ),
    save_custom: (page) => {
      const custom_fields = readCustomFields(page.world, requireProject(page), page.form);
      if (custom_fields.length === 0) return `${page.path}?done=same`;
      return writeAs(page, changeProject, { params: paramsOf(page), body: { company_project: { custom_fields } } });
    },
    remove: (page) => {
      const params = paramsOf(page);
      writeAs(page, deleteProject, { params });
      return `${pathTo('customers', params.customer_id ?? '')}?done=remove`;
    },
    add_owner: calls(lists.syncOwners, {
      params: paramsOf,
      body: ({ form }) => ({ emails: [(form.get('email') ?? '').trim()] }),
    }),
    remove_owner: calls(lists.removeOwner, { params: paramsOf }),
    add_office: calls(lists.addOffices, {
      params: paramsOf,
      body: ({ form }) => ({ office_ids: form.getAll('office_id') }),
    }),
    remove_office: calls(lists.removeOffice, { params: paramsOf }),
    add_file: (page) => writeAs(page, lists.addAttachment, { params: paramsOf(page), form: page.sent }),
    remove_file: calls(lists.removeAttachment, { params: paramsOf }),
    save_entry: (page) => {
      const { kind, id } = readEntry(page);
      return saveChanges(page, entryForm(requireProject(page), kind, id), (sent) => {
        const handle = id === '' ? creates(entriesOf(kind)) : changes(entriesOf(kind));
        const params = { ...paramsOf(page), entry_id: id };
        writeAs(page, handle, { params, body: { [ENTRIES[kind].wrapper]: sent } });
      });
    },
    remove_entry: (page) => {
      const { kind, id } = readEntry(page);
      writeAs(page, removes(entriesOf(kind)), { params: { ...paramsOf(page), entry_id: id } });
    },
    ...tagActions({ attach: attaches(TAGGED_PROJECTS), detach: detaches(TAGGED_PROJECTS) }, paramsOf),
  },
};

function readEntry({ form }: PageRequest): { readonly kind: EntryKind; readonly id: string } {
  const kind = ENTRY_KINDS.find((name) => name === form.get('kind')) ?? refuse(404, 'there is no such list');
  return { kind, id: form.get('entry_id') ?? '' };
}
