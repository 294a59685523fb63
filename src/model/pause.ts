import { writeMinute } from './date-in-zone.js';

/** A pause of a tenant. Nothing is planned or written until it ends. Times are ISO 8601. */
export interface Pause {
  readonly at: string;
  readonly until: string;
  readonly by: string;
  readonly reason: string;
}

/** `paused by jane until 2026-12-04 08:00 UTC: payroll migration` */
export function describePause({ until, by, reason }: Pause): string {
  return `paused by ${by} until ${writeMinute(until)}: ${reason}`;
}

/** The reason why nothing may be written now. */
export interface StandStill {
  readonly code: 'QUIET' | 'PAUSED';
  readonly message: string;
}
