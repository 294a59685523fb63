import { buildWriteResult, collectRows, parseWrite, type WriteResult } from './answer.js';
import type { CallAnswer, ReadCall, WriteCall } from './call.js';
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

export interface CountriesReader {
  /** Every country with its offices; there are no pages. */
  list(signal?: AbortSignal): Promise<readonly WireCountry[]>;
}

export interface CountriesWriter {
  create(country: CountryCreate, signal?: AbortSignal): Promise<WriteResult<WireCountry>>;
  update(countryId: string, country: CountryFields, signal?: AbortSignal): Promise<WriteResult<WireCountry | null>>;
  createOffice(countryId: string, office: OfficeCreate, signal?: AbortSignal): Promise<WriteResult<WireOffice>>;
  /** null where the answer has no body: the spec does not show it. */
  updateOffice(
    countryId: string,
    officeId: string,
    office: OfficeFields,
    signal?: AbortSignal,
  ): Promise<WriteResult<WireOffice | null>>;
  /** Refused with 400 while the office has users. */
  deleteOffice(countryId: string, officeId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

export function createCountriesReader(call: ReadCall): CountriesReader {
  return {
    async list(signal) {
      return collectRows(await call({ endpoint: 'listCountries', signal }), WireCountry, 'countries');
    },
  };
}

export function createCountriesWriter(call: WriteCall): CountriesWriter {
  return {
    async create(country, signal) {
      return parseWrite(
        await call({ endpoint: 'createCountry', body: { country: { ...country } }, signal }),
        WireCountry,
      );
    },
    async update(countryId, country, signal) {
      const path = { country_id: countryId };
      const answer = await call({ endpoint: 'updateCountry', path, body: { country: { ...country } }, signal });
      return isEmpty(answer) ? buildWriteResult(answer, null) : parseWrite(answer, WireCountry);
    },
    // Bodies of offices have no wrapper (spec, Countries and offices).
    async createOffice(countryId, office, signal) {
      const path = { country_id: countryId };
      return parseWrite(await call({ endpoint: 'createOffice', path, body: { ...office }, signal }), WireOffice);
    },
    async updateOffice(countryId, officeId, office, signal) {
      const path = { country_id: countryId, department_id: officeId };
      const answer = await call({ endpoint: 'updateOffice', path, body: { ...office }, signal });
      return isEmpty(answer) ? buildWriteResult(answer, null) : parseWrite(answer, WireOffice);
    },
    async deleteOffice(countryId, officeId, signal) {
      const path = { country_id: countryId, department_id: officeId };
      return buildWriteResult(await call({ endpoint: 'deleteOffice', path, signal }), null);
    },
  };
}

function isEmpty(answer: CallAnswer): boolean {
  return answer.body === null;
}
