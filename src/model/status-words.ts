import { reduceText } from './raw-text.js';

/** What systems write in a column of status about somebody who works there. */
const PRESENT: ReadonlySet<string> = new Set(
  `active|aktiv|aktive|aktiver|aktiva|aktivt|actif|activo|activa|attivo|attiva|ativo|ativa|actief|aktywny|aktywna|aktiivinen|
  employed|working|current|present|enabled|provisioned|hired|in service|in employment|beschäftigt|angestellt|tätig|ansatt|anställd|ansat|
  i arbeid|i arbete|työsuhteessa|voimassa|in dienst|werkzaam|en poste|en activité|empleado|empleada|en activo|in forza|empregado|
  zatrudniony|zatrudniona|a|yes|true`
    .split('|')
    .map(reduceText),
);

/** Whether a word of a column of status means that somebody is there: no rule has to name it. */
export function saysPresent(word: string): boolean {
  return PRESENT.has(reduceText(word));
}
