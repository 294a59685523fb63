import type { Signal } from '../model/signal.js';
import type { Config } from './config.js';
import { findWriteBack } from './write-back/find-write-back.js';

/**
 * True if a stream need not be read, because only other sources have sent a signal. All streams of a source are read together,
 * because they may refer to each other. A source with write-back is always read, because its current values are needed.
 */
export function mayRest(
  stream: string,
  { sources }: Pick<Config, 'sources'>,
  signals: readonly Pick<Signal, 'source'>[] | undefined,
): boolean {
  const sourceOf = (name: string): string | undefined => name.split('.')[0];
  const isOther = ({ source }: Pick<Signal, 'source'>): boolean =>
    source !== null && sourceOf(source) !== sourceOf(stream);
  return signals?.every(isOther) === true && findWriteBack(sources, stream) === null;
}
