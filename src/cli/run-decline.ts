import { DECLINE, DECLINES, type GivenDecline, REVOKE_DECLINE } from '../operations/decline.js';
import { plural } from '../report/sections/words.js';
import { declineEndText, nameAsked } from '../report/texts/decline-text.js';
import { joinLines, type TerminalLook, worded } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type AskFlags, type AskingContext, type CommandResult, readReason, terminalLook } from './context.js';
import { requireReason } from './require-reason.js';

export interface DeclineFlags extends AskFlags {
  readonly plan?: string;
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  readonly field?: string;
  readonly reason?: string;
  readonly until?: string;
  readonly list?: boolean;
  readonly revoke?: string;
}

/** `decline [PLAN]`: declines changes until the source value changes, or a date comes. */
export async function runDecline(context: AskingContext, flags: DeclineFlags): Promise<CommandResult> {
  if (flags.list === true) return printDeclines(context);
  const reason = readReason(flags);
  requireReason(context, reason, 'Outside a terminal, a decline needs a reason.');
  if (flags.revoke !== undefined) return revoke(context, flags.revoke, reason);
  const { plan, guard, action, who, field, until } = flags;
  const chosen = Object.entries({ plan, guard, action, who, field, until }).filter(([, value]) => value !== undefined);
  const json = await context.perform(DECLINE, { ...Object.fromEntries(chosen), reason });
  return { json, text: renderGiven(json, terminalLook(context)) };
}

/** How many changes are listed one by one. */
const SHOWN = 5;

function renderGiven(given: GivenDecline, look: TerminalLook): string {
  const { decline, plan, declined, changes, day, ends } = given;
  const named = changes.slice(0, SHOWN).flatMap((change) => fold(nameAsked(change), 2, look));
  const more = changes.length > SHOWN ? [`  … and ${changes.length - SHOWN} more`] : [];
  return joinLines([
    worded`Declined ${plural(declined, 'change')} of plan ${plan}, as ${decline}:`,
    ...named,
    ...more,
    ...fold(declineEndText(given, day), 2, look),
    ...(ends.length === 0 ? [] : fold(`It replaces ${ends.join(', ')}.`, 2, look)),
    `To revoke it: talent-sync decline --revoke ${decline} --reason "…"`,
  ]);
}

/** `decline --list`. */
async function printDeclines(context: AskingContext): Promise<CommandResult> {
  const json = await context.perform(DECLINES, {});
  const look = terminalLook(context);
  const lines = json.declines.flatMap(({ id, changes, actions, who, reason, day, values }) => [
    `${id}  ${plural(changes, 'change')}, until ${day ?? 'the source value changes'}`,
    ...fold(`${actions.join(', ')}, by ${who}: ${reason || 'no reason given'}`, 4, look),
    ...values.slice(0, SHOWN).flatMap((value) => fold(nameValue(value), 4, look)),
    ...(values.length > SHOWN ? [`    … and ${values.length - SHOWN} more`] : []),
  ]);
  return { json, text: lines.length === 0 ? 'Nothing is declined.' : joinLines(lines) };
}

function nameValue({ of, key, path }: { readonly of: string; readonly key: string; readonly path: string }): string {
  const object = key === '' ? of : `${of} ${key}`;
  return path === '' || path === 'existence' ? object : `${object}: ${path}`;
}

/** `decline --revoke ID`. */
async function revoke(context: AskingContext, decline: string, reason: string): Promise<CommandResult> {
  const json = await context.perform(REVOKE_DECLINE, { decline, reason });
  const { changes } = json;
  return {
    json,
    text: worded`Revoked ${decline}: ${plural(changes, 'change')} ${changes === 1 ? 'is' : 'are'} proposed again from the next run on, and ${changes === 1 ? 'is' : 'are'} made unless a guard holds ${changes === 1 ? 'it' : 'them'}.`,
  };
}
