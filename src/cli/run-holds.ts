import { SyncError } from '../errors.js';
import { shortenDigest } from '../model/sha256.js';
import { RESOLVE } from '../operations/decide-hold.js';
import { HOLD, HOLDS, type ListedHold } from '../operations/find-hold.js';
import { relinkHeld } from '../operations/relink-held.js';
import { RELINK } from '../operations/under-lock.js';
import { describeAcknowledged } from '../report/sections/held.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { renderWaiting } from '../report/texts/waiting-text.js';
import { joinLines, type TerminalLook, worded } from '../report/writers/style.js';
import { fold, renderFacts } from '../report/writers/terminal-blocks.js';
import {
  type AskFlags,
  type AskingContext,
  type CommandResult,
  isLocal,
  type LockFlags,
  lookFor,
  readReason,
} from './context.js';
import { describeLinked } from './run-link.js';
import { lockContext } from './with-state-locked.js';

export interface ResolveFlags extends LockFlags, AskFlags {
  readonly id: string;
  readonly take?: string;
  readonly relink?: boolean;
  readonly reason?: string;
}

export interface HoldsFlags extends AskFlags {
  /** Every hold by itself, not each cause once. */
  readonly all?: boolean;
}

/** `holds list`: what waits, over all runs, and nobody has decided since. */
export async function runHoldsList(context: AskingContext, { all }: HoldsFlags): Promise<CommandResult> {
  const json = await context.perform(HOLDS, {});
  const { plan, holds, waiting } = json;
  const look = lookFor(context);
  const causes = renderWaiting(waiting, context.clock.now(), look);
  const open = holds.filter(({ decidable }) => decidable).length;
  const hint =
    open === 0
      ? ''
      : `\n${plural(open, 'question')} to decide: talent-sync holds resolve <id> --take source (or service)`;
  const lines = all === true ? holds.flatMap((hold) => listHold(hold, look)) : causes;
  const nothing = plan === null ? 'No plan has been made yet: `talent-sync plan` makes one.' : 'Nothing waits.';
  return {
    json,
    text: waiting.length + holds.length === 0 ? nothing : `${joinLines(lines)}${hint}`,
  };
}

function listHold(hold: ListedHold, look: TerminalLook): readonly string[] {
  const { id, entity, key, code, reason, decidable, acknowledged } = hold;
  return [
    ...fold(`${shortenDigest(id)}  ${entity} ${key}  ${code}${decidable ? '  (to decide)' : ''}`, 0, look),
    ...fold(reason, 4, look),
    ...(acknowledged === undefined ? [] : fold(describeAcknowledged(acknowledged), 4, look)),
  ];
}

export async function runHoldsShow(context: AskingContext, { id }: { readonly id: string }): Promise<CommandResult> {
  const json = await context.perform(HOLD, { hold: id });
  const { hold } = json;
  const facts = [
    { name: 'id', value: shortenDigest(hold.id) },
    { name: 'object', value: `${hold.entity} ${hold.key}` },
    { name: 'where', value: hold.place },
    { name: 'code', value: hold.code },
    { name: 'why', value: hold.reason },
    { name: 'do', value: hold.remedy },
    ...(hold.field === undefined ? [] : [{ name: 'field', value: `${hold.field}; the rest of the record goes on` }]),
    { name: 'since', value: formatMinute(hold.since) },
    ...(hold.acknowledged === undefined ? [] : [{ name: 'known', value: describeAcknowledged(hold.acknowledged) }]),
  ];
  return { json, text: joinLines(renderFacts(facts, 8, 0)) };
}

/** `--relink`: the record is linked to the object that it is held for. */
async function runRelink(context: AskingContext, flags: ResolveFlags): Promise<CommandResult> {
  const [id, reason] = [flags.id, readReason(flags)];
  if (!isLocal(context)) return describeLinked(await context.perform(RELINK, { hold: id, reason }));
  return describeLinked(await relinkHeld({ ...lockContext('holds', context, flags), via: 'machine' }, { id, reason }));
}

/** `holds resolve ID --take source|service`: holds as long as both sides say what they say now. */
export async function runHoldsResolve(context: AskingContext, flags: ResolveFlags): Promise<CommandResult> {
  const { id, take } = flags;
  const reason = readReason(flags);
  if (flags.relink === true && take === undefined) return runRelink(context, flags);
  if (take !== 'source' && take !== 'service') {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: take === undefined ? 'Say which side is right.' : `"${take}" is no side.`,
      place: '--take',
      remedy: 'Write `--take source` or `--take service`.',
    });
  }
  const json = await context.perform(RESOLVE, { hold: id, take, reason });
  return {
    json,
    text: worded`Decided ${shortenDigest(json.resolved)}: the ${take} is right. The next run carries it out, if neither side has moved by then.`,
  };
}
