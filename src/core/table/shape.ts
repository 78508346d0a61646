/** The allowed structure of a protocol, in any format. The names are those of `authoring.ts`. */
export type Shape =
  | { readonly is: "text" | "number" | "flag" | "json" | "object" | "guard" | "need" | "code" }
  /** Anything; it is not examined. */
  | { readonly is: "any" }
  /** One of these words, or any text that begins with `prefix`. */
  | { readonly is: "one of"; readonly values: readonly string[]; readonly prefix?: string }
  | { readonly is: "list"; readonly of: Shape }
  /** Names chosen by the author, with values of the same shape. */
  | { readonly is: "named"; readonly of: Shape }
  /** One of several shapes, depending on the type of the value. */
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

/** The first known field decides which others are allowed. */
export interface Keyed {
  readonly is: "keyed";
  readonly what: string;
  /** A function, because the shapes of consequences contain each other. */
  readonly rows: () => Readonly<Record<string, Fields>>;
}

export type Shapes = Readonly<Record<string, Shape>>;

export function fields(what: string, required: Shapes, optional: Shapes = {}): Fields {
  return { is: "fields", what, required, optional };
}

export function list(of: Shape): Shape {
  return { is: "list", of };
}
