import type { World } from '../account/world.js';
import { foldText } from '../fields/languages.js';
import type { CountryDocument, OfficeDocument, UserDocument } from '../store/documents.js';

export function listOffices(world: World, countryId: string): OfficeDocument[] {
  return world.store.offices.find('WHERE country_id = ? ORDER BY name, id', [countryId]);
}

const COUNTRY_NAMES = new Intl.DisplayNames('en', { type: 'region' });

/** Finds a country by its code or English name, as used in CSV files. */
export function findCountry({ store }: World, text: string): CountryDocument | undefined {
  const wanted = foldText(text.trim());
  const byCode = store.countries.first('WHERE code = ?', [wanted]);
  const nameOf = ({ code }: CountryDocument): string => foldText(COUNTRY_NAMES.of(code.toUpperCase()) ?? '');
  return byCode ?? store.countries.all().find((country) => nameOf(country) === wanted);
}

/** Finds an office of the country by name. An exact match takes precedence over a match that ignores case. */
export function findOffice(world: World, countryId: string, name: string): OfficeDocument | undefined {
  const exact = world.store.offices.first('WHERE country_id = ? AND name = ?', [countryId, name]);
  return exact ?? listOffices(world, countryId).find((office) => foldText(office.name) === foldText(name));
}

/** Returns the language of a user, or else of the office, or else of the country. */
export function languageOf(world: World, user: UserDocument): string | undefined {
  const office = world.store.offices.get(user.office_id);
  const country = world.store.countries.get(user.country_id);
  return user.override_language_code ?? office?.override_language_code ?? country?.native_language_code;
}
