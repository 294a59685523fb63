import type { World } from '../account/world.js';
import { placeExtras } from '../answers/client-fields.js';
import { requireAdministrator, requireCountry } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { type CodeMode, readLanguageCode, toWireCode } from '../fields/languages.js';
import { COUNTRY_FIELDS, readFields, renderFields } from '../fields/plain-fields.js';
import { refuse } from '../fields/refusal.js';
import { type Body, readString } from '../fields/values.js';
import { listOffices } from '../records/places.js';
import { MANAGES, putChanged } from '../records/save-user.js';
import type { CountryDocument, OfficeDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import type { Resource } from './resource.js';

function renderCountry({ world, mode }: Call, country: CountryDocument): object {
  const { id, code, native_language_code, override_ui_language_code: ui } = country;
  return {
    setting: { _id: id },
    _id: id,
    code,
    native_language_code: toWireCode(native_language_code, mode),
    override_ui_language_code: ui === null ? null : toWireCode(ui, mode),
    offices: listOffices(world, id).map((office) => renderOffice(world, office, mode)),
    ...placeExtras(id, country.cv_template_type === 'json' ? null : country.cv_template_id),
    ...renderFields(COUNTRY_FIELDS, country, mode),
  };
}

function renderOffice({ store }: World, office: OfficeDocument, mode: CodeMode): object {
  const { id: _id, name, country_id, override_language_code: language } = office;
  const { active, deactivated } = store.countUsers(_id);
  return {
    _id,
    name,
    country_id,
    country_code: store.countries.get(country_id)?.code ?? null,
    override_language_code: language === null ? null : toWireCode(language, mode),
    num_users: active + deactivated,
    num_users_activated: active,
    num_users_deactivated: deactivated,
    ...placeExtras(_id, office.cv_template_id ?? null),
  };
}

export function listCountries(call: Call): readonly object[] {
  return call.world.store.countries.find('ORDER BY code, id').map((country) => renderCountry(call, country));
}

function findOwnCountry({ world, params }: Call): CountryDocument {
  return world.store.countries.get(params.country_id) ?? refuse(404, 'country not found');
}

export const COUNTRIES: Resource<void, CountryDocument> = {
  wrapper: 'country',
  place: ({ key }) => requireAdministrator(key),
  find: findOwnCountry,
  render: renderCountry,
  save: ({ world, mode }, _, body, before) => {
    const { countries } = world.store;
    const code = (readString(body, 'code') ?? before?.code ?? '').toLowerCase();
    if (!/^[a-z]{2}$/.test(code)) refuse(422, 'code must be a country code of two letters');
    const holder = countries.first('WHERE code = ?', [code]);
    if (holder && holder.id !== before?.id) refuse(422, 'Code has already been taken');
    const native = readLanguage(body, 'native_language_code', mode) ?? before?.native_language_code;
    if (!native) refuse(422, "Native language code can't be blank");
    const ui = readLanguage(body, 'override_ui_language_code', mode);
    return countries.put({
      id: before?.id ?? createId(),
      code,
      native_language_code: native,
      override_ui_language_code: ui === undefined ? (before?.override_ui_language_code ?? null) : ui,
      ...readTemplate(body, mode, before),
    });
  },
};

/** Reads the template. `cv_template_type` is `word` or `json` and requires `cv_template_id` (spec, Country and office). */
function readTemplate(body: Body, mode: CodeMode, before: CountryDocument | undefined) {
  const { cv_template_type: type, cv_template_id: id } = readFields(COUNTRY_FIELDS, body, mode, undefined);
  if (type && !['word', 'json'].includes(type)) refuse(422, 'cv_template_type must be word or json');
  if (type && !id) refuse(422, 'cv_template_type requires cv_template_id');
  return readFields(COUNTRY_FIELDS, body, mode, before);
}

function readLanguage(body: Body, name: string, mode: CodeMode): string | null | undefined {
  const code = readString(body, name);
  if (!code) return code === undefined ? undefined : null;
  return readLanguageCode(code, mode) ?? refuse(422, `${name} ${code} is not a language code`);
}

/** The bodies of offices have no wrapper (spec, Countries and offices). */
export const OFFICES: Resource<CountryDocument, OfficeDocument> = {
  place: (call) => {
    const country = findOwnCountry(call);
    requireCountry(call, country.id);
    return country;
  },
  find: ({ world, params }, country) => {
    const office = world.store.offices.get(params.office_id);
    return office?.country_id === country.id ? office : refuse(404, 'office not found');
  },
  render: ({ world, mode }, office) => renderOffice(world, office, mode),
  save: ({ world, mode }, country, body, before) => {
    const sent = readString(body, 'name');
    const name = (sent === undefined ? (before?.name ?? '') : (sent ?? '')).trim();
    if (name === '') refuse(422, "Name can't be blank");
    // Names are unique within the country, ignoring case (spec, Office).
    const isTaken = (other: OfficeDocument): boolean =>
      other.id !== before?.id && other.name.toLowerCase() === name.toLowerCase();
    if (listOffices(world, country.id).some(isTaken)) refuse(422, 'Name has already been taken');
    const language = readLanguage(body, 'override_language_code', mode);
    return world.store.offices.put({
      id: before?.id ?? createId(),
      country_id: country.id,
      name,
      override_language_code: language === undefined ? (before?.override_language_code ?? null) : language,
    });
  },
  remove: ({ world }, { id }) => removeOffice(world, id),
};

function removeOffice(world: World, officeId: string): void {
  const { offices, users, projects, countUsers } = world.store;
  const { active, deactivated } = countUsers(officeId);
  if (active + deactivated > 0) refuse(400, 'the department still has users');
  offices.delete(officeId);
  for (const user of users.find(`WHERE ${MANAGES}`)) {
    const role_allowed_office_ids = user.role_allowed_office_ids.filter((id) => id !== officeId);
    putChanged(world, user, { role_allowed_office_ids });
  }
  for (const project of projects.find('WHERE instr(body, ?) > 0', [`"${officeId}"`])) {
    projects.put({ ...project, office_ids: project.office_ids.filter((id) => id !== officeId) });
  }
}
