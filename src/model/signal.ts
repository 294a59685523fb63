/** How a change becomes known before the schedule would find it. */
export const SIGNAL_KINDS = ['file', 'push', 'hook', 'approval', 'service'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** A change that was signalled. It carries nothing that is believed: a run reads for itself. */
export interface Signal {
  readonly kind: SignalKind;
  /** The source that changed; null where no source did. */
  readonly source: string | null;
  /** The first of those that came together, milliseconds since the epoch. */
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
