import type { Signal } from '../model/signal.js';
import type { Config } from './config.js';
import { findWriteBack } from './write-back/find-write-back.js';

/**
 * True if other sources alone have signalled; one stream may refer to another of its source. A source that is written
 * back to is asked, since the values that it has now count.
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
