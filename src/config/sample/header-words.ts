import { splitHeader } from '../../model/fold-words.js';

/**
 * Words in a header that do not count, because they only say where a value comes from, whom it belongs to, or how it is
 * written.
 */
const BESIDE = new Set(
  `work works primary primar main legal business preferred official corporate current default standard geschaftlich geschaftl geschaftlicher geschaftliche benutzer
  dienstlich dienstlicher dienstliche dienstl dienst beruflich firma firmen jobb jobbs job arbeid arbete arbejde arbejds arbeids tyo zakelijk werk
  professionnel professionnelle pro trabajo laboral trabalho profissional lavoro aziendale praca sluzbowy sluzbowa
  employee worker person staff ansatt medarbejder mitarbeiter the of de du des da do di del der des og och og et y e i
  read only upload required optional editable recent most latest last first original adjusted user users attribute attributes
  field fields custom info information details data description desc text label picklist iso formatted bezeichnung beschreibung
  beskrivelse beskrivning kuvaus descripcion descricao descrizione opis omschrijving libelle`.split(/\s+/),
);

/** Position of the main word in a header: last in `Position Status`, first in `date d'entrée`. */
export type HeadPlace = 'last' | 'first';

/**
 * Returns the share of a header that a phrase covers: 1 if no other word counts, 0 if the phrase is missing or only describes
 * another word.
 */
export function coverHeader(words: readonly string[], phrase: string, head: HeadPlace, isPlaced = false): number {
  for (let from = 0; from < words.length; from++) {
    let joined = '';
    for (let to = from; to < words.length && joined.length < phrase.length; to++) {
      joined += words[to];
      if (joined !== phrase) continue;
      const before = words
        .slice(0, from)
        .filter((word) => counts(word) && !(isPlaced && PLACES.has(word)))
        .join('');
      const after = words
        .slice(to + 1)
        .filter(counts)
        .join('');
      if ((head === 'last' ? after : before) !== '') return 0;
      return phrase.length / (phrase.length + before.length + after.length);
    }
  }
  return 0;
}

/** Words for a place, as in `Location Country` and `Office Phone`. */
const PLACES = new Set(
  'location office site address standort standortadresse arbeitsort arbeitsplatz kontor buro'.split(' '),
);

function counts(word: string): boolean {
  return !BESIDE.has(word) && !/^\d+$/.test(word);
}

const KEY_WORDS = new Set(
  'id ids nr no num number code kode kod key uid guid ref nummer numero numer matricule kennung schlussel'.split(' '),
);

/** True for a header that means the number or code of something: `customer_no`, `projectId`, `Personalnummer`. */
export function isKeyName(header: string): boolean {
  const words = splitHeader(header);
  return words.some((word) => KEY_WORDS.has(word) || /(?:nummer|nr|nro|numero)$/.test(word));
}
