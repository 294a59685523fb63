/** The person who requests a page, as proved by the log-in. */
export interface Identity {
  /** Name of the person in the audit: an e-mail address, or another name that the log-in is configured to use. Folded. */
  readonly who: string;
  /** The name to show. */
  readonly name: string;
  /** Groups at the time of the log-in. */
  readonly groups: readonly string[];
  /** Why the identity provider sent no list of groups, so that none are known; absent if it sent one. */
  readonly unknownGroups?: 'too many' | 'no list';
  readonly via: 'openid' | 'proxy' | 'token' | 'loopback';
}

/** How a person who decides is identified. Only a log-in or a personal token proves who it is. */
export type ProofOfPerson = 'machine' | 'person' | 'nobody';

/** Pages without a log-in and tokens without a name prove no identity. */
export function proofOf({ who, via }: Identity): ProofOfPerson {
  return via === 'loopback' || isNobody(who) ? 'nobody' : 'person';
}

/** True for names that identify no person: the name used without a log-in, or an empty one. */
export function isNobody(who: string): boolean {
  return ['', 'local'].includes(foldIdentity(who));
}

/** Case does not make another person. Any other difference does. */
export function foldIdentity(who: string): string {
  return who.trim().toLowerCase();
}

/** Full-width letters, ligatures and similar characters imitate others, so such a name may be a disguise. */
export function isDisguised(who: string): boolean {
  return who.normalize('NFKC') !== who;
}
