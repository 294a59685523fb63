import { isJsonObject, type Json, type Values } from './json.js';

/** The value of a leaf: `title.en`, `tags.unit`, or a whole field. */
export function leafOf(values: Values, path: string): Json | undefined {
  const [field = '', ...rest] = path.split('.');
  const whole = values[field];
  if (rest.length === 0) return whole;
  return isJsonObject(whole) ? whole[rest.join('.')] : undefined;
}
