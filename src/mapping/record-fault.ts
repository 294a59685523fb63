/** Why one record cannot be mapped; `mapper.ts` turns it into a hold. */
export class RecordFault extends Error {
  readonly code: 'SYNC_MAP_EXPRESSION' | 'SYNC_MAP_VALUE';
  readonly remedy: string;

  constructor(code: RecordFault['code'], reason: string, remedy: string) {
    super(reason);
    this.code = code;
    this.remedy = remedy;
  }
}
