import { splitHeader } from '../../model/fold-words.js';
import type { ColumnGuess } from './guess-column.js';

/** Words for a street or a postcode. They show that the columns around them are parts of a postal address. */
const STREET =
  /^(?:street|strasse|strase|strassenr|hausnummer|gate|gateadresse|gatuadress|gatuadresse|vej|address|addr|adress|adresse|anschrift|osoite|katuosoite|lahiosoite|adres|straat|rue|calle|direccion|domicilio|indirizzo|via|morada|rua|ulica|postcode|postal|plz|zip|zipcode|postnr|postnummer|postleitzahl|postinumero|cap|codepostal)$/;
const PLACE =
  /^(?:city|town|ort|stadt|wohnort|by|poststed|postort|ville|ciudad|localidad|poblacion|citta|comune|cidade|miasto|miejscowosc|plaats|woonplaats|kaupunki|postitoimipaikka|land|country|pays|pais|paese|nazione|kraj|maa|state|province|provincia|provincie|county|region|kommune|kommun|bundesland|kanton|suburb)$/;
/** Words that may occur next to words for streets and places. */
const BESIDE = /^(?:\d+|line|zeile|code|codigo|name|nr|no|number|house|apt|and|und|og|c|p|o|co)$/;
/** Headers of a directory, where the address is that of the office. */
const DIRECTORY = /^(?:upn|userprincipalname|samaccountname|distinguishedname)$/;

/**
 * Marks the columns of a postal address. In a list of employees it is the home address, unless the headers say work or office.
 */
export function markHomes(columns: readonly ColumnGuess[]): readonly ColumnGuess[] {
  const headers = columns.map(({ name }) => splitHeader(name));
  if (headers.some((words) => DIRECTORY.test(words.join('')))) return columns;
  const isPart = headers.map(
    (words, at) =>
      (columns[at]?.looks.email ?? 0) < 0.5 &&
      words.some((word) => STREET.test(word) || PLACE.test(word)) &&
      words.every((word) => STREET.test(word) || PLACE.test(word) || BESIDE.test(word)),
  );
  const hasStreet = (from: number, step: -1 | 1): boolean => {
    for (let at = from; isPart[at] === true; at += step) {
      if (headers[at]?.some((word) => STREET.test(word)) === true) return true;
    }
    return false;
  };
  return columns.map((column, at) => (hasStreet(at, -1) || hasStreet(at, 1) ? { ...column, isHome: true } : column));
}
