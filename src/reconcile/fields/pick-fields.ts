import type { Json, Values } from '../../model/json.js';

export function pickFields(values: Values, keep: (name: string, value: Json) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => keep(name, value)));
}
