/** What specs look at in representations; the routes promise more. */
export interface ProjectJson {
  readonly id: number;
  readonly uri: string;
  readonly shortname: string;
  readonly status: string;
  readonly is_member_of: boolean;
  readonly resources: readonly { readonly type: string; readonly uri: string }[];
}

interface ValueJson {
  readonly id: number | string;
  readonly label: string;
}

export interface FieldJson {
  readonly field_id: number;
  readonly name: string;
  readonly type: string;
  readonly values: readonly ValueJson[] | null;
  readonly permissions: readonly string[];
  readonly permissions_for_groups: Readonly<Record<string, readonly { readonly short_name: string }[]>> | null;
  readonly default_value: unknown;
}

export interface TrackerJson {
  readonly id: number;
  readonly uri: string;
  readonly label: string;
  readonly item_name: string;
  readonly fields: readonly FieldJson[];
  readonly structure: unknown;
  readonly semantics: object;
  readonly workflow: object | null;
  readonly resources: ProjectJson['resources'];
}

export interface FieldValueJson {
  readonly field_id: number;
  readonly type: string;
  readonly value?: unknown;
  readonly commonmark?: string;
  readonly bind_value_ids?: readonly (number | string)[];
  readonly bind_value_objects?: readonly { readonly id: number | string }[];
  readonly granted_groups_ids?: readonly string[];
}

export interface ArtifactJson {
  readonly id: number;
  readonly uri: string;
  readonly title: string | null;
  readonly values: readonly FieldValueJson[] | null;
}

export interface ErrorJson {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly details?: readonly { readonly pointer: string; readonly message: string }[];
  };
}

/** The body of an answer as what the route promises. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the one door from JSON to its shape
export const bodyOf = <T>({ body }: { readonly body: unknown }): T => body as T;

export const idsOf = (answer: { readonly body: unknown }): readonly number[] =>
  bodyOf<readonly { readonly id: number }[]>(answer).map(({ id }) => id);
