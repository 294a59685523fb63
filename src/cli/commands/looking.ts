import { Option } from 'commander';
import { type CommandMaker, WAIT } from '../command-options.js';
import { parseCount } from '../parse-options.js';

export function addLooking({ asking }: CommandMaker): void {
  const explain = 'talent-sync explain user jane@example.com';
  asking('explain <kind> <who>', explain, async () => (await import('../run-explain.js')).runExplain)
    .description('the whole path of one person, customer or project; writes nothing')
    .option('--wait', WAIT)
    .option('--as-of <date>', 'the day that expressions see as today');
  const status = 'talent-sync status --json';
  asking('status', status, async () => (await import('../run-status.js')).runStatus).description(
    'last runs, what waits, and how fresh everything is',
  );
  asking('runs [run]', 'talent-sync runs --last 50', async () => (await import('../run-runs.js')).runRuns)
    .description('the last runs, or the whole document that one of them ended with')
    .option('--last <n>', 'the newest n runs', parseCount, 20);
}

export function addHolds({ asking }: CommandMaker): void {
  const list = 'talent-sync holds list --json';
  asking('list', list, async () => (await import('../run-holds.js')).runHoldsList)
    .description('what waits: guards, holds, conflicts, refusals, sources; each cause once, with ids')
    .option('--all', 'every hold by itself, not each cause once');
  const show = 'talent-sync holds show 3f9c2b41d07a';
  asking('show <id>', show, async () => (await import('../run-holds.js')).runHoldsShow).description(
    'one of them: where, why, what to do',
  );
  const resolve = 'talent-sync holds resolve user:E00050 --same --reason "she married"';
  asking('resolve [id]', resolve, async () => (await import('../run-holds.js')).runHoldsResolve)
    .description('say which side of a conflict is right, or whether a record and an object are the same')
    .option('--take <side>', 'of a conflict: source or service')
    .option('--same', 'a record and an object are the same: it is linked to it, or goes on with it')
    .option('--new', 'they are two: the record gets an object of its own')
    .addOption(new Option('--new-account', 'the same, of a person').conflicts(['same', 'relink', 'take']))
    .addOption(new Option('--relink', 'as --same').hideHelp().conflicts(['new', 'newAccount', 'take']))
    .option('--guard <name>', 'all that the guard asks, instead of one id')
    .option('--reason <text>', 'why, for the audit');
  const ack = 'talent-sync holds ack 3f9c2b41d07a --reason "agreed with sales" --until 30d';
  asking('ack <id>', ack, async () => (await import('../run-ack.js')).runHoldsAck)
    .description('leave one as it is: it is still listed, and no longer makes a run end with 4')
    .option('--reason <text>', 'why, for the audit')
    .option('--until <time>', 'a day, a time, or how long as 30d; without it until something else is held')
    .option('--revoke', 'take the acknowledgement back');
}

export function addNotify({ asking, configured }: CommandMaker): void {
  const test = 'talent-sync notify test --channel ops';
  configured('test', test, async () => (await import('../run-notify.js')).runNotifyTest)
    .description('send a test message to each channel, and show what was answered')
    .option('--channel <name>', 'to that one alone');
  const list = 'talent-sync notify list --json';
  asking('list', list, async () => (await import('../run-notify.js')).runNotifyList).description(
    'what goes on, what waits in the outbox of each channel, and what failed',
  );
}

export function addMirror({ configured, locking }: CommandMaker): void {
  const refresh = 'talent-sync mirror refresh --full';
  locking('refresh', refresh, async () => (await import('../run-mirror.js')).runMirrorRefresh)
    .description('bring it up to date')
    .option('--full', 'read the whole account again');
  const status = 'talent-sync mirror status';
  configured('status', status, async () => (await import('../run-mirror.js')).runMirrorStatus).description(
    'what it holds, without asking the service',
  );
}
