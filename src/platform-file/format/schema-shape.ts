/** The type of what a JSON Schema admits, as far as the schema of platform files goes. `Defs` are the types of its `$defs`. */
export type Shape<Schema, Defs = object> = Schema extends {
  readonly $ref: `#/$defs/${infer Name extends string & keyof Defs}`;
}
  ? Defs[Name]
  : Schema extends { readonly oneOf: readonly (infer Branch)[] }
    ? Shape<Branch, Defs>
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends { readonly type: infer Type }
        ? ShapeOfType<Type extends readonly (infer Word)[] ? Word : Type, Schema, Defs>
        : never;

type ShapeOfType<Word, Schema, Defs> =
  | (Word extends keyof Scalars ? Scalars[Word] : never)
  | (Word extends 'array' ? ListShape<Schema, Defs> : never)
  | (Word extends 'object' ? ObjectShape<Schema, Defs> : never);

interface Scalars {
  readonly string: string;
  readonly boolean: boolean;
  readonly integer: number;
  readonly number: number;
  readonly null: null;
}

type ListShape<Schema, Defs> = Schema extends { readonly prefixItems: infer Items }
  ? { readonly [Index in keyof Items]: Shape<Items[Index], Defs> }
  : Schema extends { readonly items: infer Item }
    ? readonly Shape<Item, Defs>[]
    : never;

type ObjectShape<Schema, Defs> = Schema extends { readonly properties: infer Members }
  ? { readonly [Name in keyof Members as Name & Required<Schema>]: Shape<Members[Name], Defs> } & {
      readonly [Name in Exclude<keyof Members, Required<Schema>>]?: Shape<Members[Name], Defs>;
    }
  : never;

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;
