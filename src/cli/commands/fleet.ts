import type { Command } from 'commander';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import type { FleetPrepareFlags } from '../run-fleet.js';

/** `fleet`: daemons that share the PostgreSQL of daemon.yaml. */
export function addFleet(program: Command, console: Console): void {
  const group = program.command('fleet').description('daemons that share the PostgreSQL of daemon.yaml');
  addExample(group.command('prepare'), 'talent-sync fleet prepare --config ./tenants')
    .description('make the tables in the PostgreSQL of daemon.yaml, or bring them up')
    .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .action(async (flags: FleetPrepareFlags) => (await import('../run-fleet.js')).runFleetPrepare(console, flags));
}
