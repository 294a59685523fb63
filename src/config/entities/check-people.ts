import { createObjectScope, restsOnOthers } from '../../mapping/service-object.js';
import { SECTION_TYPES } from '../../model/sections.js';

import type { Config } from '../config.js';
import type { EntityContext } from './resolve-entities.js';

/**
 * Rejects `project.people` in a configuration that reads no CVs. Only CVs show who is on a project, and they are read only if
 * the configuration manages something on them. Otherwise `project.people` would always be empty.
 */
export function checkPeople(mappings: Config['streamMappings'], context: EntityContext): void {
  const { report } = context;
  // An invalid expression has already been reported and cannot be inspected.
  if (mappings.projects === undefined || report.problems.length > 0) return;
  if ([...SECTION_TYPES, 'staffing' as const].some((entity) => mappings[entity] !== undefined)) return;
  const scope = createObjectScope('projects', context);
  for (const { source, column, leaf, value } of mappings.projects.writeBack) {
    if (value === null || !restsOnOthers(scope, 'projects', value)) continue;
    const path =
      leaf === null
        ? ['projects', 'write_back', source, column]
        : ['projects', 'fields', ...leaf.split('.'), 'write_back', 'value'];
    const message = 'the people on a project are not known, because this configuration reads no CVs';
    report.add(path, message, 'Add `staffing:`, or remove `project.people`.');
  }
}
