import { isLanguage } from '../../model/languages.js';

/**
 * The service's older language codes. `se` is Northern Sami in ISO 639-1, but has always meant Swedish in the service.
 * Rejecting the code loses no data, while accepting it would lose every Swedish text.
 */
const LEGACY: Readonly<Record<string, string>> = { int: 'en', se: 'sv', dk: 'da', cn: 'zh' };

export function checkLanguage(code: string): { readonly message: string; readonly remedy: string } | null {
  const current = Object.hasOwn(LEGACY, code) ? LEGACY[code] : undefined;
  if (current !== undefined) {
    return {
      message: `\`${code}\` is the service's older code of a language`,
      remedy: `Write \`${current}\` (ISO 639-1).`,
    };
  }
  if (isLanguage(code)) return null;
  const lower = code.toLowerCase();
  const remedy = isLanguage(lower)
    ? `Write \`${lower}\`.`
    : 'Write its two letters in ISO 639-1, such as `en`, `no`, `sv`, `da`, `zh`.';
  return { message: `\`${code}\` is not a language code`, remedy };
}
