import { judgeAfterCut } from './after-cut.js';
import { judgeAnotherTenant } from './another-tenant.js';
import { judgeColumnsEmptied } from './columns-emptied.js';
import { judgeKeysReformatted } from './keys-reformatted.js';
import { judgeOlderContent } from './older-content.js';
import type { Suspicion } from './suspicion.js';

/** The reasons to hold a source completely, in the order of the checks; the first one that trips is reported. */
export const SUSPICIONS: readonly Suspicion[] = [
  { name: 'keys_reformatted', when: 'staged', judge: judgeKeysReformatted },
  { name: 'columns_emptied', when: 'staged', isOfAll: true, judge: judgeColumnsEmptied },
  { name: 'another_tenant', when: 'staged', judge: judgeAnotherTenant },
  { name: 'older_content', when: 'derived', judge: judgeOlderContent },
  { name: 'shrink', when: 'derived', judge: judgeAfterCut },
];
