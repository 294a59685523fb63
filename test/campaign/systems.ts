import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import { openCrm } from './crm.js';
import { type Door, openDoor, SYSTEM_NAMES, type SystemName } from './door.js';
import type { Settings } from './history.js';
import { openProvider } from './idp.js';

interface System {
  /** The configuration with its address. */
  place(url: string): { readonly [key: string]: Yaml };
  /** Opens it. @returns its address behind the door */
  open(story: Story): string | Promise<string>;
  /** True if a history with these settings has it. */
  isThere(settings: Settings): boolean;
  /** True if the worker writes to it. */
  isWritten(settings: Settings): boolean;
}

const ALWAYS = (): boolean => true;
const NEVER = (): boolean => false;

const SYSTEMS: Readonly<Record<SystemName, System>> = {
  service: {
    place: (url) => ({ service: { base_url: url } }),
    open: ({ sandbox }) => sandbox.url,
    isThere: ALWAYS,
    isWritten: ALWAYS,
  },
  'identity provider': {
    place: (url) => ({ sources: { idp: { base_url: url } } }),
    open: openProvider,
    isThere: ALWAYS,
    isWritten: NEVER,
  },
  CRM: {
    place: (url) => ({ sources: { crm: { base_url: url } } }),
    open: openCrm,
    isThere: ({ crm }) => crm !== 'files',
    isWritten: ({ writesBack }) => writesBack,
  },
};

export function listSystems(settings: Settings): readonly SystemName[] {
  return SYSTEM_NAMES.filter((name) => SYSTEMS[name].isThere(settings));
}

export function isWritten(name: SystemName, settings: Settings): boolean {
  return SYSTEMS[name].isWritten(settings);
}

export type Doors = Readonly<Partial<Record<SystemName, Door>>>;

/** Opens the systems of a history, each behind a door. */
export async function openSystems(story: Story, settings: Settings): Promise<Doors> {
  const doors: Partial<Record<SystemName, Door>> = {};
  for (const name of listSystems(settings)) doors[name] = await openDoor(await SYSTEMS[name].open(story));
  return doors;
}

/** Parts of the configuration that point to each system's door. */
export function placeSystems(doors: Doors): readonly { readonly [key: string]: Yaml }[] {
  return SYSTEM_NAMES.flatMap((name) => {
    const door = doors[name];
    return door === undefined ? [] : [SYSTEMS[name].place(door.url)];
  });
}
