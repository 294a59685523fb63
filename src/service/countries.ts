import type { Reads, Writes, Writing } from './answer.js';
import { WireCountry, WireOffice } from './wire.js';
import type { NeverEmpty, PlainBody } from './wire-plain.js';

export type CountryFields = NeverEmpty<
  Omit<PlainBody<'countries'>, 'cv_template_type'>,
  'code' | 'native_language_code'
> & {
  /** Allowed only together with `cv_template_id`. */
  readonly cv_template_type?: 'word' | 'json' | null;
};
export type CountryCreate = CountryFields & Required<Pick<CountryFields, 'code' | 'native_language_code'>>;

/** The name must be unique within the country. */
export type OfficeFields = NeverEmpty<PlainBody<'offices'>, 'name'>;
export type OfficeCreate = OfficeFields & Required<Pick<OfficeFields, 'name'>>;

export function createCountriesReader(read: Reads) {
  return {
    /** Reads all countries with their offices; the list has no pages. */
    list: async (signal?: AbortSignal): Promise<readonly WireCountry[]> =>
      read.rows('listCountries', WireCountry, { signal }, 'countries'),
  };
}

export function createCountriesWriter(send: Writes) {
  return {
    create: (country: CountryCreate, signal?: AbortSignal): Writing<WireCountry> =>
      send.record('createCountry', WireCountry, { body: { country: { ...country } }, signal }),
    update(countryId: string, country: CountryFields, signal?: AbortSignal): Writing<WireCountry | null> {
      const body = { country: { ...country } };
      return send.record('updateCountry', WireCountry.nullable(), { path: [countryId], body, signal });
    },
    // Bodies of offices have no wrapper (spec, Countries and offices).
    createOffice: (countryId: string, office: OfficeCreate, signal?: AbortSignal): Writing<WireOffice> =>
      send.record('createOffice', WireOffice, { path: [countryId], body: { ...office }, signal }),
    /** Updates an office; the value is null if the answer has no body, because the spec does not show the answer. */
    updateOffice: (
      countryId: string,
      officeId: string,
      office: OfficeFields,
      signal?: AbortSignal,
    ): Writing<WireOffice | null> =>
      send.record('updateOffice', WireOffice.nullable(), { path: [countryId, officeId], body: { ...office }, signal }),
    /** The service rejects the deletion with 400 while the office has users. */
    deleteOffice: (countryId: string, officeId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteOffice', { path: [countryId, officeId], signal }),
  };
}
