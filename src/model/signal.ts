/** The ways in which a change is noticed before the next scheduled run. */
export const SIGNAL_KINDS = ['file', 'push', 'hook', 'approval', 'service'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** A signal that something changed. Its content is not trusted: a run reads the data itself. */
export interface Signal {
  readonly kind: SignalKind;
  /** The source that changed; null if the signal is not about a source. */
  readonly source: string | null;
  /** Time of the first signal, if several were joined, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Returns the name of a signal: `file of hr`. */
export function nameSignal({ kind, source }: Pick<Signal, 'kind' | 'source'>): string {
  return source === null ? kind : `${kind} of ${source}`;
}

/** Joins the names of signals: `file of hr, hook of crm`. */
export function describeSignals(signals: readonly Pick<Signal, 'kind' | 'source'>[]): string {
  return signals.map(nameSignal).join(', ');
}
