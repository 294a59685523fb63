import { sha256 } from './sha256.js';

/** Guards that ask whether a record and an object are the same, or two. */
export const SAME_PERSON = 'users.same_person';
export const OTHER_PERSON = 'users.other_person';
export const LOOK_ALIKE = '.look_alike';

/** It is answered with one of two words, for one record or for all: to approve it says neither. */
export function asksSameOrAnother(guard: string): boolean {
  return guard === SAME_PERSON || guard === OTHER_PERSON || guard.endsWith(LOOK_ALIKE);
}

/** Who is who is asked: that has an answer, and no no. */
export function asksWhoIsWho(guard: string): boolean {
  return asksSameOrAnother(guard) || guard.endsWith('.relink');
}

/** Whether an approval says who is who, and nothing of how many change. */
export function isAnswerOnly(guards: string): boolean {
  return guards.split(' + ').every(asksSameOrAnother);
}

/** What is typed for both answers. @param what `--guard customers.look_alike`, or a hold */
export function describeAnswers(guard: string, what: string): string {
  const [one, two] = guard === OTHER_PERSON ? ['--same', '--new-account'] : ['--same', '--new'];
  const command = (answer: string): string => `\`talent-sync holds resolve ${what} ${answer} --reason "…"\``;
  return `${command(one)} if they are the same, ${command(two)} if they are two`;
}

const ANSWERED = 'answered: ';

/** How a change that passes by an answer alone is told: it still counts for guards. */
export function answeredBy(approval: string): string {
  return `${ANSWERED}${approval}`;
}

export function isAnswered(approval: string | null): boolean {
  return approval?.startsWith(ANSWERED) === true;
}

/** What has to be approved for the record of a change to get an account of its own. */
export function answerFor(change: string): string {
  return sha256(`new account ${change}`);
}
