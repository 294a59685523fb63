import { BAMBOOHR } from './bamboohr/bamboohr.js';
import { ENTRA } from './entra/entra.js';
import { GOOGLE } from './google/google.js';
import { HIBOB } from './hibob/hibob.js';
import { PERSONIO } from './personio/personio.js';
import { SIMPLOYER } from './simployer/simployer.js';
import { SUCCESSFACTORS } from './successfactors/successfactors.js';
import type { PeopleVendor } from './vendor.js';
import { WORKDAY } from './workday/workday.js';

/** The HR systems and directories, by the name of their preset. */
export const PEOPLE_VENDORS = {
  bamboohr: BAMBOOHR,
  entra: ENTRA,
  google: GOOGLE,
  hibob: HIBOB,
  personio: PERSONIO,
  simployer: SIMPLOYER,
  successfactors: SUCCESSFACTORS,
  workday: WORKDAY,
} satisfies Readonly<Record<string, PeopleVendor>>;

export type PeopleVendorName = keyof typeof PEOPLE_VENDORS;
export const PEOPLE_VENDOR_NAMES = Object.keys(PEOPLE_VENDORS) as readonly PeopleVendorName[];
