import type { TraceStep } from '../../mapping/trace.js';
import type { Hold } from '../../model/desired.js';
import type { Json, Values } from '../../model/json.js';
import { listTexts } from '../../model/raw-text.js';
import { PERSONAL_ENTITIES, SHOWN_FIELDS } from '../../store/audit/people.js';
import { emailOf, labelOf, pseudonymOf, veilText } from '../../store/audit/pseudonyms.js';
import { veilCause, veilQuoted } from '../../store/audit/veil-cause.js';
import type { Explanation } from './explain.js';

type Veil = (text: string) => string;

/**
 * Hides the person from a viewer who may not see names. Every value from the sources or the service becomes a pseudonym,
 * wherever it appears. The key and the ids stay, because they identify the record in its source.
 */
export function veilExplanation(key: string, explanation: Explanation): Explanation {
  const { steps } = explanation;
  const replaced = listPersonal(key, explanation);
  const text: Veil = (plain) => replaced.get(plain) ?? veilText(key, plain, replaced);
  const traced = <T extends TraceStep>(step: T): T => ({ ...step, result: veilResult(step.result, text) });
  const maybe = <T>(value: T | null, veil: (value: T) => T): T | null => (value === null ? null : veil(value));
  const values = (side: Values): Values => deepen(side, text);
  const named = <T extends { readonly label: string }>(one: T): T => ({ ...one, label: text(one.label) });
  const said: Veil = (plain) => veilQuoted(key, text(plain));
  const hold = ({ entity, key: of, place, code, reason, remedy, field }: Hold): Hold => {
    const cause: Veil = (plain) => text(veilCause(key, { kind: 'record', of: entity, code }, plain));
    return {
      entity,
      key: of,
      place,
      code,
      reason: cause(reason),
      remedy: cause(remedy),
      ...(field === undefined ? {} : { field }),
    };
  };
  // Each step is listed, so that the author of a new step must decide here which of its parts may be shown.
  return {
    entity: explanation.entity,
    key: explanation.key,
    steps: {
      named_in: steps.named_in,
      absence: steps.absence,
      departure: steps.departure,
      pins: steps.pins.map((pin) => ({ ...pin, path: text(pin.path), undone: text(pin.undone) })),
      declined: steps.declined.map((one) => ({ ...one, reason: text(one.reason), path: text(one.path) })),
      history: steps.history,
      starts: steps.starts,
      left_alone: maybe(steps.left_alone, said),
      setting: steps.setting,
      unverifiable: steps.unverifiable,
      guard: maybe(steps.guard, ({ detail, ...guard }) => ({
        ...guard,
        ...(detail === undefined ? {} : { detail: said(detail) }),
      })),
      sources: steps.sources.map((row) => ({ ...row, values: deepen(row.values, text) })),
      scope: maybe(steps.scope, traced),
      leaver: maybe(steps.leaver, traced),
      joiner: maybe(steps.joiner, traced),
      doubtful: maybe(steps.doubtful, traced),
      fields: steps.fields.map(traced),
      desired: maybe(steps.desired, values),
      correlation: {
        ...steps.correlation,
        found: steps.correlation.found,
        match: steps.correlation.match.map((one) => ({
          ...one,
          found: maybe(one.found, (found) => found.map(named)),
          set_apart: one.set_apart.map(named),
        })),
      },
      mirror: maybe(steps.mirror, (mirror) => ({ ...mirror, values: values(mirror.values) })),
      base: maybe(steps.base, values),
      held: steps.held.map(hold),
      action: maybe(steps.action, (action) => {
        const reason = { ...action.reason, text: text(action.reason.text) };
        return { ...named(action), before: values(action.before), after: values(action.after), reason };
      }),
      write_back: maybe(steps.write_back, (back) => veilWriteBack(back, text)),
    },
  };
}

function veilResult(result: TraceStep['result'], text: Veil): TraceStep['result'] {
  if (result.kind === 'value') return { ...result, value: deepen(result.value, text) };
  return result.kind === 'error' ? { ...result, reason: text(result.reason) } : result;
}

type WriteBackStep = NonNullable<Explanation['steps']['write_back']>;

function veilWriteBack({ told, waiting }: WriteBackStep, text: Veil): WriteBackStep {
  return {
    told: told.map(({ cells, ...one }) => ({
      ...one,
      reason: text(one.reason),
      cells: cells.map((cell) => ({ ...cell, before: deepen(cell.before, text), after: deepen(cell.after, text) })),
    })),
    waiting: waiting.map((one) => ({
      ...one,
      value: deepen(one.value, text),
      shown: deepen(one.shown, text),
      message: one.message === null ? null : text(one.message),
    })),
  };
}

/** Replaces every text and number in a value, and every property name that is an e-mail address. */
function deepen<T>(value: T, text: Veil): T {
  if (typeof value === 'string') return text(value) as T;
  if (typeof value === 'number') {
    const shown = text(String(value));
    return shown === String(value) ? value : (shown as T);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => deepen(item, text)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, item]) => [
    name.includes('@') ? text(name) : name,
    deepen(item as Json, text),
  ]);
  return Object.fromEntries(parts) as T;
}

/**
 * The values that identify a person, each with its pseudonym. Sources may use any column names, so every value of a row
 * counts.
 */
function listPersonal(key: string, { entity, key: own, steps }: Explanation): Map<string, string> {
  const replaced = new Map<string, string>();
  if (!PERSONAL_ENTITIES.has(entity)) return replaced;
  const { action, mirror, desired, base } = steps;
  const sides = [desired, base, mirror?.values, action?.before, action?.after].flatMap((side) =>
    Object.entries(side ?? {}),
  );
  const personal = sides.flatMap(([name, value]) => (SHOWN_FIELDS.has(name) ? [] : listTexts(value)));
  const ids = new Set([
    own,
    mirror?.id,
    steps.correlation.link,
    ...sides.flatMap(([name, value]) => (name === 'external_unique_id' ? [value] : [])),
  ]);
  for (const plain of [...steps.sources.flatMap(({ values }) => listTexts(values)), ...personal]) {
    if (plain !== '' && !ids.has(plain)) replaced.set(plain, pseudonymOf(key, plain));
  }
  const labels = steps.correlation.match.flatMap(({ found, set_apart: apart }) => [...(found ?? []), ...apart]);
  for (const { label } of action === null ? labels : [action, ...labels]) {
    replaced.set(label, labelOf(key, label));
    const name = emailOf(label) === null ? '' : label.replace(/\s*<[^>]*>\s*$/, '');
    if (name !== '') replaced.set(name, pseudonymOf(key, name));
  }
  return replaced;
}
