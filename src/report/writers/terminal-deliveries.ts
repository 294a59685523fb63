import type { DeliveryWords } from '../sections/deliveries.js';
import { formatMinute } from '../sections/words.js';
import type { TerminalLook } from './style.js';
import { fold } from './terminal-blocks.js';

/** Reports of the service: those that the next run delivers, or how it went. */
export function renderDeliveries(words: readonly DeliveryWords[], look: TerminalLook): readonly string[] {
  return words.flatMap(({ name, of, slot, state, about }) => {
    const title = `report ${name} (${of})${slot === null ? '' : ` of ${formatMinute(slot)}`}`;
    if (state === 'failed') return [look.style.bad(`x ${title} not delivered`), ...fold(about, 4, look)];
    if (state === 'left') return [look.style.bold(`! ${title} left: ${about}`)];
    return [`  ${title}`, ...fold(about, 4, look, 1_000)];
  });
}
