import type { Preset } from '../../listed/preset.js';
import type { PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** The place of an attribute's value. Every attribute is an object with a label and a value. */
const at = (attribute: string): string => `/attributes/${attribute}/value`;
/** The place of a related record's name, for attributes such as the office. */
const nameOf = (attribute: string): string => `${at(attribute)}/attributes/name`;

const PRESET: Preset = {
  baseUrl: 'https://api.personio.de',
  listing: {
    rows: '/data',
    total: '/metadata/total_elements',
    next: { kind: 'offset', parameter: 'offset', limit: 'limit', size: 100 },
    deleted: null,
  },
  incremental: { modified: at('last_modified_at'), time: 'iso' },
  hasFilter: false,
  place: at,
  everyObject: { id: ['string!', at('id')], modified: ['datetime', at('last_modified_at')] },
  streams: {
    people: {
      object: '/v1/company/employees',
      columns: {
        first_name: ['string', at('first_name')],
        last_name: ['string', at('last_name')],
        preferred_name: ['string', at('preferred_name')],
        email: ['string', at('email')],
        title: ['string', at('position')],
        department: ['string', nameOf('department')],
        team: ['string', nameOf('team')],
        office: ['string', nameOf('office')],
        // An office has no country. The country of the person's public holiday calendar is the closest value.
        country: ['string', `${at('holiday_calendar')}/attributes/country`],
        company: ['string', nameOf('subcompany')],
        manager_id: ['string', `${at('supervisor')}/attributes/id/value`],
        employment_type: ['string', at('employment_type')],
        start_date: ['date', at('hire_date')],
        end_date: ['date', at('termination_date')],
        last_working_day: ['date', at('last_working_day')],
        contract_end_date: ['date', at('contract_end_date')],
        // The status is required in every row, because only the status shows who has left.
        status: ['string!', at('status')],
      },
    },
  },
};

export const PERSONIO: PeopleVendor = {
  noun: 'HR system',
  preset: PRESET,
  read: READ,
  write: WRITE,
  login: {
    needs: ['client_id', 'client_secret'],
    build: ({ client_id: clientId, client_secret: clientSecret }, baseUrl) => ({
      oauth2: {
        tokenUrl: `${baseUrl}/v1/auth`,
        clientId: clientId.reveal(),
        clientSecret,
        scope: null,
        parameters: {},
        clientAuth: 'json',
        tokenAt: '/data/token',
      },
    }),
  },
  leaver: 'record.status == "inactive"',
  absence:
    'pages by offset can skip a person while others are added or removed, so only a status, a date or a 404 for that one person shows who left',
};
