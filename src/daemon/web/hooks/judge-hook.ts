import type { HookSettings } from '../../../base/settings/hook.js';
import { FORMS } from './hook-forms.js';
import type { HookRequest } from './hook-proof.js';
import type { ReplayMemory } from './replay-memory.js';

/** `ping` is a connection test from a genuine sender. `stale` means signed correctly, but too old or in the future. */
export type HookVerdict = 'accepted' | 'ping' | 'forged' | 'repeated' | 'stale';

interface Judging {
  readonly nowMs: number;
  readonly memory: ReplayMemory;
  /** Name of the source in the replay memory. */
  readonly of: string;
}

export function judgeHook(
  request: HookRequest,
  { form, secrets }: Pick<HookSettings, 'form' | 'secrets'>,
  { nowMs, memory, of }: Judging,
): HookVerdict {
  const { prove, time, isTrial } = FORMS[form];
  // Try every secret, because stopping at a match would reveal which one matched.
  const proof = secrets.map((secret) => prove(request, secret.reveal())).find((one) => one !== null) ?? null;
  if (proof === null) return 'forged';
  if (isTrial?.(request) === true) return 'ping';
  if (time === undefined) return 'accepted';
  const atMs = time.at(request);
  if (atMs === null || Math.abs(nowMs - atMs) > time.windowMs) return 'stale';
  return memory.note(`${of} ${proof}`, { nowMs, untilMs: atMs + time.windowMs }) ? 'accepted' : 'repeated';
}
