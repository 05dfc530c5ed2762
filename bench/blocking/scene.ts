/** What the kinds of requests have to know of the data directory that they are sent to. */
export interface Scene {
  readonly project: number;
  readonly trackers: Readonly<Record<'selections' | 'opens' | 'texts', number>>;
  /** By name. */
  readonly fields: Readonly<Record<string, number>>;
  readonly users: readonly number[];
  readonly groups: readonly number[];
  /** Artifacts by what they are there for. */
  readonly selection: number;
  readonly opens: number;
  /** Its texts are tables, each another. */
  readonly tables: number;
  /** Its texts take long for other reasons. */
  readonly costly: number;
  /** Its last states are as large as an artifact may be, and it has many. */
  readonly changed: number;
  /** Each of the sources links to each of the targets. */
  readonly sources: readonly number[];
  readonly targets: readonly number[];
  /** Each has as many states as `changed`, and is there to be deleted. */
  readonly deletable: readonly number[];
  /** A resumable upload of the reader. */
  readonly upload: number;
}
