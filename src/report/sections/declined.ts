import type { DeclineWords } from '../../model/decline.js';
import { formatMinute } from './words.js';

/** `declined by jo@example.com until 2027-01-01 00:00 UTC: stays` */
export function describeDeclined(words: DeclineWords): string {
  return `declined ${saysNo(words)}`;
}

/** Describes a decline without the word "declined". */
export function saysNo({ who, reason, until }: DeclineWords, endOf = formatMinute): string {
  return `by ${who} until ${until === null ? 'the source value changes' : endOf(until)}: ${reason || 'no reason given'}`;
}
