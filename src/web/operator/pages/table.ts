import type { WebRoute } from '../route.js';
import { TENANTS_ROUTE } from './tenants-page.js';

/** The pages, in the order of the navigation. */
export const PAGE_ROUTES: readonly WebRoute[] = [TENANTS_ROUTE];
