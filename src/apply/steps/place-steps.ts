import { observeCountry, observeOffice } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { CountryCreate, CountryFields, OfficeFields } from '../../service/countries.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { answerAs, sendDeletion } from '../step.js';
import { callsOfListed } from './listed-steps.js';

/** The service cannot delete countries (spec, Countries and offices). */
export const COUNTRY_CALLS = callsOfListed({
  entity: 'countries',
  seenBy: 'listCountries',
  list: async ({ countries }) => (await countries.list()).map(observeCountry),
  creation: {
    endpoint: 'createCountry',
    build({ after }, { writer }) {
      const code = foldKey(textOf(after.code));
      return {
        send: async () => answerAs(await writer.countries.create(after as unknown as CountryCreate), observeCountry),
        isMade: ({ label }) => foldKey(label) === code,
      };
    },
  },
  update: {
    endpoint: 'updateCountry',
    send: async ({ after, target }, { writer }) =>
      answerAs(await writer.countries.update(target, after as CountryFields), observeCountry),
  },
});

export const OFFICE_CALLS = callsOfListed({
  entity: 'offices',
  seenBy: 'listCountries',
  list: async ({ countries }) =>
    (await countries.list()).flatMap((country) => country.offices.map((office) => observeOffice(office, country))),
  creation: {
    endpoint: 'createOffice',
    build({ after }, { writer, directory }) {
      const { country, ...fields } = after;
      const [code, name] = [textOf(country), textOf(after.name)];
      const id = resolveReference('countries', country, directory);
      return {
        async send() {
          const answer = await writer.countries.createOffice(id, { ...(fields as OfficeFields), name });
          return answerAs(answer, (office) => observeOffice(office, { id, code }));
        },
        isMade: ({ values }) => values.country_id === id && foldKey(textOf(values.name)) === foldKey(name),
      };
    },
  },
  update: {
    endpoint: 'updateOffice',
    async send({ after, target, known }, { writer }) {
      const { values } = needId(known, 'The office');
      const country = { id: textOf(values.country_id), code: textOf(values.country) };
      const answer = await writer.countries.updateOffice(country.id, target, after as OfficeFields);
      return answerAs(answer, (office) => observeOffice(office, country));
    },
  },
  // The service rejects the deletion with 400 while the office has users. The office then stays, and the next run tries
  // again.
  deletion: {
    endpoint: 'deleteOffice',
    send: (target, { writer, mirrored }) =>
      sendDeletion(() => writer.countries.deleteOffice(textOf(mirrored('offices', target)?.values.country_id), target)),
  },
});
