import { standingOf } from './standings.js';
/** A stand-in until the expressions have these. */
export function nameCase(text: string): string {
  if (text !== text.toUpperCase() && text !== text.toLowerCase()) return text;
  return text
    .toLowerCase()
    .replaceAll(/(?<![\p{L}\p{M}])\p{L}/gu, (letter) => letter.toUpperCase())
    .replaceAll(/\b(De|Van|Der|Von|La|Af|Di|Dos|Da)\b(?= )/g, (word) => word.toLowerCase());
}

export function withoutStatus(text: string): string {
  return text
    .replace(/\s*[([]([^)\]]+)[)\]]\s*/gi, (all, inner: string) =>
      inner === 'C' || standingOf(inner) !== null ? ' ' : all,
    )
    .trim();
}
