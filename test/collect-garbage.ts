import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Frees all unreachable objects. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
