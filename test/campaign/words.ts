/** A distinct name for each number: similar names make look-alikes, which are another story. */
export function word(number: number): string {
  const letters = 'bdfghjklmnprstvw';
  const vowels = 'aeiou';
  let rest = number * 7919 + 104_729;
  let name = '';
  for (let part = 0; part < 4; part++) {
    name += (letters[rest % 16] ?? '') + (vowels[rest % 5] ?? '');
    rest = Math.floor(rest / 16);
  }
  return `${name}${number}`;
}
