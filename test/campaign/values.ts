import type { Random } from './random.js';

/** The first pattern that matches the service's name of a field applies. */
const VALUES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^month/, ['1', '9', '12']],
  [/^year/, ['1999', '2001', '2020']],
  [/_currency$/, ['nok', 'eur']],
  [/_country_code$/, ['no', 'se']],
  [/_amt$|hours$|^percent/, ['12', '40']],
  [/_date$/, ['2027-01-31', '2027-06-30']],
  [/^url$/, ['https://a.example.com', 'https://b.example.com']],
  [/./, ['Oslo', 'Rome', 'Bonn']],
];

export function randomValue(random: Random, name: string): string {
  return random.pick(VALUES.find(([pattern]) => pattern.test(name))?.[1] ?? []);
}
