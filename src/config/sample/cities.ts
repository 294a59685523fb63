import { foldText } from '../../model/fold-words.js';
import data from './cities.json' with { type: 'json' };

/*
 * Cities with many offices (cities.json): country → cities, separated by commas. Other names of a city follow after a `|`. If
 * cities in several countries share a name, it is listed in each country, and the best known city comes first.
 */

interface City {
  readonly country: string;
  /** The main name of the city, which is the same for all of its names. */
  readonly name: string;
}

let cities: ReadonlyMap<string, readonly City[]> | undefined;

/** Lists the cities with a name in any language, the best known first. */
function listCities(text: string): readonly City[] {
  cities ??= readCities();
  return spell(text).flatMap((name) => cities?.get(name) ?? []);
}

function readCities(): ReadonlyMap<string, readonly City[]> {
  const found = new Map<string, readonly City[]>();
  for (const [country, list] of Object.entries(data)) {
    for (const names of list.split(',')) {
      const [first = '', ...others] = names.split('|').map((name) => name.trim());
      for (const name of new Set([first, ...others].map(foldText))) {
        found.set(name, [...(found.get(name) ?? []), { country, name: first }]);
      }
    }
  }
  return found;
}

/** Lists the spellings of a name: `Munchen` and `Muenchen` for `München`. */
function spell(text: string): readonly string[] {
  const folded = foldText(text);
  const short = foldText(text.replaceAll(/([aou])e/gi, '$1'));
  return folded === short ? [folded] : [folded, short];
}

/**
 * Maps the cities in `texts` to their countries. A shared name such as `London` is left out if a less known city may be meant.
 * This is the case if `texts` has another city of that country (`Toronto`), or if addresses end in it (`.ca`). It is also the
 * case if the account has that country but not the country of the best known city.
 */
export function countriesOfCities(
  texts: Iterable<string>,
  { addresses, account }: { readonly addresses: string | null; readonly account: readonly string[] },
): ReadonlyMap<string, string> {
  const found = [...new Set(texts)].map((text) => ({ text, cities: listCities(text) }));
  const sure = new Set(found.flatMap(({ cities: [city, other] }) => (city && !other ? [city.country] : [])));
  if (addresses !== null) sure.add(addresses);
  const isMeant = (country: string, best: string): boolean =>
    sure.has(country) || (account.includes(country) && !account.includes(best));
  return new Map(
    found.flatMap(({ text, cities: [city, ...others] }): readonly [string, string][] =>
      city === undefined || others.some(({ country }) => isMeant(country, city.country)) ? [] : [[text, city.country]],
    ),
  );
}

/** True if both names mean the same city: `Copenhagen` and `København`. */
export function isSameCity(one: string, other: string): boolean {
  const cities = listCities(one);
  return listCities(other).some(({ country, name }) =>
    cities.some((city) => city.country === country && city.name === name),
  );
}
