import { describeDifference, looksTheSame, mayLookLikeAnother } from '../../model/difference.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { BadCell } from '../cells/cells.js';
import { splitPointer, stepInto } from './pointer.js';
import { quoteName } from './quote-names.js';

/**
 * Explains why a row has no value for a column although the row seems to contain the column's name. Returns null if no
 * name looks the same.
 */
export type FindLookAlike = (row: JsonObject) => BadCell | null;

/**
 * Creates a check for names that look alike. Without it, all values of a column would seem to be removed if its name
 * gained an invisible character. The odd names of the last object are cached, because several columns of a row are
 * checked in turn.
 */
export function createLookAlikes(): (name: string, from: string | undefined) => FindLookAlike {
  let [last, names]: [JsonObject | null, readonly string[]] = [null, []];

  function oddNamesOf(holder: JsonObject): readonly string[] {
    if (last !== holder) [last, names] = [holder, Object.keys(holder).filter(mayLookLikeAnother)];
    return names;
  }

  function explain(name: string, holder: JsonObject): BadCell | null {
    const other = oddNamesOf(holder).find((one) => looksTheSame(name, one) || one.trim() === name);
    if (other === undefined) return null;
    const found = `nothing under "${name}", only ${quoteName(other)}, which has ${describeDifference(name, other)}`;
    return new BadCell(found, 'the declared name');
  }

  return (name, from) => {
    const steps = from === undefined ? [name] : splitPointer(from);
    return (row) => {
      let holder: Json = row;
      for (const step of steps) {
        if (!isJsonObject(holder)) return null;
        const next = stepInto(holder, step);
        if (next === undefined) return explain(step, holder);
        holder = next;
      }
      return null;
    };
  };
}
