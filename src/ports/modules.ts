/** Modules that people bring along: an ES module in a file, with what it exports or why it cannot be loaded. */
export type LoadModule = (file: string, digest: string, text: string) => Promise<LoadedModule>;

export type LoadedModule =
  | { readonly kind: "loaded"; readonly exports: unknown }
  | { readonly kind: "failed"; readonly message: string; readonly fix: string };
