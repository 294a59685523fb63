import type { Preset } from '../../listed/preset.js';
import type { PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { logIn } from './service-account.js';
import { WRITE } from './write.js';

/** The Directory API of Google Workspace, as documented in November 2026. `chosen.ts` defines the names that are not Google's. */
const PRESET: Preset = {
  baseUrl: 'https://admin.googleapis.com',
  listing: {
    rows: '/users',
    total: null,
    next: { kind: 'token', at: '/nextPageToken', parameter: 'pageToken' },
    deleted: null,
    // Google documents that only the last page has no token. Absences from this list prove nothing anyway.
    isEndTrusted: true,
  },
  incremental: null,
  hasFilter: true,
  everyObject: { id: ['string!', '/id'] },
  streams: {
    people: {
      object: '/admin/directory/v1/users',
      columns: {
        first_name: ['string', '/name/givenName'],
        last_name: ['string', '/name/familyName'],
        display_name: ['string', '/name/fullName'],
        email: ['string', '/primaryEmail'],
        title: ['string', '/organization/title'],
        department: ['string', '/organization/department'],
        company: ['string', '/organization/name'],
        office: ['string', '/location/buildingId'],
        country: ['string', '/address/country'],
        manager_id: ['string', '/manager/value'],
        employee_number: ['string', '/employee/value'],
        employee_type: ['string', '/organization/description'],
        phone: ['string', '/phone/value'],
        mobile: ['string', '/mobile/value'],
        suspended: ['bool', '/suspended'],
        archived: ['bool', '/archived'],
        org_unit: ['string', '/orgUnitPath'],
        created: ['datetime', '/creationTime'],
      },
    },
  },
  place: (property) => `/${property}`,
};

export const GOOGLE: PeopleVendor = {
  noun: 'directory',
  preset: PRESET,
  read: READ,
  write: WRITE,
  login: { needs: ['private_key', 'subject'], takes: ['client_id'], build: logIn },
  leaver: null,
  absence:
    'an administrator of some organisational units sees only their users; a deletion shows among the deleted users, or by 404 for that one user',
};
