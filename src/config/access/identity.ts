/** Who asks for a page, as the way of logging in proved it. */
export interface Identity {
  /** Names the person in the audit: an e-mail address, or what the identity provider was told to name people by. Folded. */
  readonly who: string;
  /** As it is shown. */
  readonly name: string;
  /** Groups at the time of the log-in. */
  readonly groups: readonly string[];
  /** Why the identity provider sent no list of them, so that none is known; not there where it sent one. */
  readonly unknownGroups?: 'too many' | 'no list';
  readonly via: 'openid' | 'proxy' | 'token' | 'loopback';
}

/** How somebody who decides is known. Only a log-in or a personal token proves which person it is. */
export type ProofOfPerson = 'machine' | 'person' | 'nobody';

/** Pages without a log-in and tokens without a name prove nobody. */
export function proofOf({ who, via }: Identity): ProofOfPerson {
  return via === 'loopback' || isNobody(who) ? 'nobody' : 'person';
}

/** A name that names no person: that of pages without a log-in, or none at all. */
export function isNobody(who: string): boolean {
  return ['', 'local'].includes(foldIdentity(who));
}

/** One person is one name, in capitals or not. Other signs are other names. */
export function foldIdentity(who: string): string {
  return who.trim().toLowerCase();
}

/** Full-width letters, ligatures and the like look like others and are none: such a name may be somebody's disguise. */
export function isDisguised(who: string): boolean {
  return who.normalize('NFKC') !== who;
}
