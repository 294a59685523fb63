import type { Route } from '../route.js';
import { CONSULTANT_ROUTES } from './consultants.js';
import { COUNTRY_ROUTES } from './countries.js';
import { CUSTOMER_ROUTES } from './customers.js';
import { CV_SEARCH_ROUTES } from './cv-search.js';
import { CV_SECTION_ROUTES } from './cv-sections.js';
import { CV_ROUTES } from './cvs.js';
import { EXPORT_ROUTES } from './exports.js';
import { FILE_ROUTES } from './files.js';
import { PROJECT_ENTRY_ROUTES } from './project-entries.js';
import { PROJECT_EXTRA_ROUTES } from './project-extras.js';
import { PROJECT_OWNER_ROUTES } from './project-owners.js';
import { PROJECT_ROUTES } from './projects.js';
import { PROPOSAL_CONTENT_ROUTES } from './proposal-contents.js';
import { PROPOSAL_PARTY_ROUTES } from './proposal-parties.js';
import { PROPOSAL_ROUTES } from './proposals.js';
import { RECORD_TAG_ROUTES } from './record-tags.js';
import { REFERENCE_ROUTES } from './references.js';
import { REPORT_ROUTES } from './reports.js';
import { SECTION_PART_ROUTES } from './section-parts.js';
import { TAG_CATEGORY_ROUTES } from './tag-categories.js';
import { TAG_ROUTES } from './tags.js';
import { USER_IMPORT_ROUTES } from './user-import.js';
import { USER_LIST_ROUTES } from './user-lists.js';
import { USER_ROUTES } from './users.js';

/** The service, a row per endpoint; a later resource is one more file and one more line here. */
export const ROUTES: readonly Route[] = [
  ...USER_LIST_ROUTES,
  ...USER_IMPORT_ROUTES,
  ...USER_ROUTES,
  ...COUNTRY_ROUTES,
  ...CV_ROUTES,
  ...CV_SEARCH_ROUTES,
  ...SECTION_PART_ROUTES,
  ...CV_SECTION_ROUTES,
  ...TAG_CATEGORY_ROUTES,
  ...TAG_ROUTES,
  ...RECORD_TAG_ROUTES,
  ...CUSTOMER_ROUTES,
  ...PROJECT_ROUTES,
  ...PROJECT_OWNER_ROUTES,
  ...PROJECT_ENTRY_ROUTES,
  ...PROJECT_EXTRA_ROUTES,
  ...REFERENCE_ROUTES,
  ...CONSULTANT_ROUTES,
  ...PROPOSAL_ROUTES,
  ...PROPOSAL_PARTY_ROUTES,
  ...PROPOSAL_CONTENT_ROUTES,
  ...REPORT_ROUTES,
  ...EXPORT_ROUTES,
  ...FILE_ROUTES,
];
