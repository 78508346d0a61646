/** What may stand where in a protocol, however it is written. The names are those of `authoring.ts`. */
export type Shape =
  | { readonly is: "text" | "number" | "flag" | "json" | "object" | "guard" | "need" | "code" }
  /** Whatever it is; it is not looked into. */
  | { readonly is: "any" }
  /** One of these words, or any that begins with `prefix`. */
  | { readonly is: "one of"; readonly values: readonly string[]; readonly prefix?: string }
  | { readonly is: "list"; readonly of: Shape }
  /** Names of one's own, each with the same below it. */
  | { readonly is: "named"; readonly of: Shape }
  /** Told apart by what stands there. */
  | {
      readonly is: "either";
      readonly list?: Shape;
      readonly map?: Shape;
      readonly number?: Shape;
      readonly else: Shape;
    }
  | Keyed
  | Fields;

export interface Fields {
  readonly is: "fields";
  readonly what: string;
  readonly required: Shapes;
  readonly optional: Shapes;
}

/** The first field that is known says which others there may be. */
export interface Keyed {
  readonly is: "keyed";
  readonly what: string;
  /** Asked for when it is met, because what follows from a budget may be anything that follows. */
  readonly rows: () => Readonly<Record<string, Fields>>;
}

export type Shapes = Readonly<Record<string, Shape>>;

export function fields(what: string, required: Shapes, optional: Shapes = {}): Fields {
  return { is: "fields", what, required, optional };
}

export function list(of: Shape): Shape {
  return { is: "list", of };
}
