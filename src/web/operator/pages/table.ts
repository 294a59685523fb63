import type { WebRoute } from '../route.js';
import { TENANT_ROUTES } from './tenant-page.js';
import { TENANTS_ROUTE } from './tenants-page.js';

/** The pages, in the order of the navigation. */
export const PAGE_ROUTES: readonly WebRoute[] = [TENANTS_ROUTE, ...TENANT_ROUTES];
