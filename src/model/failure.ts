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
}
