import type { SyncError } from '../../base/errors.js';
import type { Pause } from '../../model/pause.js';
import type { Registered } from './registry.js';
import type { TenantPhase } from './tenant.js';

/** Reasons why a tenant does not run, worst first. */
export const STOPPAGE_KINDS = ['rejected', 'stopped', 'broken', 'locked', 'edited', 'paused'] as const;
export type StoppageKind = (typeof STOPPAGE_KINDS)[number];

interface StoppageBase {
  /** ISO 8601; null if unknown. */
  readonly since: string | null;
}

/** `rejected`: no configuration is active; `edited`: an earlier configuration is still active. */
export type Stoppage = StoppageBase &
  (
    | { readonly kind: 'rejected' | 'edited'; readonly problem: SyncError }
    | { readonly kind: 'stopped' | 'broken' | 'locked'; readonly because: string | null }
    | { readonly kind: 'paused'; readonly pause: Pause }
  );

/** A manual run may hold the lock for minutes without needing attention. */
const LONG_LOCK_MS = 15 * 60_000;

/** Lists everything that keeps a tenant from running, or an edited configuration from taking effect, worst first. */
export function listStoppages({ problem, problemSinceMs, status }: Registered, nowMs: number): readonly Stoppage[] {
  const stops: Stoppage[] = [];
  if (problem !== null)
    stops.push({ kind: status === null ? 'rejected' : 'edited', since: isoOf(problemSinceMs), problem });
  if (status === null) return stops;
  const { phase, because, sinceMs = null } = status;
  if (isStopping(phase) && (phase !== 'locked' || (sinceMs !== null && nowMs - sinceMs >= LONG_LOCK_MS)))
    stops.push({ kind: phase, since: isoOf(sinceMs), because });
  const pause = status.facts?.pause ?? null;
  if (pause !== null && Date.parse(pause.until) > nowMs) stops.push({ kind: 'paused', since: pause.at, pause });
  return stops.toSorted((a, b) => STOPPAGE_KINDS.indexOf(a.kind) - STOPPAGE_KINDS.indexOf(b.kind));
}

function isStopping(phase: TenantPhase): phase is 'stopped' | 'broken' | 'locked' {
  return phase === 'stopped' || phase === 'broken' || phase === 'locked';
}

function isoOf(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
