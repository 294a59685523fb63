import * as z from 'zod';
import { COUNTRY_FIELDS, USER_FIELDS } from '../../fields/plain-fields.js';
import type { OperationGroup } from './operation.js';
import { count, id, Picture, shapeOf, show, showPlainFields, stamp, Texts, take, text, wrap } from './shapes.js';

const flag = z.boolean();
const ids = z.array(z.string());

/** A user as in lists and in `find`. */
export const User = show({
  ...shapeOf(id, 'user_id', '_id', 'id', 'email', 'default_cv_id', 'office_id', 'country_id', 'role'),
  ...showPlainFields(USER_FIELDS),
  name: z.string(),
  name_multilang: Texts,
  place_of_residence: z.union([z.string(), Texts]).nullable(),
  ...shapeOf(text, 'twitter', 'override_language_code', 'office_name', 'country_code', 'language_code'),
  deactivated: flag,
  deactivated_at: z.union([z.literal(false), z.string()]),
  ...shapeOf(stamp, 'created_at', 'updated_at', 'profile_updated_at'),
  roles: z.array(z.string()),
  image: Picture,
  ...shapeOf(z.string(), 'company_id', 'company_name', 'default_cv_template_id'),
  ...shapeOf(z.string(), 'international_toggle', 'preferred_download_format'),
  ...shapeOf(z.array(z.string()), 'company_subdomains', 'company_group_ids', 'language_codes', 'masterdata_languages'),
  ...shapeOf(ids, 'selected_office_ids', 'selected_tag_ids'),
  ...shapeOf(flag, 'expand_proposals_toggle', 'include_officeless_reference_projects'),
  // A setting of the account decides if these fields are shown.
  ...shapeOf(ids.optional(), 'role_allowed_office_ids', 'role_allowed_tag_ids'),
});

/** A user with the scope of a departmentmanager, which is always shown. */
export const ScopedUser = User.extend(shapeOf(ids, 'role_allowed_office_ids', 'role_allowed_tag_ids'));

const USER_BODY = {
  ...shapeOf(z.string(), 'country_id', 'office_id', 'email', 'role', 'name'),
  ...showPlainFields(USER_FIELDS),
  extra_roles: z.array(z.string()),
  ensure_unique_custom_tag_ids_by_category: z.record(z.string(), z.string()),
  send_email: flag,
  ...shapeOf(ids, 'role_allowed_office_ids', 'role_allowed_tag_ids'),
};
const UserBody = wrap('user', take({ ...USER_BODY, deactivated: flag }));

export const ImportTask = show({ import_task: id, dry_run: flag });

export const USERS: OperationGroup = {
  tag: 'Users',
  description: 'People, their roles, and the feed of their changes.',
  operations: {
    'GET /api/v2/users/search': {
      id: 'searchUsers',
      summary: 'Find users by name, role and office',
      query: {
        from: z.int().min(0),
        size: z.int().min(1).max(500),
        sort_by: z.enum(['name', 'relevance', 'country', 'role']),
        deactivated: flag,
        role: z.string(),
        name: z.string(),
        'office_ids[]': ids,
      },
      answer: z.array(User),
    },
    'GET /api/v1/users/changes': {
      id: 'readUserChanges',
      summary: 'Users in the order of their last change',
      query: { profile_updated_since: z.string(), after_id: z.string(), limit: z.int().min(1) },
      needs: ['profile_updated_since'],
      answer: z.array(User),
    },
    'GET /api/v1/users/find': {
      id: 'findUser',
      summary: 'Find a user by e-mail, external id or UPN',
      query: shapeOf(z.string(), 'email', 'external_unique_id', 'upn'),
      answer: User,
    },
    'GET /api/v1/users': {
      id: 'listUsers',
      summary: 'All users by name',
      query: { offset: z.int().min(0), limit: z.int().min(1).max(1_400) },
      answer: z.array(User),
      isBeyond: true,
    },
    'POST /api/v1/users': { id: 'createUser', summary: 'Create a user', body: UserBody, answer: ScopedUser },
    'POST /api/v1/users/import/csv/:config_name': {
      id: 'importUsers',
      summary: 'Upload users as CSV',
      query: { dry_run: flag },
      body: 'text/csv',
      answer: ImportTask,
    },
    'GET /api/v1/users/:user_id': { id: 'getUser', summary: 'A user with its scope', answer: ScopedUser },
    'PUT /api/v1/users/:user_id': {
      id: 'updateUser',
      summary: 'Change, deactivate or reactivate a user',
      body: UserBody,
      answer: ScopedUser,
    },
    'DELETE /api/v1/users/:user_id': { id: 'deleteUser', summary: 'Delete a user permanently', answer: 'nothing' },
  },
};

export const Office = show({
  ...shapeOf(id, '_id', 'id', 'name', 'country_id'),
  ...shapeOf(text, 'country_code', 'override_language_code', 'default_word_template_id', 'default_ppt_template_id'),
  selected: flag,
  ...shapeOf(count, 'num_users', 'num_users_activated', 'num_users_deactivated'),
});

const COUNTRY = {
  code: z.string(),
  native_language_code: z.string(),
  override_ui_language_code: text,
  ...showPlainFields(COUNTRY_FIELDS),
};
export const Country = show({
  ...shapeOf(id, '_id', 'id'),
  ...COUNTRY,
  ...shapeOf(text, 'default_word_template_id', 'default_ppt_template_id'),
  selected: flag,
  setting: show({ _id: id }),
  offices: z.array(Office),
});

const CountryBody = wrap('country', take(COUNTRY));
const OfficeBody = take({ name: z.string(), override_language_code: text });

export const COUNTRIES: OperationGroup = {
  tag: 'Countries',
  description: 'Countries and their offices (departments).',
  operations: {
    'GET /api/v1/countries': {
      id: 'listCountries',
      summary: 'Countries with their offices',
      answer: z.array(Country),
    },
    'POST /api/v1/countries': {
      id: 'createCountry',
      summary: 'Create a country',
      body: CountryBody,
      answer: Country,
    },
    'PUT /api/v1/countries/:country_id': {
      id: 'updateCountry',
      summary: 'Change a country',
      body: CountryBody,
      answer: Country,
    },
    'POST /api/v1/countries/:country_id/offices': {
      id: 'createOffice',
      summary: 'Create an office',
      body: OfficeBody,
      answer: Office,
    },
    'PUT /api/v1/countries/:country_id/offices/:office_id': {
      id: 'updateOffice',
      summary: 'Change an office',
      body: OfficeBody,
      answer: Office,
    },
    'DELETE /api/v1/countries/:country_id/offices/:office_id': {
      id: 'deleteOffice',
      summary: 'Delete an office without users',
      answer: 'nothing',
    },
  },
};
