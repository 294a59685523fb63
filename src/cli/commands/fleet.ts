import type { Command } from 'commander';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import { parseCount } from '../parse-options.js';
import type { FleetMovesFlags, FleetOfferFlags, FleetOwnerFlags, FleetPrepareFlags } from '../run-fleet.js';

/** `fleet`: several daemons that share a list of tenants. */
export function addFleet(program: Command, console: Console): void {
  const group = program.command('fleet').description('several daemons that share a list of tenants');
  addExample(group.command('prepare [folder]'), 'talent-sync fleet prepare --config ./tenants')
    .description('make the tables in the PostgreSQL of daemon.yaml, or bring them up; with a folder, that one')
    .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .action(async (folder: string | undefined, flags: Omit<FleetPrepareFlags, 'folder'>) =>
      (await import('../run-fleet.js')).runFleetPrepare(console, { ...flags, folder }),
    );
  addExample(group.command('offer <tenant> <backup>'), 'talent-sync fleet offer acme /backups/acme.db')
    .description('hand the state of a tenant over from a backup: its volume is lost, or it ran elsewhere')
    .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .action(async (tenant: string, backup: string, flags: Omit<FleetOfferFlags, 'tenant' | 'backup'>) =>
      (await import('../run-fleet.js')).runFleetOffer(console, { ...flags, tenant, backup }),
    );
  addExample(group.command('owner <tenant>'), 'talent-sync fleet owner acme --config ./tenants')
    .description('which daemon a tenant belongs to')
    .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .action(async (tenant: string, flags: Omit<FleetOwnerFlags, 'tenant'>) =>
      (await import('../run-fleet.js')).runFleetOwner(console, { ...flags, tenant }),
    );
  addExample(group.command('moves'), 'talent-sync fleet moves --config ./tenants --to 4')
    .description('which tenants move when there are more daemons, or fewer')
    .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
    .requiredOption('--to <n>', 'how many daemons there would be', parseCount)
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .action(async (flags: FleetMovesFlags) => (await import('../run-fleet.js')).runFleetMoves(console, flags));
}
