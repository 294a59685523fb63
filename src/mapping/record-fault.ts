import type { Hold } from '../model/desired.js';

/** The reason why one record cannot be mapped; `mapper.ts` turns the fault into a hold. */
export class RecordFault extends Error {
  readonly code:
    | 'SYNC_MAP_EXPRESSION'
    | 'SYNC_MAP_VALUE'
    | 'SYNC_MAP_NOTHING'
    | 'SYNC_ADDRESS_SIGN'
    | 'SYNC_DATE_PLACEHOLDER';
  readonly remedy: string;
  /** The most likely meaning of the value. */
  readonly means: Hold['means'];

  constructor(code: RecordFault['code'], reason: string, remedy: string, means?: Hold['means']) {
    super(reason);
    this.code = code;
    this.remedy = remedy;
    this.means = means;
  }
}
