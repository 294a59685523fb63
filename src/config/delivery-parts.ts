import type { Resolving, YamlPath } from '../base/settings/resolving.js';
import { itemsOf } from '../model/json.js';
import { isLanguage } from '../model/languages.js';
import type { DeliveryInput } from './delivery-schema.js';
import type { ConfigProblems } from './yaml/config-problems.js';

/** Context for resolving a delivery of any kind. */
export interface DeliverySurroundings extends Resolving {
  /** Timezone of the schedules. */
  readonly timezone: string;
  readonly report: ConfigProblems;
}

/** The conditions of a filter, all of which must match. */
export type DeliveryFilter = Readonly<ReturnType<typeof resolveFilter>>;

export function resolveFilter({ text, any_field: anyField = {}, skills, tags = {} }: DeliveryInput['filter']) {
  return {
    text: itemsOf(text),
    anyField,
    skills: itemsOf(skills),
    tags: Object.entries(tags).flatMap(([category, tag]) => itemsOf(tag).map((one) => ({ category, tag: one }))),
  };
}

/** Lists the offices of a filter. An entry with `name` null stands for an entire country; an empty list stands for everyone. */
export function listWantedOffices({ offices = [] }: DeliveryInput['filter']) {
  return offices.map(({ country, name = null }) => ({ country, name }));
}

export function checkFormat<F extends string>(
  path: YamlPath,
  format: string,
  formats: readonly [F, ...F[]],
  report: ConfigProblems,
): F {
  const found = formats.find((one) => one === format);
  if (found === undefined)
    report.add([...path, 'format'], `"${format}" is not a format of this kind`, `Write ${formats.join(' or ')}.`);
  return found ?? formats[0];
}

export function checkLanguage(path: YamlPath, code: string, report: ConfigProblems): void {
  if (!isLanguage(code))
    report.add(path, `"${code}" is not a language code`, 'Write two small letters, as in `en` or `no`.');
}
