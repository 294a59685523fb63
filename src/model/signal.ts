/** Ways in which a change becomes known before the schedule would find it. */
export const SIGNAL_KINDS = ['file', 'push', 'hook', 'approval', 'service'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** A signalled change. Its content is not trusted: a run reads the data itself. */
export interface Signal {
  readonly kind: SignalKind;
  /** The source that changed; null for none. */
  readonly source: string | null;
  /** The first of several joined signals, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** `file of hr` */
export function nameSignal({ kind, source }: Pick<Signal, 'kind' | 'source'>): string {
  return source === null ? kind : `${kind} of ${source}`;
}

/** `file of hr, hook of crm` */
export function describeSignals(signals: readonly Pick<Signal, 'kind' | 'source'>[]): string {
  return signals.map(nameSignal).join(', ');
}
