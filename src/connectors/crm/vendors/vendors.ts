import type { Vendor } from '../crm-system.js';
import type { VendorName } from '../listed-stream.js';
import { DYNAMICS } from './dynamics/dynamics.js';
import { HUBSPOT } from './hubspot/hubspot.js';
import { SALESFORCE } from './salesforce/salesforce.js';

/** Every vendor by the name of its preset. */
export const VENDORS: Readonly<Record<VendorName, Vendor>> = {
  hubspot: HUBSPOT,
  salesforce: SALESFORCE,
  dynamics: DYNAMICS,
};

export const VENDOR_NAMES = Object.keys(VENDORS) as readonly VendorName[];
