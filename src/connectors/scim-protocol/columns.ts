import type { Column, Columns } from '../../model/column.js';

const text: Column = { type: 'string', optional: true, format: null, trueWords: null, separator: ',' };

/** The default columns of a SCIM source; `flatten-user.ts` defines the place of each column. */
export const SCIM_COLUMNS: Columns = {
  id: { ...text, optional: false },
  userName: { ...text, optional: false },
  externalId: text,
  active: { ...text, type: 'bool', optional: false },
  displayName: text,
  givenName: text,
  familyName: text,
  email: text,
  phone: text,
  title: text,
  department: text,
  division: text,
  organization: text,
  costCenter: text,
  employeeNumber: text,
  manager: text,
  country: text,
  locale: text,
  groups: { ...text, type: 'list' },
  modified: { ...text, type: 'datetime' },
};
