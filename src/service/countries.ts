import { collectRows, type Writing, writeOnly, writeRecord } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { WireCountry, WireOffice } from './wire.js';
import type { NeverEmpty, PlainBody } from './wire-plain.js';

export type CountryFields = NeverEmpty<
  Omit<PlainBody<'countries'>, 'cv_template_type'>,
  'code' | 'native_language_code'
> & {
  /** Only together with `cv_template_id`. */
  readonly cv_template_type?: 'word' | 'json' | null;
};
export type CountryCreate = CountryFields & Required<Pick<CountryFields, 'code' | 'native_language_code'>>;

/** The name is unique within the country. */
export type OfficeFields = NeverEmpty<PlainBody<'offices'>, 'name'>;
export type OfficeCreate = OfficeFields & Required<Pick<OfficeFields, 'name'>>;

export function createCountriesReader(call: ReadCall) {
  return {
    /** Every country with its offices; there are no pages. */
    async list(signal?: AbortSignal): Promise<readonly WireCountry[]> {
      return collectRows(await call({ endpoint: 'listCountries', signal }), WireCountry, 'countries');
    },
  };
}

export function createCountriesWriter(call: WriteCall) {
  return {
    create(country: CountryCreate, signal?: AbortSignal): Writing<WireCountry> {
      return writeRecord(call, { endpoint: 'createCountry', body: { country: { ...country } }, signal }, WireCountry);
    },
    update(countryId: string, country: CountryFields, signal?: AbortSignal): Writing<WireCountry | null> {
      const path = { country_id: countryId };
      const body = { country: { ...country } };
      return writeRecord(call, { endpoint: 'updateCountry', path, body, signal }, WireCountry.nullable());
    },
    // Bodies of offices have no wrapper (spec, Countries and offices).
    createOffice(countryId: string, office: OfficeCreate, signal?: AbortSignal): Writing<WireOffice> {
      const path = { country_id: countryId };
      return writeRecord(call, { endpoint: 'createOffice', path, body: { ...office }, signal }, WireOffice);
    },
    /** null where the answer has no body: the spec does not show it. */
    updateOffice(
      countryId: string,
      officeId: string,
      office: OfficeFields,
      signal?: AbortSignal,
    ): Writing<WireOffice | null> {
      const path = { country_id: countryId, department_id: officeId };
      const body = { ...office };
      return writeRecord(call, { endpoint: 'updateOffice', path, body, signal }, WireOffice.nullable());
    },
    /** Refused with 400 while the office has users. */
    deleteOffice(countryId: string, officeId: string, signal?: AbortSignal): Writing<null> {
      const path = { country_id: countryId, department_id: officeId };
      return writeOnly(call, { endpoint: 'deleteOffice', path, signal });
    },
  };
}
