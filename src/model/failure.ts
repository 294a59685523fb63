/** Something a change could not do, for people and programs. */
export interface Failure {
  readonly entity: string;
  readonly key: string;
  readonly change: string;
  readonly code: string;
  readonly message: string;
  readonly place: string;
  readonly remedy: string;
  /** Something of it was carried out all the same. */
  readonly in_part?: true;
  /** All of its kind were refused alike, or were not tried for that: it is not for this record to mend. */
  readonly of_all?: true;
}
