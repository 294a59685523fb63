import { SyncError } from '../base/errors.js';
import { shortenDigest } from '../model/sha256.js';
import { answerIdentity, type GivenAnswer } from '../operations/answer-identity.js';
import { RESOLVE } from '../operations/decide-hold.js';
import { HOLD, HOLDS, type ListedHold } from '../operations/find-hold.js';
import type { LinkedByHand } from '../operations/link-by-hand.js';
import { ANSWER } from '../operations/under-lock.js';
import { ONE_PERSON_HERE } from '../operations/weigh-approval.js';
import { describeAcknowledged } from '../report/sections/held.js';
import { nameKey } from '../report/sections/kinds.js';
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
  readReason,
  terminalLook,
} from './context.js';
import { lockContext } from './with-state-locked.js';

export interface ResolveFlags extends LockFlags, AskFlags {
  readonly id?: string;
  readonly take?: string;
  readonly same?: boolean;
  readonly relink?: boolean;
  readonly new?: boolean;
  readonly newAccount?: boolean;
  readonly guard?: string;
  readonly reason?: string;
}

export interface HoldsFlags extends AskFlags {
  /** Lists every hold, instead of each cause once. */
  readonly all?: boolean;
}

/** `holds list`: lists everything from all runs that still needs a decision. */
export async function runHoldsList(context: AskingContext, { all }: HoldsFlags): Promise<CommandResult> {
  const json = await context.perform(HOLDS, {});
  const { plan, holds, waiting } = json;
  const look = terminalLook(context);
  const causes = renderWaiting(waiting, context.clock.now(), look);
  const open = holds.filter(({ decidable }) => decidable).length;
  const hint =
    open === 0
      ? ''
      : `\n${plural(open, 'question')} to decide: talent-sync holds resolve <id> --take source (or service)`;
  const lines = all === true ? holds.flatMap((hold) => listHold(hold, look)) : causes;
  const nothing = plan === null ? 'There is no plan yet: `talent-sync plan` creates one.' : 'Nothing is pending.';
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
    { name: 'object', value: `${hold.entity} ${nameKey(hold.key)}` },
    { name: 'where', value: hold.place },
    { name: 'code', value: hold.code },
    { name: 'why', value: hold.reason },
    { name: 'do', value: hold.remedy },
    ...(hold.field === undefined ? [] : [{ name: 'field', value: `${hold.field}; the rest of the record continues` }]),
    { name: 'since', value: formatMinute(hold.since) },
    ...(hold.acknowledged === undefined ? [] : [{ name: 'known', value: describeAcknowledged(hold.acknowledged) }]),
  ];
  return { json, text: joinLines(renderFacts(facts, 8, 0)) };
}

/** `--same`, `--new`: answers if records and objects are the same, for one hold or for all of a guard's questions. */
async function runAnswer(
  context: AskingContext,
  flags: ResolveFlags,
  answer: GivenAnswer['answer'],
): Promise<CommandResult> {
  const { id: hold, guard } = flags;
  const named = { ...(hold === undefined ? {} : { hold }), ...(guard === undefined ? {} : { guard }) };
  if (Object.keys(named).length !== 1)
    throw refuseUsage(
      'Name one hold, or a guard.',
      'holds resolve',
      'Write `holds resolve ID --same`, or `holds resolve --guard customers.look_alike --same`.',
    );
  const order = { ...named, answer, reason: readReason(flags) };
  const json = isLocal(context)
    ? await answerIdentity({ ...lockContext('holds', context, flags), via: 'machine' }, order)
    : await context.perform(ANSWER, order);
  return { json, text: describeAnswer(json, terminalLook(context)) };
}

function describeAnswer(given: GivenAnswer, look: TerminalLook): string {
  const { answer, answered, waiting_for_second: half, left_open: open, linked, run, approval, expires, guards } = given;
  const words = answer === 'same' ? 'the same' : 'not the same';
  const what = `${plural(answered, 'question')} of ${guards.join(', ')}: they are ${words}`;
  const back = run === null ? `talent-sync approve --revoke ${approval}` : `talent-sync undo ${run}`;
  return joinLines([
    ...(half > 0
      ? [
          `Half answered: ${plural(half, 'question')}, as ${approval}. A second person must give the same answer; until then they stay open.`,
          ...fold(ONE_PERSON_HERE, 0, look),
        ]
      : fold(`Answered ${what}, as ${approval}.`, 0, look)),
    ...(run === null || linked.length === 0
      ? []
      : [`Linked as run ${run}:`, ...linked.slice(0, LINKED_TOLD).flatMap((one) => describeLink(one, look))]),
    ...(linked.length > LINKED_TOLD ? [`  … and ${linked.length - LINKED_TOLD} more`] : []),
    ...(open.length === 0
      ? []
      : fold(
          `${plural(open.length, 'question')} may be about several objects. Answer each by its id: ${open.map(shortenDigest).join(', ')}`,
          0,
          look,
        )),
    ...(run === null && half === 0
      ? fold(`The next run carries it out. The answer is valid until ${formatMinute(expires)}.`, 0, look)
      : []),
    `To undo it: ${back}`,
    ...(half > 0 ? [] : ['Now: talent-sync sync']),
  ]);
}

const LINKED_TOLD = 10;

function describeLink({ entity, key, label, id, from }: LinkedByHand, look: TerminalLook): readonly string[] {
  const instead = from === null || from === key ? '' : ` instead of ${from}`;
  return fold(`${entity} ${key}: ${label} (${id})${instead}`, 2, look);
}

function refuseUsage(message: string, place: string, remedy: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', { message, place, remedy });
}

/** `holds resolve ID --take source|service`: decides a conflict as long as both sides keep their values. */
export async function runHoldsResolve(context: AskingContext, flags: ResolveFlags): Promise<CommandResult> {
  const { id, take } = flags;
  const isSame = flags.same === true || flags.relink === true;
  const isNew = flags.new === true || flags.newAccount === true;
  if (isSame && isNew) throw refuseUsage('--same and --new contradict each other.', '--same', 'Give only one of them.');
  if ((isSame || isNew) && take === undefined) return runAnswer(context, flags, isSame ? 'same' : 'new');
  if (id === undefined)
    throw refuseUsage(
      'Name the hold to decide.',
      'holds resolve',
      '`talent-sync holds list` shows what is pending, with ids.',
    );
  const reason = readReason(flags);
  if (take !== 'source' && take !== 'service') {
    throw refuseUsage(
      take === undefined ? 'Say which side is right.' : `"${take}" is not a side.`,
      '--take',
      'For a conflict, write `--take source` or `--take service`. If a record and an object are the same, write `--same`, else `--new`.',
    );
  }
  const json = await context.perform(RESOLVE, { hold: id, take, reason });
  return {
    json,
    text: worded`Decided ${shortenDigest(json.resolved)}: the ${take} is right. The next run carries it out, unless either side changes before.`,
  };
}
