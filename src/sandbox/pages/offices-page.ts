import { html, value } from '../../report/writers/page/html-text.js';
import type { Body } from '../fields/values.js';
import { COUNTRIES, listCountries, OFFICES } from '../routes/countries.js';
import { changes, creates, removes } from '../routes/resource.js';
import { calls, readAs, writeAs } from './as-colleague.js';
import { linesOf, type RecordForm, readChanges, renderForm, renderRemoval, saveChanges } from './form-fields.js';
import { renderTable } from './lists.js';
import type { PageRequest, PageRoute } from './page.js';
import { renderFold, renderSection } from './record-parts.js';
import { nameCountry, renderLink } from './words.js';

function listAll(page: PageRequest): readonly Body[] {
  return readAs(page, listCountries) as unknown as readonly Body[];
}

function countryForm(record: Body): RecordForm {
  const isNew = record._id === undefined;
  return {
    action: isNew ? 'add_country' : 'save_country',
    button: isNew ? 'Add the country' : 'Save',
    fields: linesOf('code', 'native_language_code', 'override_ui_language_code'),
    record,
    hidden: isNew ? {} : { country_id: String(record._id) },
  };
}

function officeForm(country: Body, record: Body): RecordForm {
  const isNew = record._id === undefined;
  const hidden = { country_id: String(country._id) };
  return {
    action: isNew ? 'add_office' : 'save_office',
    button: isNew ? 'Add the office' : 'Save',
    fields: linesOf('name', 'override_language_code'),
    record,
    hidden: isNew ? hidden : { ...hidden, office_id: String(record._id) },
  };
}

const COLUMNS = [
  { name: 'Office' },
  { name: 'Active', isNumber: true },
  { name: 'Deactivated', isNumber: true },
  { name: 'Change' },
] as const;

/** Finds the current country and office for a form. */
function findNamed(page: PageRequest): {
  readonly params: Record<string, string>;
  readonly country: Body;
  readonly office: Body;
} {
  const params = { country_id: page.form.get('country_id') ?? '', office_id: page.form.get('office_id') ?? '' };
  const country = listAll(page).find(({ _id }) => _id === params.country_id) ?? {};
  const offices = (country.offices ?? []) as readonly Body[];
  return { params, country, office: offices.find(({ _id }) => _id === params.office_id) ?? {} };
}

export const OFFICES_PAGE: PageRoute = {
  path: '/offices',
  show: (page) => {
    const countries = listAll(page).map((country) => {
      const offices = country.offices as readonly Body[];
      const rows = offices.map((office) => {
        const { _id, name, num_users_activated: active, num_users_deactivated: gone } = office;
        const isRefused = page.refusal?.form.get('office_id') === _id;
        const edit = html`<details${isRefused ? html` open` : null}><summary>Change</summary>${renderForm(page, officeForm(country, office))}${renderRemoval('remove_office', 'Remove', { country_id: String(country._id), office_id: String(_id) })}</details>`;
        return [
          renderLink(`/users?office=${String(_id)}`, String(name)),
          html`${Number(active)}`,
          html`${Number(gone)}`,
          edit,
        ];
      });
      const list = rows.length === 0 ? html`<p class="muted">No offices.</p>` : renderTable(COLUMNS, rows);
      const code = String(country.code);
      const isCountry = page.refusal?.form.get('country_id') === country._id;
      const open = (action: string) => (isCountry && page.refusal?.form.get('do') === action ? html` open` : null);
      const add = html`<details class="group"${open('add_office')}><summary>Add an office</summary>${renderForm(page, officeForm(country, {}))}</details>`;
      const edit = html`<details class="group"${open('save_country')}><summary>Change the country</summary>${renderForm(page, countryForm(country))}</details>`;
      return html`<section><h2>${value(nameCountry(code))} <span class="muted">${code}</span></h2>${list}${add}${edit}</section>`;
    });
    return {
      title: 'Offices',
      under: '/offices',
      body: html`${countries}${renderSection('Another country', renderFold(page, 'add_country', 'Add a country', renderForm(page, countryForm({}))))}`,
    };
  },
  actions: {
    add_country: calls(creates(COUNTRIES), { body: ({ form }) => ({ country: readChanges(countryForm({}), form) }) }),
    save_country: (page) => {
      const { params, country } = findNamed(page);
      return saveChanges(page, countryForm(country), (sent) =>
        writeAs(page, changes(COUNTRIES), { params, body: { country: sent } }),
      );
    },
    add_office: (page) => {
      const { params, country } = findNamed(page);
      writeAs(page, creates(OFFICES), { params, body: readChanges(officeForm(country, {}), page.form) });
    },
    save_office: (page) => {
      const { params, country, office } = findNamed(page);
      return saveChanges(page, officeForm(country, office), (body) =>
        writeAs(page, changes(OFFICES), { params, body }),
      );
    },
    remove_office: calls(removes(OFFICES), { next: '/offices?done=remove' }),
  },
};
