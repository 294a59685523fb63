/** The columns of the service's CSV import by their default titles, in the order of the spec (CSV import, Columns). */
export const IMPORT_COLUMNS = [
  'email',
  'external_unique_id',
  'country_code',
  'office_name',
  'name',
  'upn',
  'telephone',
  'landline',
  'title',
  'born_year',
  'nationality',
  'place_of_residence',
  'roles',
] as const;
export type ImportColumn = (typeof IMPORT_COLUMNS)[number];
