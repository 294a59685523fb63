import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What nothing holds any more is gone afterwards. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
