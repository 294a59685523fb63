import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { linkByHand } from '../link-by-hand.js';
import { ENTITIES } from '../model/entity.js';
import { plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import { tellAcknowledged } from '../report/writers/terminal-holds.js';
import { openStores } from '../store/open-stores.js';
import {
  type CommandContext,
  type CommandResult,
  type CommonOptions,
  type Console,
  nameOperator,
  readReason,
  runCommand,
} from './context.js';
import { findHold, readHolds } from './find-hold.js';
import { describeLinked, linkContext } from './run-link.js';
import type { LockFlags } from './run-lock.js';
import { withApp } from './run-plan.js';

export interface ResolveFlags extends CommonOptions, LockFlags {
  readonly take?: string;
  readonly relink?: boolean;
  readonly reason?: string;
}

/** `holds list`: what the newest plan or run has set aside, and nobody has decided since. */
export async function runHoldsList(console: Console, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async (context) => {
    const { plan, holds } = await readHolds(context);
    const lines = holds.flatMap(({ id, entity, key, code, reason, decidable, acknowledged }) => [
      `${id}  ${entity} ${key}  ${code}${decidable ? '  (to decide)' : ''}`,
      `    ${reason}`,
      ...(acknowledged === undefined ? [] : [`    ${tellAcknowledged(acknowledged)}`]),
    ]);
    const open = holds.filter(({ decidable }) => decidable).length;
    const hint =
      open === 0
        ? ''
        : `\n${plural(open, 'question')} to decide: talent-sync holds resolve <id> --take source (or service)`;
    return {
      json: { plan, holds },
      text: holds.length === 0 ? `Nothing is held by ${plan}.` : `${joinLines(lines)}${hint}`,
      exitCode: 0,
    };
  });
}

export async function runHoldsShow(console: Console, id: string, flags: CommonOptions): Promise<void> {
  await runCommand(console, flags, async (context) => {
    const hold = await findHold(context, id);
    const rows = [
      ['id', hold.id],
      ['object', `${hold.entity} ${hold.key}`],
      ['where', hold.place],
      ['code', hold.code],
      ['why', hold.reason],
      ['do', hold.remedy],
      ...(hold.acknowledged === undefined ? [] : [['known', tellAcknowledged(hold.acknowledged)]]),
    ];
    return {
      json: { hold },
      text: joinLines(rows.map(([name = '', value = '']) => `${name.padEnd(8)}${value}`)),
      exitCode: 0,
    };
  });
}

/** `--relink`: the record is linked to the object that it is held for. */
async function relinkHeld(context: CommandContext, id: string, flags: ResolveFlags): Promise<CommandResult> {
  const hold = await findHold(context, id);
  const { relink } = hold;
  const entity = ENTITIES.find((name) => name === hold.entity);
  if (relink === undefined || entity === undefined) {
    throw new SyncError('SYNC_HOLD_UNDECIDABLE', {
      message: `${hold.id} (${hold.code}) names no one object that the record could be linked to: ${hold.reason}`,
      place: hold.place,
      remedy: 'Link it by hand: talent-sync link ENTITY KEY ID',
    });
  }
  return withApp('holds', context, flags, async (app) => {
    const order = { entity, key: relink.key, reason: readReason(flags) };
    return describeLinked(linkByHand(order, relink.id, linkContext(app)));
  });
}

/** `holds resolve ID --take source|service`: holds as long as both sides say what they say now. */
export async function runHoldsResolve(console: Console, id: string, flags: ResolveFlags): Promise<void> {
  await runCommand(console, flags, async (context) => {
    const { config, clock } = context;
    const { take } = flags;
    const reason = readReason(flags);
    if (flags.relink === true && take === undefined) return relinkHeld(context, id, flags);
    if (take !== 'source' && take !== 'service') {
      throw new SyncError('SYNC_CLI_USAGE', {
        message: take === undefined ? 'Say which side is right.' : `"${take}" is no side.`,
        place: '--take',
        remedy: 'Write `--take source` or `--take service`.',
      });
    }
    const hold = await findHold(context, id);
    if (hold.conflict === undefined) {
      throw new SyncError('SYNC_HOLD_UNDECIDABLE', {
        message: `${hold.id} (${hold.code}) is not a question between two sides: ${hold.reason}`,
        place: hold.place,
        remedy: hold.remedy,
      });
    }
    const question = hold.conflict;
    const stores = openStores(config.state, { lockedAt: null }, config.audit);
    try {
      const [at, by] = [isoNow(clock), nameOperator()];
      const { entity, key } = hold;
      stores.state.transaction(() => {
        stores.outbox.resolve({ question, entity, key, winner: take, who: by, reason, at });
        appendEvent(stores.audit, { kind: 'conflict resolved', at, by, question, entity, key, winner: take, reason });
      });
      return {
        json: { resolved: question, take, who: by, reason },
        text: worded`Decided ${question}: the ${take} is right. The next run carries it out, if neither side has moved by then.`,
        exitCode: 0,
      };
    } finally {
      stores.close();
    }
  });
}
