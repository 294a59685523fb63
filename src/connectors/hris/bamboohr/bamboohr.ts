import { encodeBasic } from '../../../base/secrets/encode-basic.js';
import { Secret } from '../../../base/secrets/secret.js';
import type { Preset } from '../../listed/preset.js';
import type { PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

const PRESET: Preset = {
  baseUrl: null,
  listing: {
    rows: '/data',
    total: '/meta/total',
    next: { kind: 'token', at: '/meta/page/nextCursor', parameter: 'page[after]' },
    deleted: { at: '/action', is: ['deleted'], key: '/id' },
  },
  incremental: { modified: '/lastChanged', time: 'iso' },
  hasFilter: false,
  place: (property) => `/${property}`,
  everyObject: { id: ['string!', '/employeeId'], modified: ['datetime', '/lastChanged'] },
  streams: {
    people: {
      object: '/api/v1/employees',
      columns: {
        first_name: ['string', '/firstName'],
        last_name: ['string', '/lastName'],
        preferred_name: ['string', '/preferredName'],
        email: ['string', '/workEmail'],
        title: ['string', '/jobTitleName'],
        department: ['string', '/departmentName'],
        division: ['string', '/divisionName'],
        office: ['string', '/locationName'],
        manager_id: ['string', '/reportsToId'],
        employee_number: ['string', '/employeeNumber'],
        phone: ['string', '/workPhone'],
        mobile: ['string', '/mobilePhone'],
        employment_status: ['string', '/employmentStatusName'],
        start_date: ['date', '/hireDate'],
        end_date: ['date', '/terminationDate'],
        contract_end_date: ['date', '/contractEndDate'],
        // The status is required in every row, because only the status shows who has left.
        status: ['string!', '/status'],
      },
    },
  },
};

export const BAMBOOHR: PeopleVendor = {
  noun: 'HR system',
  preset: PRESET,
  read: READ,
  write: WRITE,
  login: {
    needs: ['key'],
    // The API key is the user name of a Basic login, with any password. It is sent as a header, because user names are
    // not kept secret.
    build: ({ key }) => ({
      header: { name: 'authorization', value: new Secret(encodeBasic(key.reveal(), new Secret('x'))) },
    }),
  },
  leaver: 'record.status == "Inactive" && has(record.end_date)',
  absence:
    'people whom the key may not see are left out silently, so only a status, a date or a deletion that BambooHR reports shows who left',
};
