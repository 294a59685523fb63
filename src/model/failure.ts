/** A change, or part of one, that could not be carried out. */
export interface Failure {
  readonly entity: string;
  readonly key: string;
  readonly change: string;
  readonly code: string;
  readonly message: string;
  readonly place: string;
  readonly remedy: string;
  /** Part of it was carried out all the same. */
  readonly in_part?: true;
  /** Every change of its kind was rejected in the same way, or skipped for that reason: this record is not at fault. */
  readonly of_all?: true;
}
