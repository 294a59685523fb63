import { sha256 } from './sha256.js';

/** Guards that ask whether a record and an object are the same or two. */
export const SAME_PERSON = 'users.same_person';
export const OTHER_PERSON = 'users.other_person';
export const LOOK_ALIKE = '.look_alike';

/** True for a guard that is answered "same" or "another", for one record or for all. An approval alone says neither. */
export function asksSameOrAnother(guard: string): boolean {
  return guard === SAME_PERSON || guard === OTHER_PERSON || guard.endsWith(LOOK_ALIKE);
}

/** True for a guard that asks who is who. It can be answered, but not declined. */
export function asksWhoIsWho(guard: string): boolean {
  return asksSameOrAnother(guard) || guard.endsWith('.relink');
}

/** True if an approval only answers who is who, and does not approve the number of changes. */
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

/** Marks a change that only an answer releases: it still counts for guards. */
export function answeredBy(approval: string): string {
  return `${ANSWERED}${approval}`;
}

export function isAnswered(approval: string | null): boolean {
  return approval?.startsWith(ANSWERED) === true;
}

/** The id to approve so that the record of a change gets its own account. */
export function answerFor(change: string): string {
  return sha256(`new account ${change}`);
}
