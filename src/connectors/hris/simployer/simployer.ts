import { PAST_LAST_DAY, type PeopleVendor } from '../vendor.js';
import { PAGE, READ } from './read.js';
import { WRITE } from './write.js';

/** Simployer One, formerly AlexisHR. */
export const SIMPLOYER: PeopleVendor = {
  noun: 'HR system',
  preset: {
    baseUrl: 'https://api.alexishr.com',
    listing: {
      rows: '/data',
      total: '/total',
      next: { kind: 'offset', parameter: 'offset', limit: 'limit', size: PAGE },
      deleted: null,
    },
    incremental: { modified: '/updated', time: 'iso' },
    hasFilter: false,
    everyObject: { id: ['string!', '/id'], modified: ['datetime', '/updated'] },
    streams: {
      people: {
        object: '/v1/employee',
        columns: {
          first_name: ['string', '/firstName'],
          last_name: ['string', '/lastName'],
          email: ['string', '/workEmail'],
          title: ['string', '/title'],
          department: ['string', '/department/name'],
          office: ['string', '/office/name'],
          country: ['string', '/employmentCountry'],
          manager_id: ['string', '/managerEmployeeId'],
          employee_number: ['string', '/employeeNumber'],
          phone: ['string', '/workPhone'],
          start_date: ['date', '/hireDate'],
          end_date: ['date', '/endDate'],
          active: ['bool', '/active'],
          terminated: ['bool', '/employment/terminated'],
          employment_type: ['string', '/employmentType/name'],
          division: ['string', '/division'],
          organization: ['string', '/organization'],
        },
      },
    },
    place: (property) => `/${property}`,
  },
  read: READ,
  write: WRITE,
  login: { needs: ['token'], build: ({ token }) => ({ bearer: token }) },
  leaver: PAST_LAST_DAY,
  absence:
    'its documentation does not say whether lists leave out inactive people; only people for whom it answers 404 are gone',
};
