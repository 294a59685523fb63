import { findSweeps } from './find-sweeps.js';

/**
 * Defines the tests of each tier; CONTRIBUTING describes the tiers. The folder of a test decides its tier.
 *
 * - `npm run test:unit`: the folders of UNIT_FOLDERS
 * - `npm test`: all except thorough tests and sweeps
 * - `npm run campaign`: the files with sweeps, with all their cases
 * - `npm run test:all`: everything, with all cases of the sweeps
 *
 * The last three build the modules and run the built modules. The first and plain `vitest` run the modules of `src`.
 */
export type Tier = 'unit' | 'usual' | 'campaign' | 'all';

/** Folders under `test` with tests that need only their own process: no story, sandbox, server, browser or chart. */
const UNIT_FOLDERS: readonly string[] = [
  ...['apply', 'base', 'cli', 'config', 'connectors/cells', 'connectors/formats', 'connectors/rows'],
  ...['connectors/scim-protocol', 'daemon/tenants', 'mapping', 'mirror', 'model', 'operations', 'reconcile'],
  ...['report', 'service', 'store', 'writeback'],
];

/** Files in these folders that need more than their own process. */
export const NO_UNIT: readonly string[] = [
  'test/base/http/sockets.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/demo/demo.test.ts',
  'test/cli/demo/fleet.test.ts',
  'test/cli/demo/stay.sweep.test.ts',
  'test/cli/open-pages.test.ts',
  'test/cli/start-bundle.test.ts',
  'test/cli/usage-error.test.ts',
  'test/cli/wizard.sweep.test.ts',
  'test/mirror/feed.test.ts',
  'test/mirror/refresh.test.ts',
  ...['after-runs', 'channels', 'daemon', 'long-outage.sweep', 'send-http', 'smtp', 'story-of-a-hold'].map(
    (name) => `test/operations/notify/${name}.test.ts`,
  ),
  'test/report/writers/page.test.ts',
  'test/service/client-examples.test.ts',
  'test/service/sandbox-tour.test.ts',
  'test/service/service-file.test.ts',
  'test/service/transport.test.ts',
  'test/service/way.test.ts',
  ...['leases', 'move-state', 'postgres', 'shared-file', 'state-line'].map(
    (name) => `test/store/remote/${name}.test.ts`,
  ),
  'test/store/run-lock.test.ts',
];

/** These files take a third of the time of all others: examples of exports, many rows or faults, and the complete daemon. */
const LONG: readonly string[] = [
  'test/base/http/split-lists.test.ts',
  'test/cli/early-reload.test.ts',
  'test/config/sample/**',
  'test/report/sections/select-changes.test.ts',
  'test/service/faults.test.ts',
  'test/store/audit/erasure/erase.test.ts',
  'test/store/migrate.test.ts',
];

export function liesInUnitFolder(file: string): boolean {
  return UNIT_FOLDERS.some((folder) => file.startsWith(`test/${folder}/`));
}

/**
 * Tests of the installed package, which only a release builds. Tests of made-up companies and their months, of memory under
 * large input, and of complete days.
 */
const THOROUGH: readonly string[] = [
  'test/endurance/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/campaign/months/**/*.test.ts',
  'test/campaign/campaign.test.ts',
];

const ALL = 'test/**/*.test.ts';
/** Files with only sweeps. In other files, a sweep begins with `sweep` of depth.ts, or selects some rows with `oneIn`. */
const SWEEPS = 'test/**/*.sweep.test.ts';
const ALL_PLACES = { TALENT_THOROUGH: '1' };

/** Settings of vitest. */
export interface TierSettings {
  readonly include: string[];
  readonly exclude: string[];
  readonly env: Record<string, string>;
}

export const TIERS: Readonly<Record<Tier, TierSettings>> = {
  unit: {
    include: UNIT_FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: [...NO_UNIT, ...LONG],
    env: {},
  },
  usual: { include: [ALL], exclude: [...THOROUGH, SWEEPS], env: {} },
  campaign: {
    get include() {
      return [SWEEPS, ...findSweeps()];
    },
    exclude: [...THOROUGH],
    env: ALL_PLACES,
  },
  all: { include: [ALL], exclude: [], env: ALL_PLACES },
};

/** @param mode of vitest, such as `vitest run --mode unit`; a mode that is not the name of a tier selects the usual tier */
export function tierOf(mode: string): Tier {
  return mode === 'unit' || mode === 'campaign' || mode === 'all' ? mode : 'usual';
}

/** @param mode of vitest */
export function runsBuilt(mode: string): boolean {
  return mode === 'usual' || mode === 'campaign' || mode === 'all';
}
