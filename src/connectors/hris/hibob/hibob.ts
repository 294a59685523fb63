import type { Preset } from '../../listed/preset.js';
import type { PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

const valueAt = (field: string): string => `/values/${field}`;
/** The place of a field's displayed label, for fields that contain the id of a list item. */
const wordAt = (field: string): string => `/words/${field}`;

const PRESET: Preset = {
  baseUrl: 'https://api.hibob.com',
  listing: { rows: '/employees', total: null, next: { kind: 'none' }, deleted: null },
  incremental: null,
  hasFilter: false,
  place: valueAt,
  everyObject: { id: ['string!', valueAt('root.id')] },
  streams: {
    people: {
      object: '/v1/people',
      columns: {
        first_name: ['string', valueAt('root.firstName')],
        last_name: ['string', valueAt('root.surname')],
        preferred_name: ['string', valueAt('root.displayName')],
        email: ['string', valueAt('root.email')],
        title: ['string', wordAt('work.title')],
        department: ['string', wordAt('work.department')],
        office: ['string', wordAt('work.site')],
        manager_id: ['string', valueAt('work.manager')],
        employee_number: ['string', valueAt('work.employeeIdInCompany')],
        phone: ['string', valueAt('work.workPhone')],
        mobile: ['string', valueAt('work.workMobile')],
        start_date: ['date', valueAt('work.startDate')],
        end_date: ['date', valueAt('internal.terminationDate')],
        // The status is required in every row, because only the status shows who has left.
        status: ['string!', wordAt('internal.lifecycleStatus')],
      },
    },
  },
};

export const HIBOB: PeopleVendor = {
  noun: 'HR system',
  preset: PRESET,
  read: READ,
  write: WRITE,
  login: {
    needs: ['user', 'token'],
    build: ({ user, token }) => ({ basic: { username: user.reveal(), password: token } }),
  },
  leaver: 'record.status == "Terminated"',
  absence:
    'people whom the service user may not see are left out silently, so only a status, a date or a 404 for that one person shows who left',
};
