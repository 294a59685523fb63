import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Call } from './door.js';
import type { Settings } from './history.js';
import type { Holding } from './part.js';
import { Violation } from './violation.js';

/** The people whom the service must e-mail in a history with e-mails; an e-mail cannot be undone. */
export function describeMails({ mails }: Settings): { readonly [key: string]: Yaml } {
  return { notify_people: { create: mails, reactivate: mails, staffing: mails } };
}

export interface MailCheck {
  /** Notes calls; a write asks for an e-mail. */
  note(calls: readonly Call[]): void;
  /**
   * Compares the e-mails since the last check with the changes of people. Each person who was created, returned or was
   * linked to a
   * project got one e-mail, whatever was lost in between, and nobody else got any. @returns their number
   */
  check(from: Holding, to: Holding, settings: Settings): number;
}

export function createMailCheck(story: Story): MailCheck {
  let known: readonly string[] = [];
  let asked: Call[] = [];
  const list = (): readonly string[] =>
    (story.sandbox.state().mails as readonly Mail[]).map(({ to, reason }) => `${reason} ${to}`);
  return {
    note: (calls) => void asked.push(...calls.filter((call) => call.asksMail)),
    check(from, to, { mails }) {
      const [all, before] = [list(), known];
      known = all;
      const wanted = mails ? listWanted(from, to) : [];
      const sent = without(all, before).sort();
      if (sent.join() !== wanted.join())
        throw new Violation('mails', `mailed: ${sent.join(', ')}; and to be mailed: ${wanted.join(', ')}`);
      // The service e-mails nobody who is active already; another one may.
      const statuses = new Map(story.sandbox.calls().map(({ requestId, status }) => [requestId, status]));
      const done = asked.filter(
        ({ path, arrived }) => !path.includes('/consultants') && isDone(statuses.get(arrived ?? '')),
      );
      asked = [];
      const people = wanted.filter((mail) => !mail.startsWith('linked ')).length;
      if (done.length !== people)
        throw new Violation('mails', `${done.length} calls asked for an e-mail to ${people} people`);
      return sent.length;
    },
  };
}

interface Mail {
  readonly to: string;
  readonly reason: string;
}

function isDone(status = 0): boolean {
  return status >= 200 && status < 300;
}

function listWanted(from: Holding, to: Holding): readonly string[] {
  const mail = (reason: string, name: string): string => `${reason} ${to.get(name)?.email}`;
  return [...to]
    .flatMap(([name, { deactivated }]) => {
      const [of, , person] = name.split(' ');
      const was = from.get(name);
      if (of === 'seat') return was === undefined ? mail('linked', `user ${person}`) : [];
      if (of !== 'user' || deactivated !== false) return [];
      if (was === undefined) return mail('created', name);
      return was.deactivated === true ? mail('reactivated', name) : [];
    })
    .sort();
}

/** The entries that occur more often in the first list than in the second. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...list];
  for (const one of other) left.splice(left.indexOf(one), 1);
  return left;
}
