import type { WebRoute } from '../route.js';
import { APPROVAL_ROUTES } from './approve-form.js';
import { AUDIT_ROUTES } from './audit-page.js';
import { CONFIGURATION_ROUTE } from './configuration-page.js';
import { DECLINE_ROUTES } from './decline-form.js';
import { ERASE_ROUTES } from './erase-page.js';
import { INBOX_ROUTE } from './inbox-page.js';
import { NOW_ROUTES } from './now-page.js';
import { OBJECT_ROUTE } from './object-page.js';
import { PAUSE_ROUTES } from './pause-form.js';
import { PEOPLE_ROUTES } from './people-page.js';
import { PIN_ROUTE } from './pin-form.js';
import { RUN_ROUTES } from './run-page.js';
import { RUNS_ROUTE } from './runs-page.js';
import { TENANT_ROUTE } from './tenant-page.js';
import { TENANTS_ROUTE } from './tenants-page.js';
import { UNDO_ROUTES } from './undo-form.js';
import { WAITING_ROUTES } from './waiting-page.js';

/** The pages, in the order of the navigation. */
export const PAGE_ROUTES: readonly WebRoute[] = [
  TENANTS_ROUTE,
  INBOX_ROUTE,
  TENANT_ROUTE,
  ...WAITING_ROUTES,
  ...AUDIT_ROUTES,
  RUNS_ROUTE,
  ...RUN_ROUTES,
  ...APPROVAL_ROUTES,
  ...DECLINE_ROUTES,
  ...UNDO_ROUTES,
  ...NOW_ROUTES,
  ...PAUSE_ROUTES,
  ...PEOPLE_ROUTES,
  OBJECT_ROUTE,
  PIN_ROUTE,
  ...ERASE_ROUTES,
  CONFIGURATION_ROUTE,
];
