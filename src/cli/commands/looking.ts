import { Option } from 'commander';
import { type CommandMaker, WAIT } from '../command-options.js';
import { parseCount } from '../parse-options.js';

export function addLooking({ asking }: CommandMaker): void {
  const explain = 'talent-sync explain user jane@example.com';
  asking('explain <kind> <who>', explain, async () => (await import('../run-explain.js')).runExplain)
    .description('show everything about one person, customer or project; writes nothing')
    .option('--wait', WAIT)
    .option('--as-of <date>', 'the day that expressions see as today');
  const status = 'talent-sync status --json';
  asking('status', status, async () => (await import('../run-status.js')).runStatus).description(
    'show the last runs, pending items, and how fresh everything is',
  );
  asking('runs [run]', 'talent-sync runs --last 50', async () => (await import('../run-runs.js')).runRuns)
    .description('list the last runs, or show the complete document of one of them')
    .option('--last <n>', 'the newest n runs', parseCount, 20);
}

export function addHolds({ asking }: CommandMaker): void {
  const list = 'talent-sync holds list --json';
  asking('list', list, async () => (await import('../run-holds.js')).runHoldsList)
    .description('list what is pending: guards, holds, conflicts, rejections, sources; each cause once, with ids')
    .option('--all', 'list every hold by itself, instead of each cause once');
  const show = 'talent-sync holds show 3f9c2b41d07a';
  asking('show <id>', show, async () => (await import('../run-holds.js')).runHoldsShow).description(
    'show one hold: where it is, why, and what to do',
  );
  const resolve = 'talent-sync holds resolve user:E00050 --same --reason "she married"';
  asking('resolve [id]', resolve, async () => (await import('../run-holds.js')).runHoldsResolve)
    .description('decide which side of a conflict is right, or whether a record and an object are the same')
    .option('--take <side>', 'the side of a conflict that is right: source or service')
    .option('--same', 'the record and the object are the same: link them, or continue the change of the account')
    .option('--new', 'they are not the same: the record gets its own object')
    .addOption(new Option('--new-account', 'like --new, for a person').conflicts(['same', 'relink', 'take']))
    .addOption(new Option('--relink', 'like --same').hideHelp().conflicts(['new', 'newAccount', 'take']))
    .option('--guard <name>', 'all questions of this guard, instead of one id')
    .option('--reason <text>', 'why, for the audit log');
  const ack = 'talent-sync holds ack 3f9c2b41d07a --reason "agreed with sales" --until 30d';
  asking('ack <id>', ack, async () => (await import('../run-ack.js')).runHoldsAck)
    .description('acknowledge a hold: it stays listed, but no longer makes a run end with 4 or 3')
    .option('--reason <text>', 'why, for the audit log')
    .option('--until <time>', 'a day, a time, or a duration such as 30d; by default, until something else is held')
    .option('--revoke', 'revoke the acknowledgement');
}

export function addNotify({ asking, configured }: CommandMaker): void {
  const test = 'talent-sync notify test --channel ops';
  configured('test', test, async () => (await import('../run-notify.js')).runNotifyTest)
    .description('send a test message to each channel, and show the answers')
    .option('--channel <name>', 'send it only to that channel');
  const list = 'talent-sync notify list --json';
  asking('list', list, async () => (await import('../run-notify.js')).runNotifyList).description(
    'show current events, and the outbox of each channel with its last error',
  );
}

export function addMirror({ configured, locking }: CommandMaker): void {
  const refresh = 'talent-sync mirror refresh --full';
  locking('refresh', refresh, async () => (await import('../run-mirror.js')).runMirrorRefresh)
    .description('update the mirror')
    .option('--full', 'read the entire account again');
  const status = 'talent-sync mirror status';
  configured('status', status, async () => (await import('../run-mirror.js')).runMirrorStatus).description(
    'show the contents of the mirror, without calling the service',
  );
}
