import { type HookSettings, resolveHook } from '../../base/settings/hook.js';
import type { Resolving } from '../../base/settings/resolving.js';
import { checkTogether, kindOf, type SourceConfig, type SourceInput, type Sources } from '../../connectors/kinds.js';
import { checkExpressions, type ExpressionUse } from '../../mapping/check.js';
import { createRowScope } from '../../mapping/condition.js';
import { createScope, type Scope } from '../../mapping/scope.js';
import { listVisibleToPrefer } from '../../mapping/streams.js';
import type { LookupMaps } from '../../model/lookup-maps.js';
import { listStreams } from '../../model/stream.js';
import type { ConfigProblems } from '../yaml/config-problems.js';

/** Words with another meaning in expressions, so that no expression could refer to a source with such a name. */
const TAKEN = (
  'record today maps user optional cel google true false null in as break const continue else for function if import let ' +
  'loop package namespace return var void while prototype string int uint double bool bytes list map type dyn duration timestamp'
).split(' ');

interface SourcesContext extends Resolving {
  readonly timezone: string;
  readonly maps: LookupMaps;
  readonly report: ConfigProblems;
}

export function resolveSources(inputs: Readonly<Record<string, SourceInput>>, context: SourcesContext): Sources {
  const sources: Record<string, SourceConfig> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const path = ['sources', name];
    if (!/^[A-Za-z_]\w*$/.test(name) || TAKEN.includes(name)) {
      const remedy = 'Use letters, digits and _, and none of the words of expressions (record, today, …).';
      context.report.add(path, `\`${name}\` cannot be the name of a source`, remedy, 'key');
      continue;
    }
    sources[name] = kindOf(input).resolve(path, input, context);
  }
  checkStreams(sources, context);
  return sources;
}

/** Returns source → how its vendor signals a change, for each source with a `hook`. */
export function resolveHooks(
  inputs: Readonly<Record<string, SourceInput>>,
  { readSecret }: Pick<Resolving, 'readSecret'>,
): Readonly<Record<string, HookSettings>> {
  const hooks = Object.entries(inputs).flatMap(([name, input]): [string, HookSettings][] => {
    if (!('hook' in input) || input.hook === undefined) return [];
    const preset = 'preset' in input ? (input.preset ?? null) : null;
    return [[name, resolveHook(['sources', name, 'hook'], input.hook, preset, readSecret)]];
  });
  return Object.fromEntries(hooks);
}

function checkStreams(sources: Sources, { timezone, maps, report }: SourcesContext): void {
  const streams = listStreams(sources);
  checkTogether(streams, report);
  for (const stream of streams) {
    const { path, prefer, columns } = stream;
    if (prefer !== null) {
      const scope = createScope(listVisibleToPrefer(stream), 'record', timezone, maps);
      check(scope, { path: [...path, 'prefer'], text: prefer, want: 'rank' });
    }
    for (const { at, text } of kindOf(stream).listConditions?.(stream.config) ?? []) {
      check(createRowScope(columns, timezone), { path: [...path, ...at], text, want: 'bool' });
    }
  }

  function check(scope: Scope, use: ExpressionUse): void {
    for (const problem of checkExpressions(scope, [use])) {
      report.addInText(problem);
    }
  }
}
