import { readFileSync } from 'node:fs';
import { messageOf, SyncError } from '../../base/errors.js';
import { loadConfig } from '../../config/load.js';
import type { FixtureInput } from '../../sandbox/fixture/fixture.js';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.js';
import { createIdentityProvider, type IdentityProvider } from './identity-provider.js';
import type { Workplace } from './workplace.js';

/** The two HTTP services of the demo. */
export interface DemoServices {
  readonly sandbox: Sandbox;
  readonly idp: IdentityProvider;
  close(): Promise<void>;
}

/** @param ports the ports to listen on; 0 takes any free port */
export async function startServices(
  place: Workplace,
  ports: { readonly service: number; readonly idp: number },
  fixture?: FixtureInput,
): Promise<DemoServices> {
  const sandbox = await createSandbox({
    port: ports.service,
    stateFile: place.account,
    ...(fixture === undefined ? {} : { fixture }),
  });
  try {
    const token = readFileSync(place.idpToken, 'utf8').trim();
    const idp = await createIdentityProvider({ file: place.scimUsers, token, port: ports.idp });
    return {
      sandbox,
      idp,
      close: async () => {
        await idp.close();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** Restarts both services of a finished demo, at the addresses in its configuration. */
export async function resumeServices(place: Workplace): Promise<DemoServices> {
  const config = loadConfig(place.config, {});
  const idp = config.sources.idp;
  if (idp?.type !== 'scim') {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'This is not the folder of a demo: its configuration has no SCIM source `idp`.',
      place: place.config,
      remedy: 'Name the folder that the demo printed, or run a new one with `talent-sync demo`.',
    });
  }
  const ports = { service: portOf(config.service.baseUrl), idp: portOf(idp.baseUrl) };
  try {
    return await startServices(place, ports);
  } catch (error) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The demo's services cannot be started: ${messageOf(error)}`,
      place: place.folder,
      remedy: 'If they already run in another terminal, use those. Otherwise run a new demo.',
      cause: error,
    });
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
