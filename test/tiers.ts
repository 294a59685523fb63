import { findSweeps } from './find-sweeps.js';

/**
 * Defines which tests run when; CONTRIBUTING says what each tier proves. The folder of a test decides its tier.
 *
 * - `npm run test:unit`: the folders of UNIT_FOLDERS
 * - `npm test`: all except thorough tests and sweeps
 * - `npm run campaign`: the files with sweeps, with all their places
 * - `npm run test:all`: everything, with all places of the sweeps
 *
 * The last three run the built modules, after building them; the first and plain `vitest` run those of `src`.
 */
export type Tier = 'unit' | 'usual' | 'campaign' | 'all';

/** Folders under `test` whose tests only need their own process: no story, sandbox, server, browser or chart. */
const UNIT_FOLDERS: readonly string[] = [
  ...['apply', 'base', 'cli', 'config', 'connectors/cells', 'connectors/formats', 'connectors/rows'],
  ...[
    'connectors/scim-protocol',
    'daemon/tenants',
    'mapping',
    'mirror',
    'model',
    'operations',
    'planning',
    'reconcile',
  ],
  ...['report', 'service', 'store', 'writeback'],
];

/** Files in these folders that need more. */
export const NO_UNIT: readonly string[] = [
  'test/base/http/sockets.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/demo/demo.test.ts',
  'test/cli/demo/fleet.test.ts',
  'test/cli/demo/stay.sweep.test.ts',
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

export function liesInUnitFolder(file: string): boolean {
  return UNIT_FOLDERS.some((folder) => file.startsWith(`test/${folder}/`));
}

/**
 * Tests of the installed package, which only a release builds; made-up companies and their months; memory under large
 * input, and complete days.
 */
const THOROUGH: readonly string[] = [
  'test/endurance/**/*.test.ts',
  'test/package/**/*.test.ts',
  'test/campaign/months/**/*.test.ts',
  'test/campaign/campaign.test.ts',
];

const ALL = 'test/**/*.test.ts';
/** Files with sweeps only. In other files, a sweep begins with `sweep` of depth.ts, or takes part of its rows by `oneIn`. */
const SWEEPS = 'test/**/*.sweep.test.ts';
const ALL_PLACES = { TALENT_THOROUGH: '1' };

/** Settings of vitest. */
export interface TierSettings {
  readonly include: string[];
  readonly exclude: string[];
  readonly env: Record<string, string>;
}

export const TIERS: Readonly<Record<Tier, TierSettings>> = {
  unit: { include: UNIT_FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`), exclude: [...NO_UNIT], env: {} },
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

/** @param mode of vitest: `vitest run --mode unit`; any mode other than a tier's name is the usual one */
export function tierOf(mode: string): Tier {
  return mode === 'unit' || mode === 'campaign' || mode === 'all' ? mode : 'usual';
}

/** @param mode of vitest */
export function runsBuilt(mode: string): boolean {
  return mode === 'usual' || mode === 'campaign' || mode === 'all';
}
