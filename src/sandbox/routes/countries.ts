import { requireAdministrator, requireCountry } from '../access.js';
import type { CountryDocument, OfficeDocument } from '../documents.js';
import { type CodeMode, foldText, readLanguageCode, toWireCode } from '../languages.js';
import { COUNTRY_FIELDS, readFields, renderFields } from '../plain-fields.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { MANAGES, putChanged } from '../save-user.js';
import { createId } from '../store.js';
import { type Body, readBody, readString, readWrapper } from '../values.js';

export const COUNTRY_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/v1/countries', access: 'read', handle: listCountries },
  { method: 'POST', path: '/api/v1/countries', access: 'write', handle: postCountry },
  { method: 'PUT', path: '/api/v1/countries/:country_id', access: 'write', handle: putCountry },
  { method: 'POST', path: '/api/v1/countries/:country_id/offices', access: 'write', handle: postOffice },
  { method: 'PUT', path: '/api/v1/countries/:country_id/offices/:office_id', access: 'write', handle: putOffice },
  { method: 'DELETE', path: '/api/v1/countries/:country_id/offices/:office_id', access: 'write', handle: deleteOffice },
];

export function listOffices(world: World, countryId: string): OfficeDocument[] {
  return world.store.offices.find('WHERE country_id = ? ORDER BY name, id', [countryId]);
}

function renderCountry(world: World, country: CountryDocument, mode: CodeMode): object {
  const ui = country.override_ui_language_code;
  return {
    _id: country.id,
    code: country.code,
    native_language_code: toWireCode(country.native_language_code, mode),
    override_ui_language_code: ui === null ? null : toWireCode(ui, mode),
    ...renderFields(COUNTRY_FIELDS, country, mode),
    offices: listOffices(world, country.id).map((office) => renderOffice(world, office, mode)),
  };
}

function renderOffice(world: World, office: OfficeDocument, mode: CodeMode): object {
  const { active, deactivated } = world.store.countUsers(office.id);
  return {
    _id: office.id,
    name: office.name,
    country_id: office.country_id,
    country_code: world.store.countries.get(office.country_id)?.code ?? null,
    override_language_code:
      office.override_language_code === null ? null : toWireCode(office.override_language_code, mode),
    num_users: active + deactivated,
    num_users_activated: active,
    num_users_deactivated: deactivated,
  };
}

function listCountries(world: World, call: Call): Answer {
  const countries = world.store.countries.find('ORDER BY code, id');
  return { status: 200, body: countries.map((country) => renderCountry(world, country, call.mode)) };
}

function requireCountryDocument(world: World, call: Call): CountryDocument {
  const country = world.store.countries.get(call.params.country_id ?? '');
  if (!country) throw new Refusal(404, 'country not found');
  return country;
}

function postCountry(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const country = saveCountry(world, call, undefined);
  return { status: 200, body: renderCountry(world, country, call.mode) };
}

function putCountry(world: World, call: Call): Answer {
  requireAdministrator(call.key);
  const country = saveCountry(world, call, requireCountryDocument(world, call));
  return { status: 200, body: renderCountry(world, country, call.mode) };
}

function saveCountry(world: World, call: Call, before: CountryDocument | undefined): CountryDocument {
  const body = readWrapper(call, 'country');
  const code = (readString(body, 'code') ?? before?.code ?? '').toLowerCase();
  if (!/^[a-z]{2}$/.test(code)) throw new Refusal(422, 'code must be a country code of two letters');
  const holder = world.store.countries.first('WHERE code = ?', [code]);
  if (holder && holder.id !== before?.id) throw new Refusal(422, 'Code has already been taken');
  const native = readLanguage(body, 'native_language_code', call.mode) ?? before?.native_language_code;
  if (!native) throw new Refusal(422, "Native language code can't be blank");
  const ui = readLanguage(body, 'override_ui_language_code', call.mode);
  return world.store.countries.put({
    id: before?.id ?? createId(),
    code,
    native_language_code: native,
    override_ui_language_code: ui === undefined ? (before?.override_ui_language_code ?? null) : ui,
    ...readTemplate(body, call.mode, before),
  });
}

/** `cv_template_type` is `word` or `json`, and only together with `cv_template_id` (spec, Country and office). */
function readTemplate(body: Body, mode: CodeMode, before: CountryDocument | undefined) {
  const sent = readFields(COUNTRY_FIELDS, body, mode, undefined);
  if (sent.cv_template_type && !['word', 'json'].includes(sent.cv_template_type)) {
    throw new Refusal(422, 'cv_template_type must be word or json');
  }
  if (sent.cv_template_type && !sent.cv_template_id) {
    throw new Refusal(422, 'cv_template_type goes only with cv_template_id');
  }
  return readFields(COUNTRY_FIELDS, body, mode, before);
}

function readLanguage(body: Body, name: string, mode: CodeMode): string | null | undefined {
  const code = readString(body, name);
  if (!code) return code === undefined ? undefined : null;
  const iso = readLanguageCode(code, mode);
  if (iso === undefined) throw new Refusal(422, `${name} ${code} is not a language code`);
  return iso;
}

/** Office bodies have no wrapper (spec, Countries and offices). */
function postOffice(world: World, call: Call): Answer {
  const country = requireCountryDocument(world, call);
  requireCountry(world, call, country.code);
  return { status: 200, body: saveOffice(world, call, country, undefined) };
}

function putOffice(world: World, call: Call): Answer {
  const country = requireCountryDocument(world, call);
  requireCountry(world, call, country.code);
  return { status: 200, body: saveOffice(world, call, country, requireOffice(world, call, country)) };
}

function requireOffice(world: World, call: Call, country: CountryDocument): OfficeDocument {
  const office = world.store.offices.get(call.params.office_id ?? '');
  if (office?.country_id !== country.id) throw new Refusal(404, 'office not found');
  return office;
}

function saveOffice(world: World, call: Call, country: CountryDocument, before: OfficeDocument | undefined): object {
  const body = readBody(call);
  const sent = readString(body, 'name');
  const name = (sent === undefined ? (before?.name ?? '') : (sent ?? '')).trim();
  if (name === '') throw new Refusal(422, "Name can't be blank");
  // Unique within the country (spec, Office), told apart without regard to case.
  const taken = listOffices(world, country.id).some(
    (office) => office.id !== before?.id && office.name.toLowerCase() === name.toLowerCase(),
  );
  if (taken) throw new Refusal(422, 'Name has already been taken');
  const language = readLanguage(body, 'override_language_code', call.mode);
  const office = world.store.offices.put({
    id: before?.id ?? createId(),
    country_id: country.id,
    name,
    override_language_code: language === undefined ? (before?.override_language_code ?? null) : language,
  });
  return renderOffice(world, office, call.mode);
}

function deleteOffice(world: World, call: Call): Answer {
  const country = requireCountryDocument(world, call);
  requireCountry(world, call, country.code);
  const office = requireOffice(world, call, country);
  const { active, deactivated } = world.store.countUsers(office.id);
  if (active + deactivated > 0) throw new Refusal(400, 'the department still has users');
  world.store.offices.delete(office.id);
  for (const user of world.store.users.find(`WHERE ${MANAGES}`)) {
    const role_allowed_office_ids = user.role_allowed_office_ids.filter((id) => id !== office.id);
    putChanged(world, user, { role_allowed_office_ids });
  }
  for (const project of world.store.projects.find('WHERE instr(body, ?) > 0', [`"${office.id}"`])) {
    world.store.projects.put({ ...project, office_ids: project.office_ids.filter((id) => id !== office.id) });
  }
  return NO_CONTENT;
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** A country by its code or by its English name, as CSV files name it. */
export function findCountry(world: World, text: string): CountryDocument | undefined {
  const wanted = foldText(text.trim());
  const byCode = world.store.countries.first('WHERE code = ?', [wanted]);
  if (byCode) return byCode;
  const nameOf = (country: CountryDocument): string => foldText(COUNTRY_NAMES.of(country.code.toUpperCase()) ?? '');
  return world.store.countries.all().find((country) => nameOf(country) === wanted);
}

/** An office of the country by its name, without regard to case where it is not written exactly so. */
export function findOffice(world: World, countryId: string, name: string): OfficeDocument | undefined {
  const exact = world.store.offices.first('WHERE country_id = ? AND name = ?', [countryId, name]);
  return exact ?? listOffices(world, countryId).find((office) => foldText(office.name) === foldText(name));
}
