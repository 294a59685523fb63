import { splitHeader } from '../../model/fold-words.js';
import { LANGUAGES, type SampleLanguage } from './sample-languages.js';

/** Folded parts of titles that occur in one language only. */
const TITLE_WORDS: Readonly<Record<SampleLanguage, RegExp>> = {
  en: /^(?:engineer|developer|designer|officer|accountant|architect|analyst|lead|head|director|specialist|scientist|assistant|associate|of|sales|senator|representative)s?$/,
  de: /entwickler|berater|leiter|leitung|ingenieur|sachbearbeiter|buchhalter|geschaftsfuhr|fachkraft|architekt(?:in)?$|beauftragte|kaufmann|kauffrau|assistenz|referent|^werkstudent|^und$|^fur$|mitarbeiter/,
  no: /^(?:radgiver|seniorradgiver|sjefsradgiver|utvikler|seniorutvikler|sivilingenior|daglig|avdelingsleder|prosjektleder|okonomi\w*|regnskap\w*|selger|medarbeider|ingenior|og|larling|konsulent)$|radgiver|utvikler|ingenior$|leder$/,
  sv: /utvecklare|radgivare|ingenjor|chef$|konsult(?:chef)?$|ekonom$|saljare|handlaggare|projektledare|ledare$|^och$/,
  da: /udvikler|radgiver$|konsulent$|medarbejder|projektleder|afdelingsleder|bogholder|^og$|salger/,
  fi: /kehittaja|asiantuntija|paallikko|insinoori|johtaja|suunnittelija|konsultti|assistentti$|kirjanpitaja/,
  nl: /ontwikkelaar|adviseur|medewerker|beheerder|leidinggevende|boekhouder|projectleider|^hoofd$|^en$/,
  fr: /developpeu|ingenieur$|consultante$|charge(?:e)?$|directeur|directrice|comptable|responsable|chef$|^de$|gestionnaire|commercial(?:e)?$/,
  es: /desarrollador|ingeniero|ingeniera|consultora?$|gerente|analista|contable|jefe|jefa|responsable|^de$|directora$/,
  pt: /desenvolvedor|engenheir|consultora?$|gerente|analista|contador|coordenador|^de$|diretor/,
  it: /sviluppator|ingegnere|consulente|responsabile|impiegat|contabile|direttore|^di$|analista/,
  pl: /programist|inzynier|konsultant|kierownik|ksiegow|dyrektor|specjalist|analityk|doradca/,
};

/** Returns the language of most titles; null if their words do not show it. */
export function languageOfTitles(titles: readonly string[]): SampleLanguage | null {
  const hits = LANGUAGES.map((language) => {
    const count = titles.filter((title) => splitHeader(title).some((word) => TITLE_WORDS[language].test(word))).length;
    // English titles occur in all countries, so they count less.
    return { language, count: language === 'en' ? count * 0.6 : count };
  }).sort((a, b) => b.count - a.count);
  const [best, next] = hits;
  if (best === undefined || best.count < Math.max(1, titles.length * 0.15)) return null;
  return next !== undefined && next.count === best.count ? null : best.language;
}
