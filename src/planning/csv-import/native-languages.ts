import type { MirrorStore } from '../../store/mirror/mirror-store.js';
import type { FileForm } from './read-cells.js';

/** Maps each country in the mirror to its native language. */
export function nativeLanguages(mirror: MirrorStore): FileForm['nativeLanguage'] {
  const known = new Map<string, string>();
  for (const { values } of mirror.all('countries')) {
    const { code, native_language_code: language } = values;
    if (typeof code === 'string' && typeof language === 'string') known.set(code.toLowerCase(), language);
  }
  return (country) => known.get(country.toLowerCase()) ?? null;
}
