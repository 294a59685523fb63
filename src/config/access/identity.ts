/** The person who requests a page, as the log-in identifies them. */
export interface Identity {
  /** Name of the person in the audit log: an e-mail address, or another name that the log-in is configured to use. Folded. */
  readonly who: string;
  /** The name that pages show. */
  readonly name: string;
  /** The person's groups at the time of the log-in. */
  readonly groups: readonly string[];
  /** Why the groups are unknown: the identity provider sent no list of them. Absent if it sent a list. */
  readonly unknownGroups?: 'too many' | 'no list';
  readonly via: 'openid' | 'proxy' | 'token' | 'loopback';
}

/** How the identity of a person who decides is known. Only a log-in or a personal token proves it. */
export type ProofOfPerson = 'machine' | 'person' | 'nobody';

/** Returns whether the identity is proved. Pages without a log-in and tokens without a name prove none. */
export function proofOf({ who, via }: Identity): ProofOfPerson {
  return via === 'loopback' || isNobody(who) ? 'nobody' : 'person';
}

/** The name that is recorded for a person who does not log in. Earlier versions recorded `local`. */
export const NOBODY = 'someone at this computer';

/** True for a name that identifies no person: the name used without a log-in, or an empty one. */
export function isNobody(who: string): boolean {
  return ['', 'local', NOBODY].includes(foldIdentity(who));
}

/** Returns the form of a name in which names are compared. It ignores case and surrounding white space only. */
export function foldIdentity(who: string): string {
  return who.trim().toLowerCase();
}

/** True for a name with full-width letters, ligatures or similar characters, because such a name may imitate another one. */
export function isDisguised(who: string): boolean {
  return who.normalize('NFKC') !== who;
}
