import { type Command, Option } from 'commander';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import type { DemoFlags } from '../demo.js';
import { parseCount, parseCountries, parseNumber, parsePort, parseRate, parseTime } from '../parse-options.js';
import type { DaemonFlags } from '../run-daemon.js';
import type { McpFlags } from '../run-mcp.js';
import type { SandboxFlags } from '../sandbox.js';
import type { SeedFlags } from '../sandbox-seed.js';

const DEFAULT_COUNTRIES = ['no', 'se', 'de'];

export function addDaemon(program: Command, console: Console): void {
  addExample(program.command('daemon'), 'talent-sync daemon --config ./tenants --host 0.0.0.0 --port 8080')
    .description('run every tenant on its own schedule, until stopped')
    .option(
      '-c, --config <path>',
      "the tenant's configuration, or a folder with one file per tenant",
      'talent-sync.yaml',
    )
    .option('--host <address>', 'address of /livez, /readyz and /metrics', '127.0.0.1')
    .option('--port <number>', 'the port; 0 takes any free port', parsePort, 8080)
    .addOption(
      new Option('--grace <time>', 'how long calls in flight may take to end after SIGTERM')
        .argParser(parseTime)
        .default(25_000, '25s'),
    )
    .option('--parallel <n>', 'number of tenants that work at the same time', parseCount, 4)
    .option('--insecure-loopback', 'open the operator pages without a log-in, only for this machine')
    .option('--wait', 'wait for a state that another process holds (the default)', true)
    .option('--no-wait', 'end if another process holds a state at the start')
    .action(async (flags: DaemonFlags) => {
      // A reload this early has no effect, because no file has been read yet. Without a listener, the signal would end the
      // process.
      process.on('SIGHUP', () => undefined);
      // Load this first, because process 1 of a container ignores signals without a listener.
      const stop = (await import('../stop-signal.js')).listenForStop(console);
      await (await import('../run-daemon.js')).runDaemon(console, flags, stop);
    });
}

export function addMcp(program: Command, console: Console): void {
  addExample(program.command('mcp'), 'talent-sync mcp --daemon https://sync.example.com --tenant acme')
    .description('answer an assistant that speaks the Model Context Protocol over stdin and stdout; it can only read')
    .option('-c, --config <file>', "the tenant's configuration: its state is read under pseudonyms", 'talent-sync.yaml')
    .addOption(
      new Option(
        '--daemon <url>',
        'ask the daemon whose operator pages are at this address, with the token in TALENT_SYNC_TOKEN',
      ).conflicts('config'),
    )
    .option('--tenant <name>', 'only this tenant of that daemon')
    .action(async (flags: McpFlags) => (await import('../run-mcp.js')).runMcp(console, flags));
}

export function addSandbox(program: Command, console: Console): void {
  const sandbox = addExample(
    program.command('sandbox'),
    'talent-sync sandbox --fixture account.json --port 8080 --rate 10/1',
  )
    .description('run the talent service in one process, for demos, tests and integrators without an account')
    .option('--port <number>', 'port to listen on; 0 takes any free port', parsePort, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--fixture <file>', 'JSON file with the initial content of the account')
    .option('--state <file>', 'SQLite file that keeps the account; by default, it is in memory')
    .option('--clock <time>', "ISO 8601 time at which the account's clock starts")
    .option('--rate <n/s>', 'rate limit: requests per number of seconds, such as 10/1', parseRate)
    .option('--import-dir <folder>', 'folder whose CSV files are imported, as if they had come by SFTP')
    .option('--control-key <key>', 'key of the control API; by default a random key')
    .action(async (flags: SandboxFlags) => (await import('../sandbox.js')).runSandbox(console, flags));
  addSeed(sandbox, console);
}

function addSeed(sandbox: Command, console: Console): void {
  addExample(sandbox.command('seed'), 'talent-sync sandbox seed --users 200 --countries no,se,de --dir ./company')
    .description('generate a company as a fixture, or as a folder to plan in; the same options give the same company')
    .option('--users <number>', 'people', parseNumber, 200)
    .option('--customers <number>', 'customers', parseNumber, 40)
    .option('--projects <number>', 'reference projects', parseNumber, 120)
    .option('--proposals <number>', 'proposals; one for every ten projects by default', parseNumber)
    .addOption(
      new Option('--countries <codes>', 'countries with offices; the first has the most people')
        .argParser(parseCountries)
        .default(DEFAULT_COUNTRIES, DEFAULT_COUNTRIES.join(',')),
    )
    .option('--seed <number>', 'number of the company; another number gives another company', parseNumber, 1)
    .addOption(new Option('--cvs <how>', 'content of the CVs').choices(['full', 'short', 'none']).default('full'))
    .option('--images', 'give each person a picture', false)
    .option('--out <file>', 'file for the fixture, - for stdout', '-')
    .option('--dir <folder>', 'write a new folder instead: the fixture, files from HR and the CRM, and a configuration')
    .action(async (flags: SeedFlags) => (await import('../sandbox-seed.js')).runSandboxSeed(console, flags));
}

/** @param build creates the parser for the demo's commands */
export function addDemo(program: Command, console: Console, build: (console: Console) => Command): void {
  addExample(program.command('demo'), 'talent-sync demo --dir ./demo')
    .description('play the complete story of a made-up consultancy against the embedded sandbox')
    .option('--dir <folder>', 'folder for its files; a new temporary one by default')
    .option('--stay', 'keep its services running after the story, until Ctrl-C, and suggest what to try')
    .option('--fleet', 'play another story: three daemons share one PostgreSQL on this machine, and one is killed')
    .option('--serve <folder>', 'restart the services of a finished demo, until Ctrl-C')
    .action(async (flags: DemoFlags) => (await import('../demo.js')).runDemo(console, flags, build));
}
