import type { SelectOption } from '../../report/writers/page/form-parts.js';
import { html, value } from '../../report/writers/page/html-text.js';
import type { World } from '../account/world.js';
import { foldText } from '../fields/languages.js';
import { CUSTOMERS, getCustomer } from '../routes/customers.js';
import { postProject } from '../routes/projects.js';
import { attaches, detaches, TAGGED_CUSTOMERS } from '../routes/record-tags.js';
import { changes, creates, removes } from '../routes/resource.js';
import type { CustomerDocument } from '../store/documents.js';
import { calls, readAs, requireRecord, writeAs } from './as-colleague.js';
import {
  linesOf,
  type RecordForm,
  readChanges,
  renderForm,
  renderRemoval,
  saveChanges,
  textsOf,
} from './form-fields.js';
import { cutPart, PAGE_SIZE, readFrom, renderPager, renderSearch, renderTable } from './lists.js';
import type { PageRequest, PageRoute } from './page.js';
import { listProjectRows, PROJECT_COLUMNS } from './projects-page.js';
import { renderFacts, renderFold, renderSection, renderTags, tagActions } from './record-parts.js';
import { formatTime, nameOf, pathTo, renderLink } from './words.js';

function listIndustries({ store, account }: World): readonly SelectOption[] {
  const all = store.industries.all().map(({ id, values }) => ({ value: id, text: nameOf(values, account.languages) }));
  return [{ value: '', text: '–' }, ...all];
}

function customerForm(page: PageRequest, customer?: CustomerDocument): RecordForm {
  return {
    action: customer ? 'save' : 'add',
    button: customer ? 'Save' : 'Add the customer',
    fields: [
      ...textsOf('customer_name'),
      ...linesOf('external_unique_id', 'customer_url'),
      { name: 'industry_id', label: 'Industry', is: 'choice', options: listIndustries(page.world) },
      ...textsOf('customer_description'),
    ],
    record: customer ? readAs(page, getCustomer, { params: { customer_id: customer.id } }) : {},
  };
}

const COLUMNS = [
  { name: 'Name' },
  { name: 'External id' },
  { name: 'Industry' },
  { name: 'Projects', isNumber: true },
  { name: 'Changed' },
] as const;

export const CUSTOMERS_PAGE: PageRoute = {
  path: '/customers',
  show: (page) => {
    const { customers, projects, industries } = page.world.store;
    const { languages } = page.world.account;
    const named = 'WHERE instr(name_key, ?) > 0';
    const [name, from] = [foldText((page.query.get('q') ?? '').trim()), readFrom(page)];
    const found = customers.find(`${named} ORDER BY name_key, id LIMIT ? OFFSET ?`, [name, PAGE_SIZE + 1, from]);
    const part = cutPart(found, from, name === '' ? customers.count('') : undefined);
    const rows = part.shown.map((customer) => [
      renderLink(pathTo('customers', customer.id), nameOf(customer.customer_name, languages)),
      value(customer.external_unique_id ?? ''),
      customer.industry_id ? value(nameOf(industries.get(customer.industry_id)?.values, languages)) : html``,
      html`${projects.count('WHERE company_customer_id = ?', [customer.id])}`,
      html`<time>${formatTime(customer.updated_at)}</time>`,
    ]);
    return {
      title: 'Customers',
      under: '/customers',
      body: html`${renderSearch(page, 'Part of the name')}<div data-fresh>${renderPager(page, part, 'customers')}${rows.length === 0 ? null : renderTable(COLUMNS, rows)}</div>${renderFold(page, 'add', 'Add a customer', renderForm(page, customerForm(page)))}`,
    };
  },
  actions: {
    add: (page) => {
      const body = { company_customer: readChanges(customerForm(page), page.form) };
      return pathTo('customers', String(writeAs(page, creates(CUSTOMERS), { body }).id));
    },
  },
};

function requireCustomer({ world, params }: PageRequest): CustomerDocument {
  return requireRecord(world.store.customers.get(params.customer_id));
}

const NEW_PROJECT: RecordForm = {
  action: 'add_project',
  button: 'Add the project',
  fields: [...textsOf('project_name'), ...linesOf('external_unique_id')],
  record: {},
};

export const CUSTOMER_PAGE: PageRoute = {
  path: '/customers/:customer_id',
  show: (page) => {
    const customer = requireCustomer(page);
    const { projects } = page.world.store;
    const held = projects.find('WHERE company_customer_id = ? ORDER BY id LIMIT 200', [customer.id]);
    const rows = listProjectRows(page.world, held);
    return {
      title: nameOf(customer.customer_name, page.world.account.languages),
      under: '/customers',
      lead: html`Customer`,
      body: html`${renderFacts([
        { name: 'Id', is: customer.id },
        { name: 'Version', is: String(customer.version) },
        { name: 'Created', is: formatTime(customer.created_at) },
        { name: 'Changed', is: formatTime(customer.updated_at) },
      ])}
${renderSection('Fields', renderForm(page, customerForm(page, customer)))}
${renderSection('Tags', renderTags(page, customer.custom_tag_ids))}
${renderSection('Reference projects', html`${rows.length === 0 ? html`<p class="muted">No projects.</p>` : renderTable(PROJECT_COLUMNS, rows)}${renderFold(page, 'add_project', 'Add a project', renderForm(page, NEW_PROJECT))}`)}
${renderRemoval('remove', 'Remove the customer')}`,
    };
  },
  actions: {
    save: (page) =>
      saveChanges(page, customerForm(page, requireCustomer(page)), (company_customer) =>
        writeAs(page, changes(CUSTOMERS), { params: page.params, body: { company_customer } }),
      ),
    remove: calls(removes(CUSTOMERS), { next: '/customers?done=remove' }),
    add_project: (page) => {
      const body = { company_project: readChanges(NEW_PROJECT, page.form) };
      return pathTo('projects', String(writeAs(page, postProject, { params: page.params, body }).id));
    },
    ...tagActions({ attach: attaches(TAGGED_CUSTOMERS), detach: detaches(TAGGED_CUSTOMERS) }, ({ params }) => params),
  },
};
