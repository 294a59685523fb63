/** A change that failed entirely or in part. */
export interface Failure {
  readonly entity: string;
  readonly key: string;
  readonly change: string;
  readonly code: string;
  readonly message: string;
  readonly place: string;
  readonly remedy: string;
  /** Set if part of the change was carried out. */
  readonly in_part?: true;
  /**
   * Set if the service rejected all changes of this kind in the same way, so that this record is not at fault. Skipped changes
   * count too.
   */
  readonly of_all?: true;
}
