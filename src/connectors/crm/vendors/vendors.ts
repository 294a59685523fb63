import type { Vendor } from '../../listed/listed-system.js';
import { DYNAMICS } from './dynamics/dynamics.js';
import { HUBSPOT } from './hubspot/hubspot.js';
import { SALESFORCE } from './salesforce/salesforce.js';

/** The vendors, by the name of their preset. */
export const VENDORS = {
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
} satisfies Readonly<Record<string, Vendor>>;

export type VendorName = keyof typeof VENDORS;
export const VENDOR_NAMES = Object.keys(VENDORS) as readonly VendorName[];
