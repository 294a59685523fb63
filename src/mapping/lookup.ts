import { type Environment, Optional } from '@marcbachmann/cel-js';
import type { LookupMaps } from '../model/lookup-maps.js';

/** A separate type, so that an unknown map name is a type error. */
class Maps extends Map<string, ReadonlyMap<string, string>> {}

/**
 * Registers `maps:` of the configuration, and `lookup(maps.countries, record.country, "no")`. The comparison ignores
 * case and surrounding white space. If no word matches, the result is the third argument, or absent without one.
 */
export function registerLookup(environment: Environment, maps: LookupMaps): Maps {
  const fields = Object.fromEntries(Object.keys(maps).map((name) => [name, 'map<string, string>']));
  environment.registerType('Maps', { ctor: Maps, fields });
  environment.registerVariable('maps', 'Maps');
  environment.registerFunction('lookup(map<string, string>, string): optional<string>', find);
  environment.registerFunction(
    'lookup(map<string, string>, string, string): string',
    (map: Dictionary, word: string, otherwise: string) => find(map, word).orValue(otherwise),
  );
  environment.registerFunction(
    'lookup(map<string, string>, optional<string>): optional<string>',
    (map: Dictionary, word: Optional<string>) => (word.hasValue() ? find(map, word.value() ?? '') : Optional.none()),
  );
  environment.registerFunction(
    'lookup(map<string, string>, optional<string>, string): string',
    (map: Dictionary, word: Optional<string>, otherwise: string) => find(map, word.orValue('')).orValue(otherwise),
  );
  return new Maps(Object.entries(maps).map(([name, words]) => [name, foldWords(words)]));
}

type Dictionary = ReadonlyMap<string, string>;

function foldWords(words: Readonly<Record<string, string>>): Dictionary {
  return new Map(Object.entries(words).map(([word, meaning]) => [fold(word), meaning]));
}

function fold(word: string): string {
  return word.trim().toLowerCase();
}

function find(map: Dictionary, word: string): Optional<string> {
  const found = map.get(fold(word));
  return found === undefined ? (Optional.none() as Optional<string>) : Optional.of(found);
}
