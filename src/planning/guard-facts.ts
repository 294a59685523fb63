/** Facts about the last run that went through without a guard: what a trip is compared with. */
export const CONFIG_FACT = 'guards.config';
/** JSON: the deciding parts of its configuration. */
export const MAPPING_FACT = 'guards.mapping';
export const RUN_FACT = 'guards.run';
export function rowsFact(source: string): string {
  return `guards.rows.${source}`;
}
