import type { Command } from 'commander';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import type { FleetFlags } from '../run-fleet.js';

/** `fleet`: daemons that share the PostgreSQL of daemon.yaml. */
export function addFleet(program: Command, console: Console): void {
  const group = program.command('fleet').description('daemons that share the PostgreSQL of daemon.yaml');
  const shared = (name: string, description: string): Command =>
    addExample(group.command(name), `talent-sync fleet ${name} --config ./tenants`)
      .description(description)
      .option('-c, --config <path>', 'the folder of the configurations, with daemon.yaml', '.')
      .option('--json', 'print one JSON document on stdout; logs go to stderr');
  shared('prepare', 'create the tables in the PostgreSQL of daemon.yaml, or upgrade them').action(
    async (flags: FleetFlags) => (await import('../run-fleet.js')).runFleetPrepare(console, flags),
  );
  shared('status', 'list the tenants: which daemon works for each, its next run, and how late the run is').action(
    async (flags: FleetFlags) => (await import('../run-fleet.js')).runFleetStatus(console, flags),
  );
  shared('rollback', 'restore the states from before a newer version upgraded them')
    .option('--yes', 'confirm that the states lose everything since the upgrade')
    .action(async (flags: FleetFlags & { readonly yes?: boolean }) =>
      (await import('../run-fleet.js')).runFleetRollback(console, flags),
    );
}
