import type { Hold } from './desired.js';
import { findEntity, isAccount } from './entity.js';
import { sha256 } from './sha256.js';

/** Guards that ask whether a record and an object are the same person or thing. */
export const SAME_PERSON = 'users.same_person';
export const OTHER_PERSON = 'users.other_person';
export const LOOK_ALIKE = '.look_alike';

/** True for a guard that people answer with "same" or "another". A plain approval says neither. */
export function asksSameOrAnother(guard: string): boolean {
  return guard === SAME_PERSON || guard === OTHER_PERSON || guard.endsWith(LOOK_ALIKE);
}

/** Codes of holds that ask whether a record and an object are the same. */
const ASKING: ReadonlySet<string> = new Set(['SYNC_OTHER_PERSON', 'SYNC_PROBABLE_SAME_PERSON', 'SYNC_LOOK_ALIKE']);

/** True for a hold that people answer with "same" or "another". */
export function asksIdentity({ code, relink }: Pick<Hold, 'code' | 'relink'>): boolean {
  return relink !== undefined || ASKING.has(code);
}

/** The guard that waits for the answer to a hold. */
export function guardOfQuestion({ code, entity }: Pick<Hold, 'code' | 'entity'>): string {
  if (code === 'SYNC_OTHER_PERSON') return OTHER_PERSON;
  const found = findEntity(entity);
  return found !== undefined && isAccount(found) ? SAME_PERSON : `${entity}${LOOK_ALIKE}`;
}

/** True for a guard that asks who is who. People can answer it, but cannot decline it. */
export function asksWhoIsWho(guard: string): boolean {
  return asksSameOrAnother(guard) || guard.endsWith('.relink');
}

/** True if an approval only answers who is who and does not approve the number of changes. */
export function isAnswerOnly(guards: string): boolean {
  return guards.split(' + ').every(asksSameOrAnother);
}

/**
 * Describes the commands for both answers.
 * @param what `--guard customers.look_alike`, or a hold
 */
export function describeAnswers(guard: string, what: string): string {
  const [one, two] = guard === OTHER_PERSON ? ['--same', '--new-account'] : ['--same', '--new'];
  const command = (answer: string): string => `\`talent-sync holds resolve ${what} ${answer} --reason "…"\``;
  return `${command(one)} if they are the same, ${command(two)} if they are two`;
}

const ANSWERED = 'answered: ';

/** Marks a change that needs an answer before it is released. Guards still count the change. */
export function answeredBy(approval: string): string {
  return `${ANSWERED}${approval}`;
}

export function isAnswered(approval: string | null): boolean {
  return approval?.startsWith(ANSWERED) === true;
}

/** The id to approve if the record of a change is to get its own account. */
export function answerFor(change: string): string {
  return sha256(`new account ${change}`);
}
