/** `1 row`, `2 rows` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `record E2 wants it too`, `records E2, E3 want it too` */
export function tellRivals(keys: readonly string[], verb: 'claim' | 'want'): string {
  return keys.length === 1 ? `record ${keys[0]} ${verb}s it too` : `records ${keys.join(', ')} ${verb} it too`;
}
